export SUFFIX=a
flink run -py job.py
