package com.acme.load;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.DistributionMode;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.FlinkSink;
import org.apache.iceberg.flink.sink.IcebergSink;

public class LoadJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000L);
        KafkaSource<RowData> source = KafkaSource.<RowData>builder()
                .setBootstrapServers("kafka:9092").setTopics("loads").setDeserializer(new Rows()).build();
        DataStream<RowData> rows =
                env.fromSource(source, WatermarkStrategy.noWatermarks(), "loads").uid("loads");
        FlinkSink.forRowData(rows)
                .tableLoader(TableLoader.fromHadoopTable("s3://lake/loads"))
                .distributionMode(DistributionMode.NONE)
                .append();
        env.execute("load");
    }
}
