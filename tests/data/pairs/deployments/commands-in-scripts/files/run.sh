flink run -p 2 -c Job job.jar --uid a; echo done
