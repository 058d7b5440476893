"""Referees: random Java, judged by a JVM with real Flink, against what the source reader makes of it."""
