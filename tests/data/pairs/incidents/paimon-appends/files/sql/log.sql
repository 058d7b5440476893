CREATE TABLE lines (host STRING, line STRING) WITH (
  'connector' = 'kafka', 'topic' = 'lines', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json'
);
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://lake/warehouse');
CREATE TABLE IF NOT EXISTS lake.ods.log (host STRING, line STRING) WITH ('bucket' = '-1');
INSERT INTO lake.ods.log SELECT host, line FROM lines;
