flink run -p 2 examples/WordCount.jar
