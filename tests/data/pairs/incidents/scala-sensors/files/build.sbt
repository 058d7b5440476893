name := "sensors"
scalaVersion := "2.12.18"
libraryDependencies ++= Seq(
  "org.flinkextended" %% "flink-scala-api" % "1.18.1_1.1.4",
  "org.apache.flink" % "flink-streaming-java" % "1.18.1" % Provided
)
