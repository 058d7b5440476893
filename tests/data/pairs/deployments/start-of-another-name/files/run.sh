flink run -p 2 -c Job job.jar --sum.parallelism 3
