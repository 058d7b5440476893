package eu.grid.core;
public final class Ids {
    static final int WIDTH = 12;
    private static final String[] CUTS = {"M-", "X-"};
    public static String meter(String raw) {
        String id = raw.trim();
        for (String cut : CUTS) { if (id.startsWith(cut)) id = id.substring(cut.length()); }
        return id.length() > WIDTH ? id.substring(0, WIDTH) : id;
    }
    public static int bucket(String id, int buckets) { return Math.floorMod(id.hashCode(), buckets); }
    private Ids() {}
}
