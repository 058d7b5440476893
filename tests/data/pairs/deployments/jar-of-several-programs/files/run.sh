flink run -p 2 target/jobs-1.jar
