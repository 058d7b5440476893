log() {
  echo "$(date +%T) $*"
}

retry() {
  for i in 1 2 3; do
    "$@" && return 0
  done
}
