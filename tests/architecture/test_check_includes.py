#!/usr/bin/env python3
"""The include check against sample trees: a clean one passes, and every kind of violation is found where it stands."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_includes  # noqa: E402

# A small house in which every include is allowed.
CLEAN = {
    "model/version.hpp": "",
    "model/base/curve.hpp": '#include "model/version.hpp"\n#include <vector>\n',
    "model/fluids/water.hpp": '#include "model/base/curve.hpp"\n',
    "model/network/network.hpp": '#include "model/fluids/water.hpp"\n',
    "model/system/system.hpp": '#include "model/network/network.hpp"\n',
    "model/components/cooling/classes.hpp": '#include "model/system/system.hpp"\n',
    "model/components/cooling/actuator.hpp": '#include "model/system/system.hpp"\n',
    "model/components/cooling/pump.hpp": '#include "model/system/system.hpp"\n',
    "model/components/cooling/pump.cpp": (
        '#include "model/components/cooling/pump.hpp"\n'
        '#include "model/components/cooling/actuator.hpp"\n'
        '#include "model/components/cooling/classes.hpp"\n'
        "constexpr ClassInfo kInfo{};\n"
    ),
    "model/components/cooling/valve.cpp": "constexpr ClassInfo kInfo{};\n",
    "model/components/it/rack.hpp": "",
    "model/components/it/shelf.hpp": "",
    "model/components/it/shelf.md": "# Shelf\n",
    "model/components/it/rack.cpp": (
        '#include "model/components/it/rack.hpp"\n#include "model/components/it/rack_info.hpp"\n'
    ),
    "model/components/it/rack_info.hpp": "",
    "model/components/it/rack_info.cpp": (
        '#include "model/components/it/rack_info.hpp"\nconstexpr ClassInfo kRack{};\n'
    ),
    "model/components/registry.cpp": (
        '#include "model/components/cooling/classes.hpp"\n#include "model/components/it/rack.hpp"\n'
    ),
    "solvers/integrator.hpp": '#include "model/system/system.hpp"\n#include <arkode/arkode_arkstep.h>\n',
    "data/readers/pod.hpp": '#include "model/system/system.hpp"\n#include <yaml-cpp/yaml.h>\n#include <fstream>\n',
    "data/results/recorder.hpp": '#include "model/base/curve.hpp"\n#include <hdf5.h>\n',
    "scenarios/session.hpp": (
        '#include "solvers/integrator.hpp"\n#include "data/readers/pod.hpp"\n#include "model/components/it/rack.hpp"\n'
    ),
    "gui/window.hpp": '#include "scenarios/session.hpp"\n#include <QMainWindow>\n',
    "tests/unit/results/recorder_test.cpp": '#include "data/results/recorder.hpp"\n#include <hdf5.h>\n',
    "tests/gui/window_test.cpp": '#include "gui/window.hpp"\n#include <QtTest/QtTest>\n',
}

# Name of the case -> file that violates, its text, the line to be named, words of the message.
VIOLATIONS = {
    "base includes fluids": (
        "model/base/bad.hpp", '#include "model/fluids/water.hpp"\n', 1, "model/base must not include model/fluids"),
    "fluids include the network": (
        "model/fluids/bad.hpp", '#include "model/network/network.hpp"\n', 1, "must not include model/network"),
    "the network includes the system": (
        "model/network/bad.hpp", '#include "model/system/system.hpp"\n', 1, "must not include model/system"),
    "the system includes a component": (
        "model/system/bad.cpp", '#include "model/components/it/rack.hpp"\n', 1, "must not include model/components"),
    "the version includes base": (
        "model/bad.hpp", '#include "model/base/curve.hpp"\n', 1, "model must not include model/base"),
    "model includes a solver": (
        "model/system/bad.cpp", '#include "solvers/integrator.hpp"\n', 1, "must not include solvers"),
    "model includes a reader": (
        "model/components/it/bad.cpp", '#include "data/readers/pod.hpp"\n', 1, "must not include data"),
    "a solver includes data": (
        "solvers/bad.cpp", '#include "data/readers/pod.hpp"\n', 1, "solvers must not include data"),
    "data includes a solver": (
        "data/readers/bad.cpp", '#include "solvers/integrator.hpp"\n', 1, "data must not include solvers"),
    "data includes scenarios": (
        "data/readers/bad.cpp", '#include "scenarios/session.hpp"\n', 1, "data must not include scenarios"),
    "scenarios include the desktop": (
        "scenarios/bad.cpp", '#include "gui/window.hpp"\n', 1, "scenarios must not include gui"),
    "the program includes a test": (
        "scenarios/bad.cpp", '#include "tests/helper.hpp"\n', 1, "scenarios must not include tests"),
    "a component includes its neighbour": (
        "model/components/cooling/valve.hpp", '\n#include "model/components/cooling/pump.hpp"\n', 2,
        "components must not include each other"),
    "a shared helper includes a component": (
        "model/components/cooling/bad.hpp", '#include "model/components/cooling/pump.hpp"\n', 1,
        "components must not include each other"),
    "a component includes a part of another one": (
        "model/components/it/tray.cpp", '#include "model/components/it/rack_info.hpp"\n', 1,
        "components must not include each other"),
    "a component known by its equations page is included": (
        "model/components/it/tray.cpp", '#include "model/components/it/shelf.hpp"\n', 1,
        "components must not include each other"),
    "a component named after its neighbour includes it": (
        "model/components/cooling/pump_skid.cpp",
        '#include "model/components/cooling/pump.hpp"\nconstexpr ClassInfo kInfo{};\n', 1,
        "components must not include each other"),
    "a component includes another group": (
        "model/components/cooling/bad.cpp", '#include "model/components/it/rack.hpp"\n', 1,
        "components must not include each other"),
    "SUNDIALS outside the solvers": (
        "scenarios/bad.cpp", "#include <sundials/sundials_context.h>\n", 1, "SUNDIALS"),
    "a SUNDIALS vector in the model": (
        "model/system/bad.cpp", "// one\n// two\n#  include <nvector/nvector_serial.h>\n", 3, "SUNDIALS"),
    "HDF5 in a reader": (
        "data/readers/bad.cpp", "#include <hdf5.h>\n", 1, "HDF5"),
    "Qt in a scenario": (
        "scenarios/bad.cpp", "#include <QString>\n", 1, "Qt"),
    "Qt in a test of another layer": (
        "tests/unit/base/bad.cpp", "#include <QtCore/QString>\n", 1, "Qt"),
    "a file stream in the model": (
        "model/base/bad.cpp", "#include <fstream>\n", 1, "reading files"),
    "an include beside the file": (
        "solvers/bad.cpp", '#include "integrator.hpp"\n', 1, "full path from the root"),
    "an include upwards": (
        "solvers/bad.cpp", '#include "../model/base/curve.hpp"\n', 1, "no file of this tree"),
    "an include that does not exist": (
        "solvers/bad.cpp", '#include "model/base/nothing.hpp"\n', 1, "no file of this tree"),
    "an own header in angle brackets": (
        "solvers/bad.cpp", "#include <model/base/curve.hpp>\n", 1, "included with quotes"),
    "a source in an unknown folder of the model": (
        "model/extra/bad.cpp", "", 1, "in no layer of the house"),
    "an include after a block comment": (
        "solvers/bad.cpp", '/* a\n b */\n#include "data/readers/pod.hpp"\n', 3, "solvers must not include data"),
}


class IncludeCheck(unittest.TestCase):
    def tree(self, extra):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for name, text in {**CLEAN, **extra}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return root

    def test_a_clean_tree_has_no_violation(self):
        violations, count = check_includes.check(self.tree({}))
        self.assertEqual(violations, [])
        self.assertEqual(count, sum(not name.endswith(".md") for name in CLEAN))

    def test_includes_in_comments_do_not_count(self):
        text = '// #include "data/readers/pod.hpp"\n/*\n#include "data/readers/pod.hpp"\n*/\n'
        self.assertEqual(check_includes.check(self.tree({"solvers/good.cpp": text}))[0], [])

    def test_every_kind_of_violation_is_found_where_it_stands(self):
        helper = {"tests/helper.hpp": "", "gui/window.hpp": CLEAN["gui/window.hpp"]}
        for case, (name, text, line, words) in VIOLATIONS.items():
            with self.subTest(case):
                violations, _ = check_includes.check(self.tree({**helper, name: text}))
                self.assertEqual(len(violations), 1, violations)
                self.assertTrue(violations[0].startswith(f"{name}:{line}: "), violations[0])
                self.assertIn(words, violations[0])

    def test_the_program_ends_with_1_on_a_violation_and_2_on_an_empty_tree(self):
        name, text, _, _ = VIOLATIONS["a solver includes data"]
        self.assertEqual(check_includes.main([str(self.tree({}))]), 0)
        self.assertEqual(check_includes.main([str(self.tree({name: text}))]), 1)
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(check_includes.main([empty]), 2)


if __name__ == "__main__":
    unittest.main()
