"""Settings for all tests."""

import os

import hypothesis

# before anything imports pyplot: no test opens a window
os.environ['MPLBACKEND'] = 'Agg'

# A busy machine is no failure, and a run on CI is the same as the last one; elsewhere each run tries new examples.
hypothesis.settings.register_profile('here', deadline=None)
hypothesis.settings.register_profile('ci', deadline=None, derandomize=True)
hypothesis.settings.load_profile('ci' if os.environ.get('CI') else 'here')
