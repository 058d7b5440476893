package com.acme.job;

import com.acme.common.StateNames;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

public class Rule {
    public static final MapStateDescriptor<String, Rule> DESCRIPTOR =
            new MapStateDescriptor<>(StateNames.RULES, Types.STRING, Types.POJO(Rule.class));
    public String name;
    public long limit;

    public Rule() {}
}
