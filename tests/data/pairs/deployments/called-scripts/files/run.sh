start() {
  flink run -p 2 -c "$1" job.jar --uid "$2"
}
start Job a
echo done
