CREATE TABLE orders (
  customer STRING,
  amount INT,
  PRIMARY KEY (customer) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'orders',
  'key.format' = 'json',
  'value.format' = 'json'
);

CREATE TABLE totals (
  amount INT,
  customers BIGINT,
  smallest STRING,
  PRIMARY KEY (amount) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'totals',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO totals
SELECT amount, COUNT(*) AS n, MIN(customer) AS first_customer
FROM orders
WHERE amount > 100
GROUP BY amount;
