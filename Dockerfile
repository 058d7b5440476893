# Two images: "slim" reads Java and PyFlink jobs and savepoints; "full" adds a JDK, Spark and Flink's jars.
# Debian 12 is the last that has a JDK 17.
FROM python:3.12-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim-bookworm AS slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 checker
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[s3,gs,abfs]"
USER checker
# The mounted repository belongs to somebody else: git reads it all the same.
ENV GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=*
WORKDIR /repository
ENTRYPOINT ["savepoint-checker"]
CMD ["check", "--engine", "in-process"]

FROM slim AS full
USER root
# A JDK, not a JRE: stand-ins for functions in SQL are compiled.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends openjdk-17-jdk-headless \
 && rm -rf /var/lib/apt/lists/* \
 && pip install --no-cache-dir "$(echo /wheels/*.whl)[spark,flink]"
USER checker
# The jars of one Flink release; those of others are downloaded when they are needed.
ARG FLINK=1.20
RUN python -c "from checker.extract.runtime.distribution import flink_jars; flink_jars('$FLINK')"
CMD ["check"]
