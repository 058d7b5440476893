set -a
source ./prod.env
flink run -p $PARALLELISM -c Job job.jar --uid $SUFFIX
