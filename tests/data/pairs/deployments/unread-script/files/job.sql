CREATE TEMPORARY FUNCTION f AS 'functions.f' LANGUAGE PYTHON;
CREATE TABLE a (x STRING) WITH ('connector' = 'datagen');
CREATE TABLE b (x STRING) WITH ('connector' = 'print');
INSERT INTO b SELECT f(x) FROM a;
