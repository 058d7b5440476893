import org.apache.flink.streaming.api.datastream.*; import org.apache.flink.api.common.functions.*; import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment; import org.apache.flink.configuration.*;
import org.apache.flink.streaming.api.functions.sink.@LEG@SinkFunction; import org.apache.flink.runtime.jobgraph.*; import java.util.*;
public class S14 {
  static class SK implements SinkFunction<Long>{ public void invoke(Long v, Context c){} }
  static class MP implements MapFunction<Long,Long>{ public Long map(Long x){return x;} }
  static class TIF extends org.apache.flink.api.common.io.DelimitedInputFormat<String>{ public String readRecord(String r,byte[] b,int o,int n){return null;} }
  static class IT implements Iterator<Long>,java.io.Serializable{ public boolean hasNext(){return false;} public Long next(){return null;} }
  public static void main(String[] a) throws Exception {
    L.run("createInput file", e->{ TIF t=new TIF(); t.setFilePath("/data/input.txt"); e.createInput(t).print(); });
    L.run("fromCollection iterator", e->{ e.fromCollection(new IT(),Long.class).print(); });
    L.run("idsid", e->{ e.fromSequence(1,2).map(new MP()).rebalance().map(new MP()).addSink(new SK()); org.apache.flink.streaming.api.graph.StreamGraph g=L.sg(e); JobGraph j=g.getJobGraph(); for(JobVertex v:j.getVertices()) for(JobEdge x:v.getInputs()) System.out.println("  DS "+x.getSource().getId()+" from "+x.getSource().getProducer().getID()+" x="+("Map-2_Map-4_0_REBALANCE_0".hashCode())); });
  }
}
