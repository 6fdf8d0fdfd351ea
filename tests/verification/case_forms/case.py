"""A reference case: its inputs, its expected rows, and the programs that it is asked of."""
import csv
import json
import os
import re
import subprocess
import sys

ZERO_CELSIUS = 273.15  # K


class NotUnderstood(Exception):
    """The case, or a row of it, is of no form known here, or a program cannot be run."""


class Failed(Exception):
    """PodTwin did not finish what it was asked."""


class Case:
    def __init__(self, folder, keep, podtwin, library):
        self.folder, self.keep, self.podtwin, self.library = folder, keep, podtwin, library
        try:
            with open(os.path.join(folder, "expected.csv"), newline="", encoding="utf-8") as f:
                self.rows = list(csv.DictReader(f))
            readme = os.path.join(folder, "README.md")
            text = open(readme, encoding="utf-8").read() if os.path.exists(readme) else ""
            inputs = os.path.join(folder, "inputs.json")
            self.inputs = json.load(open(inputs, encoding="utf-8")) if os.path.exists(inputs) else {}
        except (OSError, ValueError) as error:
            raise NotUnderstood(str(error)) from error
        columns = {"scenario", "object", "quantity", "time_s", "value", "tol_abs", "tol_rel"}
        if not self.rows or not columns <= set(self.rows[0]):
            raise NotUnderstood("expected.csv has no rows or lacks one of the columns " + ", ".join(sorted(columns)))
        found = re.search(r"^## Problem\s*$(.*?)(?=^## |\Z)", text, re.M | re.S)
        self.problem = " ".join((found.group(1) if found else text).split())

    def has(self, *keys):
        return all(key in self.inputs for key in keys)

    def scenarios(self):
        return {row["scenario"] for row in self.rows}

    def write(self, name, text):
        with open(os.path.join(self.keep, name), "w", encoding="utf-8") as f:
            f.write(text)
        return name

    def run(self, *arguments):
        """Runs podtwin in the folder of the files made."""
        try:
            done = subprocess.run([self.podtwin, *arguments], cwd=self.keep, text=True, capture_output=True,
                                  check=False)
        except OSError as error:
            raise NotUnderstood(f"cannot run podtwin: {error}") from error
        if done.returncode != 0:
            raise Failed(f"podtwin {' '.join(arguments)}: exit status {done.returncode}\n{done.stderr.strip()[-2000:]}")

    def ask(self, requests):
        """Answers of the library: a list of numbers a request."""
        try:
            done = subprocess.run([self.library], input="\n".join(requests) + "\n", text=True, capture_output=True,
                                  check=False)
        except OSError as error:
            raise NotUnderstood(f"cannot run podtwin_library_cases: {error}") from error
        answers = done.stdout.splitlines()
        if done.returncode != 0 or len(answers) != len(requests):
            raise Failed(f"podtwin_library_cases: exit status {done.returncode}, "
                         f"{len(answers)} of {len(requests)} answers")
        return [parsed_answer(request, answer) for request, answer in zip(requests, answers)]


def parsed_answer(request, answer):
    if answer.startswith("error"):
        print(f"run_case: {request[:100]}: {answer}", file=sys.stderr)
        return None
    return [float(word) for word in answer.split()]


def label_values(label):
    """'T=5C;p=150000Pa' as {'T': 5.0, 'p': 150000.0}."""
    return {name: float(value) for name, value in re.findall(r"(\w+)=([-+]?[\d.]+(?:[eE][-+]?\d+)?)", label)}


def label_quantities(label):
    """'T=5C;p=3MPa;RH=50%' as {'T': 278.15, 'p': 3e6, 'RH': 0.5}: what has a unit in SI, what has none as it stands."""
    units = {"": (1.0, 0.0), "C": (1.0, ZERO_CELSIUS), "degC": (1.0, ZERO_CELSIUS), "K": (1.0, 0.0), "%": (0.01, 0.0),
             "Pa": (1.0, 0.0), "kPa": (1e3, 0.0), "MPa": (1e6, 0.0), "bar": (1e5, 0.0), "m": (1.0, 0.0),
             "km": (1e3, 0.0), "kg/kg": (1.0, 0.0), "kg/m3": (1.0, 0.0)}
    values = {}
    for part in label.split(";"):
        found = re.fullmatch(r"\s*(\w+)\s*=\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S*)\s*", part)
        if not found:
            raise NotUnderstood(f"'{part}' of '{label}' is no NAME=VALUE")
        scale, zero = known(units, found.group(3))
        values[found.group(1)] = float(found.group(2)) * scale + zero
    return values


def one_answer_a_row(case, request_of):
    """Values of rows that each need one number from the library."""
    return [None if answer is None else answer[0] for answer in case.ask([request_of(row) for row in case.rows])]


def known(names, name):
    if name not in names:
        raise NotUnderstood(f"'{name}' is none of {', '.join(sorted(map(str, names)))}")
    return names[name]
