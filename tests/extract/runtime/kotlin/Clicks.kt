package clicks

import java.io.Serializable
import java.time.Duration
import org.apache.flink.api.common.functions.RichMapFunction
import org.apache.flink.api.common.functions.RuntimeContext
import org.apache.flink.api.common.state.ListState
import org.apache.flink.api.common.state.ListStateDescriptor
import org.apache.flink.api.common.state.ReducingStateDescriptor
import org.apache.flink.api.common.state.ValueState
import org.apache.flink.api.common.state.ValueStateDescriptor
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.runtime.state.FunctionInitializationContext
import org.apache.flink.runtime.state.FunctionSnapshotContext
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.ProcessFunction
import org.apache.flink.streaming.api.functions.KeyedProcessFunction
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink
import org.apache.flink.util.Collector
import org.apache.flink.util.OutputTag

fun interface Ask : Serializable {
    fun of(context: RuntimeContext): ValueState<Long>
}

/** Whoever makes it says how the state is got: nobody can tell from this class. */
class Asked(private val ask: Ask) : RichMapFunction<Long, Long>() {
    override fun map(n: Long): Long = n.also { ask.of(runtimeContext).update(it) }
}

/** Counts what passes; asks the context for its name only. */
class Passed : RichMapFunction<Long, Long>() {
    override fun map(n: Long): Long = if (runtimeContext.metricGroup.allVariables.isEmpty()) 0 else n
}

interface Buffered : CheckpointedFunction {
    var buffer: ListState<Long>?
    val bufferName: String get() = "buffer"

    override fun initializeState(context: FunctionInitializationContext) {
        buffer = context.operatorStateStore.getUnionListState(ListStateDescriptor(bufferName, Types.LONG))
    }

    override fun snapshotState(context: FunctionSnapshotContext) {
        buffer?.clear()
    }
}

object Clicks {
    private val odd = object : OutputTag<Long>("odd") {}

    @JvmStatic
    fun main(args: Array<String>) {
        val env = StreamExecutionEnvironment.getExecutionEnvironment()
        val split = env.fromSequence(1, 100).uid("numbers").process(object : ProcessFunction<Long, Long>(), Buffered {
            @Transient
            override var buffer: ListState<Long>? = null

            override fun processElement(n: Long, ctx: Context, out: Collector<Long>) {
                if (n % 2 == 0L) out.collect(n) else ctx.output(odd, n)
            }
        }).returns(Types.LONG).uid("split")
        split.getSideOutput(odd)
            .keyBy { it % 3 }
            .map(Asked { it.getState(ValueStateDescriptor("hidden", Types.LONG)) }).returns(Types.LONG).uid("asked")
            .sinkTo(DiscardingSink()).uid("odd-out")
        split.map(Passed()).returns(Types.LONG).uid("passed")
            .keyBy { it % 3 }
            .process(object : KeyedProcessFunction<Long, Long, Long>() {
                val sums = ReducingStateDescriptor("sums", { a: Long, b: Long -> a + b }, Types.LONG)

                override fun processElement(n: Long, ctx: Context, out: Collector<Long>) {
                    with(runtimeContext.getReducingState(sums)) { add(n) }
                    ctx.timerService().registerProcessingTimeTimer(Duration.ofMinutes(n).toMillis())
                }
            }).returns(Types.LONG).uid("sums")
            .sinkTo(DiscardingSink()).uid("out")
        env.execute("clicks")
    }
}
