"""Build files of a revision: the Flink version that a program is built with.

In: the paths and texts of build files. Out: a version, or why it is not known. Maven, Gradle (Groovy and Kotlin,
version catalogs, ``buildSrc``) and sbt files are read as text, never run. The version is what a dependency on one of
Flink's own artifacts says, or a property that names nothing but Flink's version. Called by ``extract.listing``, which
keeps the answer.
"""
