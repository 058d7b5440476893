FROM flink:1.20
COPY a/target/a-1.0.jar /opt/flink/usrlib/a.jar
