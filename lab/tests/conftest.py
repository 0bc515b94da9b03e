# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@pytest.fixture
def quiet(monkeypatch):
    """A machine on which nothing else runs, whatever this one does."""
    from frame import lab
    monkeypatch.setattr(lab.Noise, "disturbed", property(lambda self: False))
