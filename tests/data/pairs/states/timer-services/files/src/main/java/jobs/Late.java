package jobs;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
public class Late extends AbstractStreamOperator<String>
    implements OneInputStreamOperator<String, String>, Triggerable<String, VoidNamespace> {
  static final String SERVICE = "reminders";
  private transient InternalTimerService<VoidNamespace> timers;
  @Override public void open() throws Exception {
    super.open();
    timers = getInternalTimerService("reminders", VoidNamespaceSerializer.INSTANCE, this);
  }
  @Override public void processElement(StreamRecord<String> r) throws Exception {
    timers.registerEventTimeTimer(VoidNamespace.INSTANCE, r.getTimestamp() + 1000);
    output.collect(r);
  }
  @Override public void onEventTime(InternalTimer<String, VoidNamespace> t) throws Exception { }
  @Override public void onProcessingTime(InternalTimer<String, VoidNamespace> t) throws Exception { }
}
