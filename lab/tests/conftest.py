# SPDX-License-Identifier: Apache-2.0
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@pytest.fixture
def quiet(monkeypatch):
    """A machine on which nothing else runs, whatever this one does."""
    from frame import lab
    monkeypatch.setattr(lab.Noise, "disturbed", property(lambda self: False))


def command_line():
    spec = importlib.util.spec_from_file_location("command_line", Path(__file__).parents[1] / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Runs the command line with made-up experiments, {name: (run, judge)}: its status, and what it wrote."""
    import experiments
    command = command_line()
    monkeypatch.setattr(command, "JAR", tmp_path)
    monkeypatch.setattr(command.all_jdks, "installed", list)

    def measure(**rows):
        made_up = [SimpleNamespace(
            NAME=name, TITLE=name, ROW=None, LONG=None, SOURCE=None, CLAIM=None, OURS="x", CONDITIONS="x",
            CODE=["lab/frame/stats.py"], OWN=[], SECONDS=(0, 0), run=run, judge=judge)
            for name, (run, judge) in rows.items()]
        monkeypatch.setattr(experiments, "all_experiments", lambda: made_up)
        status = command.main(["--results", str(tmp_path), "--html", str(tmp_path / "lab.html")])
        return status, {name: json.loads((tmp_path / f"{name}.json").read_text()) for name in rows}
    return measure
