CREATE TABLE readings (device STRING, heat INT, seen TIMESTAMP(3), WATERMARK FOR seen AS seen - INTERVAL '1' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'readings', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE alarms (device STRING, heat INT) WITH ('connector' = 'print');
INSERT INTO alarms SELECT * FROM readings MATCH_RECOGNIZE (
  PARTITION BY device ORDER BY seen MEASURES LAST(Hot.heat) AS heat ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW
  PATTERN (Warm Hot{3} Cold+ Thaw) DEFINE Warm AS Warm.heat > 10, Hot AS Hot.heat > 20, Cold AS Cold.heat < 0, Thaw AS Thaw.heat > 0);
