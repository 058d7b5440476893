CREATE TABLE orders (
  customer STRING,
  amount INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'format' = 'json'
);

CREATE TABLE totals (
  customer STRING,
  orders BIGINT,
  amount INT,
  PRIMARY KEY (customer) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'totals',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO totals
SELECT customer, COUNT(*) AS orders, MIN(amount) AS smallest
FROM orders
GROUP BY customer;
