package com.acme.job;

import com.acme.common.Keys;
import com.acme.common.Order;
import com.acme.common.OrderKey;
import com.acme.common.StateNames;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Totals of orders. */
public class OrdersJob {
    private static final Logger LOG = LoggerFactory.getLogger(OrdersJob.class);
    static final OutputTag<String> LATE = new OutputTag<String>("late") {};

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000);
        KafkaSource<Order> source = KafkaSource.<Order>builder()
                .setBootstrapServers("kafka:9092")
                .setTopics("orders")
                .setGroupId("orders-job")
                .setValueOnlyDeserializer(new OrderSchema())
                .build();
        DataStream<Order> orders = env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders").uid("orders");
        LOG.info("started {}", args.length);

        orders.keyBy(o -> new OrderKey(o.getTenant(), o.getUser()))
                .process(new Totals())
                .name("totals")
                .uid(StateNames.UID_TOTALS)
                .print()
                .uid("print-totals");

        orders.keyBy(Keys::ofRegion)
                .process(new Regions())
                .uid(StateNames.UID_REGIONS)
                .print()
                .uid("print-regions");

        BroadcastStream<Rule> rules = env.fromElements(new Rule()).uid("rules-in").broadcast(Rule.DESCRIPTOR);
        SingleOutputStreamOperator<String> checked = orders.keyBy(new ByBuyer())
                .connect(rules)
                .process(new Checking())
                .uid("checking");
        checked.getSideOutput(LATE).print().uid("late");
        env.execute("orders");
    }
}
