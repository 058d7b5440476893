import org.apache.flink.api.common.typeinfo.*; import org.apache.flink.api.common.functions.*; import org.apache.flink.api.common.eventtime.*; import org.apache.flink.api.common.state.*;
import org.apache.flink.api.java.tuple.*; import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment; import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.functions.*; import org.apache.flink.streaming.api.functions.co.*; import org.apache.flink.util.*; import org.apache.flink.configuration.*;
import org.apache.flink.streaming.api.operators.*; import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.api.functions.source.@LEG@SourceFunction; import org.apache.flink.streaming.api.functions.source.@LEG@ParallelSourceFunction; import org.apache.flink.streaming.api.functions.sink.@LEG@SinkFunction;
import org.apache.flink.streaming.api.transformations.*;
import java.util.*;
public class S3 {
  static class LS implements SourceFunction<Long>{ public void run(SourceContext<Long> c){} public void cancel(){} }
  static class PLS implements ParallelSourceFunction<Long>{ public void run(SourceContext<Long> c){} public void cancel(){} }
  static class SK implements SinkFunction<Long>{ public void invoke(Long v, Context c){} }
  static class MP implements MapFunction<Long,Long>{ public Long map(Long x){return x;} }
  static class KS implements KeySelector<Long,Long>{ public Long getKey(Long x){return x%3;} }
  static class RED implements ReduceFunction<Long>{ public Long reduce(Long a,Long b){return a;} }
  static DataStreamSource<Long> src(StreamExecutionEnvironment e){ return e.fromSequence(1,100); }
  static void snk(DataStream<Long> d){ d.addSink(new SK()); }
  static class COP extends AbstractStreamOperator<Long> implements OneInputStreamOperator<Long,Long>{ public void processElement(StreamRecord<Long> r){} }
  static class COPU extends AbstractUdfStreamOperator<Long,MP> implements OneInputStreamOperator<Long,Long>{ COPU(){super(new MP());} public void processElement(StreamRecord<Long> r){} }
  static class CFac extends AbstractStreamOperatorFactory<Long> implements OneInputStreamOperatorFactory<Long,Long>{ public <T extends StreamOperator<Long>> T createStreamOperator(StreamOperatorParameters<Long> p){return null;} public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader c){return COP.class;} }
  static class MFac extends AbstractStreamOperatorFactory<Long> { public <T extends StreamOperator<Long>> T createStreamOperator(StreamOperatorParameters<Long> p){return null;} public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader c){return COP.class;} }
  static class CM implements CoMapFunction<Long,Long,Long>{ public Long map1(Long x){return x;} public Long map2(Long x){return x;} }
  static class WM implements org.apache.flink.streaming.api.functions.AssignerWithPeriodicWatermarks<Long>{ public org.apache.flink.streaming.api.watermark.Watermark getCurrentWatermark(){return null;} public long extractTimestamp(Long l,long p){return 0;} } //@LE1@
  static class WP implements org.apache.flink.streaming.api.functions.AssignerWithPunctuatedWatermarks<Long>{ public org.apache.flink.streaming.api.watermark.Watermark checkAndGetNextWatermark(Long l,long x){return null;} public long extractTimestamp(Long l,long p){return 0;} } //@LE1@
  static void multi(StreamExecutionEnvironment e, ChainingStrategy cs, boolean keyed, Transformation3 ts){ MultipleInputTransformation<Long> t=new MultipleInputTransformation<>("MI",new MFac(),Types.LONG,e.getParallelism()); t.setChainingStrategy(cs); ts.add(t); e.addOperator(t); snk(new MultipleConnectedStreams(e).transform(t)); }
  interface Transformation3 { void add(MultipleInputTransformation<Long> t); }
  static class TIF extends org.apache.flink.api.common.io.DelimitedInputFormat<String>{ public String readRecord(String r,byte[] b,int o,int n){return null;} }
  public static void main(String[] a) throws Exception {
    L.run("fromData", e->{ e.fromData(1L,2L).print(); e.fromData(Arrays.asList(1L)).print(); }); //@GE119@
    L.run("readTextFile", e->{ e.readTextFile("/data/input.txt").print(); }); //@LE1@
    L.run("readFile", e->{ e.readFile(new TIF(),"/data/input.txt").print(); });
    L.run("createInput", e->{ e.createInput(new TIF()).print(); });
    L.run("generateSequence", e->{ e.generateSequence(1,2).print(); });
    L.run("writes", e->{ e.fromElements("a").writeAsText("/data/zz"); e.fromElements(Tuple1.of("a")).writeAsCsv("/data/zzz"); }); //@LE1@
    L.run("writeToSocket", e->{ e.fromElements("a").writeToSocket("h",1,new org.apache.flink.api.common.serialization.SimpleStringSchema()); });
    L.run("writeUsingOutputFormat", e->{ e.fromElements("a").writeUsingOutputFormat(new org.apache.flink.api.java.io.TextOutputFormat<String>(new org.apache.flink.core.fs.Path("/data/zz"))); }); //@LE1@
    L.run("collectAsync", e->{ src(e).collectAsync(); }); //@GE116@
    L.run("fullWindowPartition", e->{ src(e).fullWindowPartition().reduce(new RED()).print(); src(e).keyBy(new KS()).fullWindowPartition().reduce(new RED()).print(); src(e).fullWindowPartition().mapPartition((Iterable<Long> i,Collector<Long> c)->{}).returns(Long.class).print(); src(e).fullWindowPartition().sortPartition(new KS(),org.apache.flink.api.common.operators.Order.ASCENDING).print(); }); //@GE120@
    L.run("asQueryableState", e->{ src(e).keyBy(new KS()).asQueryableState("q"); });
    L.run("wm periodic", e->{ src(e).assignTimestampsAndWatermarks(new WM()).print(); src(e).assignTimestampsAndWatermarks(new WP()).print(); }); //@LE1@
    L.run("keyBy keyBy", e->{ src(e).keyBy(new KS()).keyBy(new KS()).reduce(new RED()).print(); });
    L.run("keyBy rebalance", e->{ src(e).keyBy(new KS()).rebalance().map(new MP()).print(); });
    L.run("reinterpret", e->{ DataStreamUtils.reinterpretAsKeyedStream(src(e).map(new MP()),new KS()).reduce(new RED()).print(); });
    L.run("reinterpret diff par", e->{ DataStreamUtils.reinterpretAsKeyedStream(src(e).map(new MP()),new KS()).reduce(new RED()).setParallelism(3).print(); });
    L.run("custom op", e->{ snk(src(e).transform("cop",Types.LONG,new COP())); snk(src(e).transform("copu",Types.LONG,new COPU())); snk(src(e).transform("cfac",Types.LONG,new CFac())); });
    L.run("multi ALWAYS", e->multi(e,ChainingStrategy.ALWAYS,false,t->{ t.addInput(src(e).getTransformation()); t.addInput(src(e).getTransformation()); }));
    L.run("multi HEAD_WITH_SOURCES", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ t.addInput(src(e).getTransformation()); t.addInput(src(e).getTransformation()); t.addInput(src(e).map(new MP()).getTransformation()); }));
    L.run("multi HWS one source two consumers", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ DataStream<Long> s=src(e); snk(s); t.addInput(s.getTransformation()); t.addInput(src(e).getTransformation()); }));
    L.run("multi HWS same source twice", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ DataStream<Long> s=src(e); t.addInput(s.getTransformation()); t.addInput(s.getTransformation()); }));
    L.run("multi HWS union", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ t.addInput(src(e).union(src(e)).getTransformation()); t.addInput(src(e).getTransformation()); }));
    L.run("multi HWS legacy source", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ t.addInput(e.addSource(new PLS()).getTransformation()); t.addInput(src(e).getTransformation()); }));
    L.run("multi HWS diff par", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ t.addInput(src(e).setParallelism(1).getTransformation()); t.addInput(src(e).getTransformation()); }));
    L.run("multi HWS ssg", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ t.addInput(src(e).slotSharingGroup("g").getTransformation()); t.addInput(src(e).getTransformation()); }));
    L.run("multi HWS sole input", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ t.addInput(src(e).getTransformation()); }));
    L.run("multi HWS uid on src", e->multi(e,ChainingStrategy.HEAD_WITH_SOURCES,false,t->{ t.addInput(src(e).uid("s1").setUidHash("0123456789abcdef0123456789abcdef").getTransformation()); t.addInput(src(e).uid("s2").getTransformation()); t.setUid("mi"); }));
    L.run("multi HWS later heads", e->{ MultipleInputTransformation<Long> t=new MultipleInputTransformation<>("MI",new MFac(),Types.LONG,e.getParallelism()); t.setChainingStrategy(ChainingStrategy.HEAD_WITH_SOURCES); t.addInput(src(e).getTransformation()); t.addInput(src(e).map(new MP()).getTransformation()); e.addOperator(t); new MultipleConnectedStreams(e).<Long>transform(t).rebalance().map(new MP()).name("later").addSink(new SK()); });
    L.run("timeWindow", e->{ src(e).keyBy(new KS()).timeWindow(@SEC@).reduce(new RED()).print(); src(e).timeWindowAll(@SEC@).reduce(new RED()).print();}); //@LE1@
    L.run("cache", e->{ CachedDataStream<Long> c=src(e).map(new MP()).cache(); c.map(new MP()).print(); c.map(new MP()).print(); }); //@GE116@
    L.run("cache batch", new Configuration(){{ setString("execution.runtime-mode","BATCH"); }}, e->{ CachedDataStream<Long> c=src(e).map(new MP()).cache(); c.map(new MP()).print(); c.map(new MP()).print(); }); //@GE116@
    L.run("asyncstate", e->{ KeyedStream<Long,Long> k=src(e).keyBy(new KS()).enableAsyncState(); k.reduce(new RED()).print(); k.process(new KPF()).print(); k.countWindow(3).reduce(new RED()).print(); }); //@GE2@
  }
  static class KPF extends KeyedProcessFunction<Long,Long,Long>{ public void processElement(Long v,Context c,Collector<Long> o){} }
}
