CREATE TABLE clicks (page STRING, referrer STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE counted (page STRING, shown STRING, n BIGINT) WITH ('connector' = 'print');
CREATE FUNCTION normal AS 'acme.Normal';
CREATE FUNCTION shown AS 'acme.Shown';
INSERT INTO counted SELECT page, shown(page), n FROM (SELECT normal(page) AS page, COUNT(*) AS n FROM clicks GROUP BY normal(page));
