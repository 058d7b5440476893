package acme;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class Measured {
  public static class Sums {
    public long sum;
    @TypeInfo(Longs.class)
    public List<Long> all = new ArrayList<>();

    public Sums() {}
  }

  public static class Longs extends TypeInfoFactory<List<Long>> {
    @Override public TypeInformation<List<Long>> createTypeInfo(Type type, Map<String, TypeInformation<?>> parameters) {
      return Types.LIST(Types.LONG);
    }
  }

  public static class Opaque extends TypeInfoFactory<Sums> {
    @Override public TypeInformation<Sums> createTypeInfo(Type type, Map<String, TypeInformation<?>> parameters) {
      return Types.GENERIC(Sums.class);
    }
  }

  public static class Add extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<Sums> sums;

    @Override public void open(Configuration c) {
      sums = getRuntimeContext().getState(new ValueStateDescriptor<>("sums", Sums.class));
    }

    @Override public void processElement(String value, Context context, Collector<String> out) throws Exception {
      sums.update(new Sums());
    }
  }

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("localhost", 9999).uid("in").keyBy(v -> v).process(new Add()).uid("add").print();
    env.execute("measured");
  }
}
