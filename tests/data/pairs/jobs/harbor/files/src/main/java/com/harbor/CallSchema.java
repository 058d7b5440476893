package com.harbor;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
public class CallSchema extends AbstractDeserializationSchema<Call> {
    private final String fallback;
    public CallSchema(String fallback) { this.fallback = fallback; }
    @Override public Call deserialize(byte[] m) throws java.io.IOException {
        String[] cells = new String(m).split(";");
        Call c = new Call();
        c.setImo(cells[0]);
        c.setPort(cells.length > 1 ? cells[1] : fallback);
        c.at = Long.parseLong(cells[2]);
        c.teu = Integer.parseInt(cells[3]);
        return c;
    }
}
