#!/usr/bin/env bash
# Deploys the job.
set -euo pipefail

HERE="$(cd "$(dirname "$0")" && pwd)"
source "$HERE/lib.sh"
ENVIRONMENT="${1:-dev}"
JAR="$HERE/target/flow.jar"
TIMEOUT=30

usage() {
  echo "usage: deploy.sh ENVIRONMENT"
  exit 1
}

wait_for() {
  local left=$TIMEOUT
  while [ "$left" -gt 0 ]; do
    curl -fs "$1" > /dev/null && return 0
    left=$((left - 1))
    sleep 1
  done
  log "not there"
  return 1
}

[ -f "$JAR" ] || usage
mkdir -p "$HERE/logs"

if [ "$ENVIRONMENT" = "prod" ]; then
  PREFIX="v1"
  PARALLELISM=8
else
  PREFIX="d1"
  PARALLELISM=2
fi

case "$ENVIRONMENT" in
  prod|staging) HOST=flink-a ;;
  *) HOST=flink-b ;;
esac

ARGS=(
  # the names
  --uid-prefix "$PREFIX"
)
if [ -n "${EXTRA:-}" ]; then
  ARGS+=(--extra "$EXTRA")
fi

wait_for "http://$HOST:8081/overview"
log "deploying to $HOST"
flink run -d -m "$HOST:8081" -p "$PARALLELISM" -c com.acme.Job "$JAR" "${ARGS[@]}"
log "done"
