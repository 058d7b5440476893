package eu.grid.core;
import java.util.Objects;
public class Sample {
    public String meter; public String feeder; public double kwh; public long at; public Tariff tariff; public String zone;
    public Sample() {}
    public Sample(String meter, String feeder, double kwh, long at) { this.meter = Ids.meter(meter); this.feeder = feeder; this.kwh = kwh; this.at = at; }
    public Sample at(String zone) { Sample s = new Sample(); s.meter = meter; s.feeder = feeder; s.kwh = kwh; s.at = at; s.tariff = tariff; s.zone = zone; return s; }
    public boolean late(long now) { return now - at > 60_000; }
}
