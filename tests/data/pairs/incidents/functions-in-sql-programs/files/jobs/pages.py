from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf


def tidied(page):
    return page.strip()


@udf(result_type=DataTypes.STRING())
def normal(page):
    return tidied(page)


@udf(result_type=DataTypes.BIGINT())
def shown(count):
    return count + 1


tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
tables.create_temporary_system_function("normal", normal)
tables.create_temporary_system_function("shown", shown)
tables.execute_sql("CREATE TABLE clicks (page STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'format' = 'json')")
tables.execute_sql("CREATE TABLE counts (page STRING, c BIGINT) WITH ('connector' = 'print')")
tables.execute_sql("INSERT INTO counts SELECT normal(page), shown(COUNT(*)) FROM clicks GROUP BY normal(page)")
