"""Settings that every test shares."""

import os

from hypothesis import HealthCheck, settings

# A busy machine makes no test wrong: time is measured in benchmarks only.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")
# Nothing comes out of the cache of whoever runs the tests; tests of the cache use their own.
os.environ["SAVEPOINT_CHECKER_CACHE"] = "off"
