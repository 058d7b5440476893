"""Programs that Spring's container puts together: ``SpringApplication.run`` and what it runs.

In: the class that is run, and the properties of the repository and the deployment. Out: beans, and the calls that the
container makes. ``container`` makes beans and calls what the container calls, ``definitions`` finds them,
``properties`` knows the values of ``@Value`` and of the environment. Called by ``interpreter.resolvers`` and
``library_objects``. What is not certain (two beans of one type, a condition, a bean that a library brings) is unknown,
or ends the reading.
"""
