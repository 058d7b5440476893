package com.acme.words;

import org.apache.beam.runners.flink.FlinkPipelineOptions;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.kafka.KafkaIO;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.joda.time.Duration;

public class WordsPipeline {
    public static void main(String[] args) {
        FlinkPipelineOptions options = PipelineOptionsFactory.fromArgs(args).as(FlinkPipelineOptions.class);
        Pipeline pipeline = Pipeline.create(options);
        pipeline.apply("read", KafkaIO.<String, String>read().withBootstrapServers("kafka:9092").withTopic("words")
                        .withKeyDeserializer(StringDeserializer.class).withValueDeserializer(StringDeserializer.class).withoutMetadata())
                .apply("values", Values.create())
                .apply("minutes", Window.into(FixedWindows.of(Duration.standardMinutes(1))))
                .apply("count", Count.perElement());
        pipeline.run();
    }
}
