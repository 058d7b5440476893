package eu.grid.job;
import eu.grid.core.Sample;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.streaming.api.functions.async.*;
public class Zones extends RichAsyncFunction<Sample, Sample> {
    private final String url;
    private final Map<String, String> zones = new HashMap<>();
    public Zones(String url) { this.url = url; }
    @Override public void asyncInvoke(Sample s, ResultFuture<Sample> done) {
        CompletableFuture.supplyAsync(() -> lookup(s.feeder)).thenAccept(z -> done.complete(Collections.singleton(s.at(z))));
    }
    private String lookup(String feeder) { return zones.getOrDefault(feeder, "unknown").toUpperCase(); }
}
