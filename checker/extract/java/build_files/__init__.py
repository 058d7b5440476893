"""Build files of a revision → the Flink version that a program is built with. Called by the Java reader and the runner.

Maven, Gradle (Groovy and Kotlin, version catalogs, ``buildSrc``) and sbt files are read as text, never run. The version
is what a dependency on one of Flink's own artifacts says, or a property that names nothing but Flink's version.
"""
