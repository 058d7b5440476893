package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import static b.Ids.SLOTS;
class Asking { void start() { if (SLOTS > 2) new Started().go(); } }