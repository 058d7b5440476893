package orders

import java.io.Serializable
import org.apache.flink.api.common.functions.OpenContext
import org.apache.flink.api.common.functions.RichFilterFunction
import org.apache.flink.api.common.functions.RichFunction
import org.apache.flink.api.common.state.MapState
import org.apache.flink.api.common.state.MapStateDescriptor
import org.apache.flink.api.common.state.ValueState
import org.apache.flink.api.common.state.ValueStateDescriptor
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.streaming.api.datastream.DataStream
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.KeyedProcessFunction
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink
import org.apache.flink.util.Collector

data class Order(var customer: Long = 0, var total: Double = 0.0)

/** Names an operator and its uid in one. */
fun <T> SingleOutputStreamOperator<T>.known(name: String): SingleOutputStreamOperator<T> = uid(name).name(name)

fun DataStream<Order>.dear(limit: Double = 10.0): SingleOutputStreamOperator<Order> = filter { it.total > limit }

/** A helper of any function: the name comes from the caller. */
fun RichFunction.longState(name: String): ValueState<Long> =
    runtimeContext.getState(ValueStateDescriptor(name, Types.LONG))

class Totals : KeyedProcessFunction<Long, Order, Order>() {
    private lateinit var spent: ValueState<Long>

    @Transient
    private var byDay: MapState<Int, Double>? = null

    override fun open(context: OpenContext) {
        spent = longState("spent")
        byDay = runtimeContext.getMapState(BY_DAY)
    }

    override fun processElement(order: Order, ctx: Context, out: Collector<Order>) {
        spent.update(order.total.toLong())
        out.collect(order)
    }

    companion object {
        private val BY_DAY = MapStateDescriptor("by-day", Types.INT, Types.DOUBLE)
        val NOT_USED = ValueStateDescriptor("not-used", Types.LONG)
    }
}

/** Gets its state anew with each use. */
class Handle(private val name: String) : Serializable {
    fun of(function: RichFunction): ValueState<Long> = function.longState(name)
}

class FirstOnly(remembered: String = "first") : RichFilterFunction<Order>() {
    private val handle = Handle(remembered)
    private val state get() = handle.of(this)

    override fun filter(order: Order): Boolean = state.value() == null
}

fun main(args: Array<String>) {
    val env = StreamExecutionEnvironment.getExecutionEnvironment()
    env.fromSequence(1, 100).uid("numbers")
        .map { n -> Order(n % 7, n.toDouble()) }.returns(Order::class.java).known("orders")
        .dear().known("dear")
        .keyBy { it.customer }
        .process(Totals()).known("totals")
        .keyBy { it.customer }
        .filter(FirstOnly()).known("first")
        .sinkTo(DiscardingSink()).uid("out")
    env.execute("orders")
}
