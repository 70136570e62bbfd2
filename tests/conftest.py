"""What all tests share."""

from hypothesis import settings

# A first call may compile; machines differ in speed.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
