package com.acme.tags;

import com.acme.tags.v1.Tag;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class TagsJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<String> source = KafkaSource.<String>builder()
                .setBootstrapServers("kafka:9092").setTopics("tags").setValueOnlyDeserializer(new SimpleStringSchema()).build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "tags").uid("tags")
                .keyBy(tag -> tag).process(new Uses()).uid("uses").print().uid("out");
        env.execute("tags");
    }

    public static class Uses extends KeyedProcessFunction<String, String, String> {
        private transient ValueState<Tag> tag;

        @Override
        public void open(Configuration parameters) {
            tag = getRuntimeContext().getState(new ValueStateDescriptor<>("tag", Tag.class));
        }

        @Override
        public void processElement(String id, Context context, Collector<String> out) throws Exception {
            Tag old = tag.value();
            tag.update(new Tag(id, old == null ? 1L : old.getUses() + 1));
            out.collect(id);
        }
    }
}
