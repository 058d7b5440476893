export SALT=s1
export LABEL=l1
flink run -c app.Job
