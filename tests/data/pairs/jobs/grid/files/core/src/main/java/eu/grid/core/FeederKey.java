package eu.grid.core;
public record FeederKey(String feeder, int bucket) {
    public static FeederKey of(Sample s) { return new FeederKey(s.feeder.toLowerCase(), Ids.bucket(s.meter, 16)); }
}
