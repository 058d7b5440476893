package com.harbor;
public class Call {
    public String imo; public String port; public String region; public long at; public int teu;
    public Call() {}
    public String getImo() { return imo; }
    public String getPort() { return port; }
    public String getRegion() { return region; }
    public void setImo(String imo) { this.imo = imo; }
    public void setPort(String port) { this.port = port; }
    public void setRegion(String region) { this.region = region; }
}
