package com.acme.orders;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.OutputTag;

/** Orders and payments in; paid orders, revenue per product and rejected lines out. */
public class OrdersJob {

    static final OutputTag<String> REJECTED = new OutputTag<String>("rejected") {};

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000);

        SingleOutputStreamOperator<Order> orders =
                env.fromSource(topic("orders"), WatermarkStrategy.noWatermarks(), "orders")
                        .uid("orders-source")
                        .process(new ParseOrder())
                        .name("parse orders");

        DataStream<Payment> payments =
                env.fromSource(topic("payments"), WatermarkStrategy.noWatermarks(), "payments")
                        .uid("payments-source")
                        .map(Payment::parse)
                        .name("parse payments");

        DataStream<Order> unique =
                orders.keyBy(order -> order.id)
                        .process(new DropDuplicates())
                        .name("drop duplicates");

        DataStream<PaidOrder> paid =
                unique.keyBy(order -> order.id)
                        .connect(payments.keyBy(payment -> payment.orderId))
                        .process(new MatchPayments())
                        .name("match payments");

        paid.assignTimestampsAndWatermarks(
                        WatermarkStrategy.<PaidOrder>forBoundedOutOfOrderness(Duration.ofMinutes(1))
                                .withTimestampAssigner((order, previous) -> order.paidAt))
                .keyBy(order -> order.product)
                .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
                .aggregate(new Revenue())
                .name("revenue per product")
                .map(String::valueOf)
                .name("format revenue")
                .sinkTo(kafka("revenue"))
                .name("revenue topic");

        paid.map(PaidOrder::toLine)
                .name("format orders")
                .sinkTo(files("/data/paid-orders"))
                .name("paid orders archive");

        orders.getSideOutput(REJECTED)
                .sinkTo(files("/data/rejected"))
                .uid("rejected-archive")
                .name("rejected archive");

        env.execute("orders");
    }

    private static KafkaSource<String> topic(String name) {
        return KafkaSource.<String>builder()
                .setBootstrapServers("kafka:9092")
                .setTopics(name)
                .setGroupId("orders-job")
                .setValueOnlyDeserializer(new SimpleStringSchema())
                .build();
    }

    private static KafkaSink<String> kafka(String topic) {
        return KafkaSink.<String>builder()
                .setBootstrapServers("kafka:9092")
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionalIdPrefix("orders-" + topic)
                .setRecordSerializer(
                        KafkaRecordSerializationSchema.builder()
                                .setTopic(topic)
                                .setValueSerializationSchema(new SimpleStringSchema())
                                .build())
                .build();
    }

    private static FileSink<String> files(String folder) {
        return FileSink.forRowFormat(new Path(folder), new SimpleStringEncoder<String>("UTF-8")).build();
    }
}
