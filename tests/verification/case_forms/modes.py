"""Modes of a linear plant, found from its response by the library."""
import os


def modes_of(case, pod):
    """Eigenvalues (real, imaginary) of the plant's rates at its cold start, by the public library."""
    answer = case.ask(["modes " + os.path.join(case.keep, pod)])[0]
    return None if answer is None else list(zip(answer[::2], answer[1::2]))


def nearest_mode(label, constants):
    """'mode2' is the second slowest."""
    number = int(label.removeprefix("mode"))
    return constants[number - 1] if number <= len(constants) else None
