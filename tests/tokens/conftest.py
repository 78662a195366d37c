"""Tests on real data run where the data is."""

from pathlib import Path

DATA = Path(__file__).parents[3] / "shared" / "data"
collect_ignore = [] if DATA.is_dir() else ["test_real_data.py"]
