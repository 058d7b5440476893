export TENANT=t1
export REGION=r1
flink run -py job.py
