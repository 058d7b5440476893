#!/bin/sh
export MODE=one
export FLINK_MODE=/conf/a
sql-client.sh -f job.sql
