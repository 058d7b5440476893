package com.acme.load;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

public class Rows implements KafkaRecordDeserializationSchema<RowData> {
    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<RowData> out) {
        out.collect(GenericRowData.of(record.value()));
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return TypeInformation.of(RowData.class);
    }
}
