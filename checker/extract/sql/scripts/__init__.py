"""Scripts of SQL statements: what they say, in order, and which of them are pipelines of Flink."""
