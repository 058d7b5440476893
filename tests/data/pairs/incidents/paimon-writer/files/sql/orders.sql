CREATE TABLE changes (id BIGINT, state STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'mysql-cdc', 'hostname' = 'mysql', 'database-name' = 'shop', 'table-name' = 'orders'
);
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://lake/warehouse');
CREATE TABLE IF NOT EXISTS lake.ods.orders (id BIGINT, state STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'bucket' = '4', 'sink.parallelism' = '1'
);
CREATE TABLE IF NOT EXISTS lake.ods.orders_v2 (id BIGINT, state STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'bucket' = '4', 'sink.parallelism' = '1'
);
INSERT INTO lake.ods.orders SELECT id, state FROM changes;
