import org.apache.flink.api.common.typeinfo.*; import org.apache.flink.api.common.functions.*; import org.apache.flink.api.common.eventtime.*; import org.apache.flink.api.java.functions.KeySelector; import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment; import org.apache.flink.streaming.api.datastream.*; import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.functions.*; import org.apache.flink.util.*; import org.apache.flink.configuration.*; import org.apache.flink.streaming.api.operators.*; import org.apache.flink.streaming.api.transformations.*;
import org.apache.flink.streaming.api.functions.source.@LEG@SourceFunction; import org.apache.flink.streaming.api.functions.source.@LEG@ParallelSourceFunction; import org.apache.flink.streaming.api.functions.sink.@LEG@SinkFunction;
import java.util.*;
public class S10 {
  static class SK implements SinkFunction<Long>{ public void invoke(Long v, Context c){} }
  static class PLS implements ParallelSourceFunction<Long>{ public void run(SourceContext<Long> c){} public void cancel(){} }
  static class MP implements MapFunction<Long,Long>{ public Long map(Long x){return x;} }
  static class KS implements KeySelector<Long,Long>{ public Long getKey(Long x){return x%3;} }
  static class RED implements ReduceFunction<Long>{ public Long reduce(Long a,Long b){return a;} }
  static class CM implements CoMapFunction<Long,Long,Long>{ public Long map1(Long x){return x;} public Long map2(Long x){return x;} }
  static class PF extends ProcessFunction<Long,Long>{ public void processElement(Long v,Context c,Collector<Long> o){} }
  static class TIF extends org.apache.flink.api.common.io.DelimitedInputFormat<String>{ public String readRecord(String r,byte[] b,int o,int n){return null;} }
  static DataStreamSource<Long> src(StreamExecutionEnvironment e){ return e.fromSequence(1,100); }
  static SingleOutputStreamOperator<Long> m(DataStream<Long> d){ return d.map(new MP()); }
  static Configuration c(String... kv){ Configuration k=new Configuration(); for(int i=0;i<kv.length;i+=2) k.setString(kv[i],kv[i+1]); return k; }
  static WatermarkStrategy<Long> ws(){ return WatermarkStrategy.<Long>forMonotonousTimestamps(); }
  static Object sk(boolean committer){ return S4.SK!=null? S4.sink(null,committer,null,null) : S4.v1(false,false,false); }
  public static void main(String[] a) throws Exception {
    L.run("legacy map sinkV2", e->{ S4.to(m(e.addSource(new PLS())),sk(false)); });
    L.run("legacy sinkV2 direct", e->{ S4.to(e.addSource(new PLS()),sk(false)); });
    L.run("flip27 map sinkV2", e->{ S4.to(m(src(e)),sk(false)); });
    L.run("fromElements p1 sinkV2", e->{ e.setParallelism(1); S4.to(m(e.fromElements(1L,2L)),sk(true)); });
    L.run("wm inherits par", e->{ m(src(e).setParallelism(3).assignTimestampsAndWatermarks(ws())).addSink(new SK()); });
    L.run("wm after union", e->{ src(e).setParallelism(3).union(src(e).setParallelism(4)).assignTimestampsAndWatermarks(ws()).addSink(new SK()); });
    L.run("wm after union rev", e->{ src(e).setParallelism(4).union(src(e).setParallelism(3)).assignTimestampsAndWatermarks(ws()).addSink(new SK()); });
    L.run("wm then par set later on source", e->{ DataStreamSource<Long> s=src(e); DataStream<Long> w=s.assignTimestampsAndWatermarks(ws()); s.setParallelism(5); w.addSink(new SK()); });
    L.run("join taggers par", e->{ src(e).setParallelism(3).join(src(e).setParallelism(4)).where(new KS()).equalTo(new KS()).window(org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows.of(@SEC@)).apply(new JoinFunction<Long,Long,Long>(){public Long join(Long x,Long y){return x;}}).addSink(new SK()); });
    L.run("reduce env par", e->{ src(e).setParallelism(3).keyBy(new KS()).reduce(new RED()).addSink(new SK()); });
    L.run("fromData par2", e->{ e.fromData(1L,2L).setParallelism(2).print(); }); //@GE119@
    L.run("readFile uid noauto", c("pipeline.auto-generate-uids","false"), e->{ e.readFile(new TIF(),"/data/input.txt").uid("r").print().uid("p"); });
    L.run("readFile uid", e->{ e.readFile(new TIF(),"/data/input.txt").uid("r").setUidHash("0123456789abcdef0123456789abcdef").print().uid("p"); });
    L.run("readFile par", e->{ e.readFile(new TIF(),"/data/input.txt").setParallelism(5).print(); });
    L.run("description", e->{ m(src(e)).setDescription("my desc").addSink(new SK()).setDescription("sink desc"); }); //@GE115@
    L.run("source name empty/watermark", e->{ e.fromSource(new org.apache.flink.api.connector.source.lib.NumberSequenceSource(1,2),ws(),"n").uid("x").addSink(new SK()); });
    L.run("side out of side", e->{ OutputTag<Long> t=new OutputTag<Long>("t"){}, t2=new OutputTag<Long>("t2"){}; SingleOutputStreamOperator<Long> p=src(e).process(new PF()); SideOutputDataStream1(p,t,t2); });
    L.run("side out type conflict", e->{ OutputTag<Long> t=new OutputTag<Long>("t"){}; OutputTag<String> t2=new OutputTag<String>("t"){}; SingleOutputStreamOperator<Long> p=src(e).process(new PF()); p.getSideOutput(t).print(); p.getSideOutput(t2).print(); });
    L.run("side out of union", e->{ });
    L.run("same partition stream twice", e->{ DataStream<Long> r=src(e).rebalance(); m(r).addSink(new SK()); m(r).addSink(new SK()); });
    L.run("union with self partitioned", e->{ DataStream<Long> s=src(e); m(s.union(s.rebalance())).addSink(new SK()); });
    L.run("forward after p change ok", e->{ m(m(src(e)).setParallelism(3).forward()).setParallelism(3).addSink(new SK()); });
    L.run("keyBy then forward reduce", e->{ });
    L.run("window uid", e->{ src(e).keyBy(new KS()).countWindow(3).reduce(new RED()).uid("w").name("W").addSink(new SK()); });
    L.run("graph twice", e->{ m(m(src(e)).rebalance()).addSink(new SK()); L.sg(e).getJobGraph(); });
    L.run("setMaxPar sink", e->{ src(e).addSink(new SK()).setMaxParallelism(9); }); //@GE118@
    L.run("par set before name", e->{ m(src(e)).setParallelism(3).name("x").setMaxParallelism(5).addSink(new SK()); });
    L.run("legacy async chain via env chain off", e->{ });
    L.run("connect keyed & nonkeyed", e->{ src(e).keyBy(new KS()).connect(src(e)).map(new CM()).addSink(new SK()); });
  }
  static void SideOutputDataStream1(SingleOutputStreamOperator<Long> p, OutputTag<Long> t, OutputTag<Long> t2){ DataStream<Long> s=p.getSideOutput(t); DataStream<Long> q=new DataStream<Long>(s.getExecutionEnvironment(),new SideOutputTransformation<Long>(s.getTransformation(),t2)); q.addSink(new SK()); }
}
