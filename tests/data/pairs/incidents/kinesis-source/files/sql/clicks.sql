CREATE TABLE clicks (page STRING, visitor STRING) WITH (
  'connector' = 'kinesis', 'stream' = 'clicks', 'aws.region' = 'eu-west-1', 'format' = 'json'
);
CREATE TABLE pages (page STRING, visits BIGINT) WITH ('connector' = 'print');
INSERT INTO pages SELECT page, COUNT(visitor) FROM clicks GROUP BY page;
