package com.acme

import org.apache.flink.api.common.state.{ValueState, ValueStateDescriptor}
import org.apache.flink.configuration.Configuration
import org.apache.flink.streaming.api.functions.KeyedProcessFunction
import org.apache.flink.util.Collector
import org.apache.flinkx.api._
import org.apache.flinkx.api.serializers._

case class Reading(id: String, temperature: Double)

class Last extends KeyedProcessFunction[String, Reading, String] {
  private var last: ValueState[Reading] = _

  override def open(parameters: Configuration): Unit =
    last = getRuntimeContext.getState(new ValueStateDescriptor[Reading]("last", deriveTypeInformation[Reading]))

  override def processElement(r: Reading, c: KeyedProcessFunction[String, Reading, String]#Context, out: Collector[String]): Unit = {
    last.update(r)
    out.collect(r.id)
  }
}

object SensorJob {
  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    env.fromElements(Reading("a", 1.0)).keyBy(_.id).process(new Last).uid("last").print()
    env.execute("sensors")
  }
}
