package com.acme.visits;

public class Visit {
    public long visitor;
    public String shop;
    public String province;
    public String age;
    public long time;

    public static Visit parse(String line) {
        String[] parts = line.split(";");
        Visit visit = new Visit();
        visit.visitor = Long.parseLong(parts[0]);
        visit.shop = parts[1];
        visit.province = parts[2];
        visit.age = parts[3];
        visit.time = Long.parseLong(parts[4]);
        return visit;
    }
}
