"""States of compiled functions.

In: the class files of a job. Out: the state descriptors that a class registers, followed through its byte code.

Called by ``extract.runtime.capture`` for functions without source (Scala, Kotlin, libraries).
"""
