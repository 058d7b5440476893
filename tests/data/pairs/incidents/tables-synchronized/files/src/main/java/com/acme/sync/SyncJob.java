package com.acme.sync;

import com.ververica.cdc.connectors.mysql.source.MySqlSource;
import com.ververica.cdc.connectors.mysql.table.StartupOptions;
import com.ververica.cdc.debezium.JsonDebeziumDeserializationSchema;
import java.util.List;
import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.writer.SimpleStringSerializer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class SyncJob {
    private static final List<String> TABLES = List.of("shop.orders", "shop.items");

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000L);
        env.setParallelism(2);
        MySqlSource<String> source = MySqlSource.<String>builder()
                .hostname("mysql-replica-1")
                .port(3306)
                .databaseList("shop")
                .tableList("shop.orders", "shop.items")
                .username("sync")
                .password(System.getenv("MYSQL_PASSWORD"))
                .startupOptions(StartupOptions.initial())
                .deserializer(new JsonDebeziumDeserializationSchema())
                .build();
        DataStream<String> changes = env.fromSource(source, WatermarkStrategy.noWatermarks(), "shop").uid("shop");
        for (String table : TABLES) {
            changes.filter(change -> change.contains(table)).sinkTo(sink(table));
        }
        env.execute("sync");
    }

    private static DorisSink<String> sink(String table) {
        DorisOptions options = DorisOptions.builder().setFenodes("doris:8030").setTableIdentifier(table).build();
        return DorisSink.<String>builder()
                .setDorisReadOptions(DorisReadOptions.builder().build())
                .setDorisExecutionOptions(DorisExecutionOptions.builder().setLabelPrefix(table).build())
                .setDorisOptions(options)
                .setSerializer(new SimpleStringSerializer())
                .build();
    }
}
