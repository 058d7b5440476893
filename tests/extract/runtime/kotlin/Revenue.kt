package revenue

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink
import org.apache.flink.table.api.DataTypes
import org.apache.flink.table.api.Expressions.`$`
import org.apache.flink.table.api.Schema
import org.apache.flink.table.api.Table
import org.apache.flink.table.api.TableDescriptor
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment

private fun StreamTableEnvironment.orders(rows: Long = 100): Table = from(
    TableDescriptor.forConnector("datagen")
        .schema(Schema.newBuilder().column("item", DataTypes.STRING()).column("price", DataTypes.BIGINT()).build())
        .option("number-of-rows", rows.toString())
        .build()
)

/** The Table API, a changelog stream of its result, and a statement set. */
fun main() {
    val env = StreamExecutionEnvironment.getExecutionEnvironment()
    val tables = StreamTableEnvironment.create(env)
    val revenue = tables.orders().groupBy(`$`("item")).select(`$`("item"), `$`("price").sum().`as`("revenue"))
    tables.toChangelogStream(revenue)
        .map { row -> row.kind.shortString() }.uid("kinds")
        .sinkTo(DiscardingSink()).uid("out")
    env.execute("changes")

    tables.executeSql("CREATE TABLE shown (item STRING, revenue BIGINT) WITH ('connector' = 'print')")
    tables.createStatementSet().addInsert("shown", revenue).execute()
}
