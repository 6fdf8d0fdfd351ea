"""The script that makes wrong sources puts its mutation in exactly once, or fails the build."""
import os
import pathlib
import subprocess
import unittest

from support import Case

CMAKE = os.environ.get("PODTWIN_CMAKE", "cmake")
SCRIPT = pathlib.Path(__file__).with_name("mutated_copy.cmake")
# What CMake takes for its own: list separators, brackets, references, escapes.
SOURCE_TEXT = 'int a[2] = {1, 2};  // ${x} @y@ \\n "text"; [[raw]]\ncapacity(i, p.c);\n'


class MutatedCopy(Case):
    def mutate(self, text, find="capacity(i, p.c)", replace="capacity(i, 2.0 * p.c)"):
        done = subprocess.run([CMAKE, f"-DFROM={self.write('from.cpp', text)}", f"-DTO={self.folder / 'to.cpp'}",
                               f"-DFIND={find}", f"-DREPLACE={replace}", "-P", SCRIPT], capture_output=True, text=True, check=False)
        return done, self.folder / "to.cpp"

    def test_the_text_is_replaced_and_everything_else_is_as_it_was(self):
        done, copy = self.mutate(SOURCE_TEXT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(copy.read_text(encoding="utf-8"), SOURCE_TEXT.replace("p.c", "2.0 * p.c"))

    def test_a_text_that_is_not_there_or_there_twice_fails(self):
        for text, count in (("nothing\n", 0), (SOURCE_TEXT * 2, 2)):
            with self.subTest(count=count):
                done, copy = self.mutate(text)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"{count} times", done.stderr)
                self.assertFalse(copy.exists())

    def test_a_mutation_that_changes_nothing_fails(self):
        done, copy = self.mutate(SOURCE_TEXT, replace="capacity(i, p.c)")
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(copy.exists())


if __name__ == "__main__":
    unittest.main()
