"""The torture suite as a whole: its table (`--list`), and what is asked of the suite itself.

    /usr/bin/python3 tests/torture/scenarios.py --list       the table of README.md
    /usr/bin/python3 tests/torture/scenarios.py              checks number of scenarios and that README.md has this table
"""
import importlib
import pathlib
import sys
import unittest

from support import Torture

HERE = pathlib.Path(__file__).resolve().parent
NOT_SCENARIOS = ("support", "scenarios")
LEAST, LEAST_BY_HAND = 60, 20  # issue 3


def modules():
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_SCENARIOS)


def scenarios():
    """(module, class, test, what it is marked with) of every test of the suite."""
    found = []
    for name in modules():
        for case in vars(importlib.import_module(name)).values():
            if isinstance(case, type) and issubclass(case, Torture) and case.__module__ == name:
                found += [(name, case.__name__, test, getattr(case, test), getattr(getattr(case, test), "scenario", None))
                          for test in sorted(vars(case)) if test.startswith("test_")]
    return found


def table():
    lines = ["| scenario | after | why | end state by hand |", "|---|---|---|---|"]
    for module, case, test, _, mark in scenarios():
        lines.append(f"| `{module}.{case}.{test[5:]}` | {mark['pain']} | {mark['why']} | {'yes' if mark['by_hand'] else ''} |")
    return "\n".join(lines) + "\n"


class Suite(unittest.TestCase):
    def test_every_test_is_marked(self):
        self.assertEqual([f"{m}.{c}.{t}" for m, c, t, _, mark in scenarios() if mark is None], [])

    def test_enough_scenarios(self):
        marks = [mark for *_, mark in scenarios()]
        self.assertGreaterEqual(len(marks), LEAST)
        self.assertGreaterEqual(sum(mark["by_hand"] for mark in marks), LEAST_BY_HAND)

    def test_the_page_has_the_table(self):
        self.assertIn(table(), (HERE / "README.md").read_text(encoding="utf-8"), "write it anew with --list")


if __name__ == "__main__":
    if "--list" in sys.argv:
        print(table(), end="")
    else:
        unittest.main()
