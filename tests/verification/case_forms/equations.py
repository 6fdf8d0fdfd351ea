"""Cases of differential and algebraic equations that are written as text: the solvers alone."""
import math
import re

from .case import NotUnderstood, known


class Polynomial:
    """Sums, products and whole powers of unknowns and constants, from text such as '0.04 y1 - 1e4 y2 y3'."""

    def __init__(self, text, unknowns, constants):
        self.text, self.unknowns, self.constants = text, unknowns, constants
        self.words = re.findall(r"\d+\.?\d*(?:[eE][-+]?\d+)?|[A-Za-z]\w*|[-+*/^()]|\S", text)
        self.at = 0
        self.terms = self.sum()
        if self.at != len(self.words):
            raise NotUnderstood(f"cannot read '{text}' at '{self.words[self.at]}'")

    def peek(self):
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def sum(self):
        total = {}
        sign = -1.0 if self.peek() == "-" else 1.0
        if self.peek() in ("+", "-"):
            self.take()
        while True:
            for powers, value in self.product().items():
                total[powers] = total.get(powers, 0.0) + sign * value
            if self.peek() not in ("+", "-"):
                return total
            sign = -1.0 if self.take() == "-" else 1.0

    def product(self):
        total = self.power()
        while self.peek() and self.peek() not in ("+", "-", ")"):
            divide = self.peek() == "/"
            if self.peek() in ("*", "/"):
                self.take()
            factor = self.power()
            if divide:
                if set(factor) != {self.one()}:
                    raise NotUnderstood(f"'{self.text}' divides by an unknown")
                factor = {self.one(): 1.0 / factor[self.one()]}
            total = self.times(total, factor)
        return total

    def power(self):
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        result = {self.one(): 1.0}
        for _ in range(int(self.take())):
            result = self.times(result, base)
        return result

    def atom(self):
        if not self.peek():
            raise NotUnderstood(f"'{self.text}' ends too early")
        word = self.take()
        if word == "(":
            inner = self.sum()
            if not self.peek() or self.take() != ")":
                raise NotUnderstood(f"a bracket stays open in '{self.text}'")
            return inner
        if word in self.unknowns:
            return {tuple(int(u == word) for u in self.unknowns): 1.0}
        if word in self.constants:
            return {self.one(): self.constants[word]}
        if word[0].isdigit():
            return {self.one(): float(word)}
        raise NotUnderstood(f"'{word}' in '{self.text}' is neither an unknown nor a constant of the statement")

    def one(self):
        return (0,) * len(self.unknowns)

    @staticmethod
    def times(a, b):
        result = {}
        for pa, va in a.items():
            for pb, vb in b.items():
                powers = tuple(x + y for x, y in zip(pa, pb))
                result[powers] = result.get(powers, 0.0) + va * vb
        return result


def library_form(polynomials):
    """The request form of podtwin_library_cases: n, number of terms, row coefficient exponents..."""
    terms = [(row, value, powers) for row, p in enumerate(polynomials)
             for powers, value in p.terms.items() if value != 0.0]
    words = [str(len(polynomials)), str(len(terms))]
    for row, value, powers in terms:
        words += [str(row), repr(value), *map(str, powers)]
    return " ".join(words)


def rates_of(case):
    """(unknowns, right-hand sides as text) of y1' = ... in the inputs or the problem statement."""
    text = "; ".join(case.inputs["equations"]) if case.has("equations") else case.problem
    found = re.findall(r"\b([a-z]\d+)' = (.+?)(?=;|,\s|\.(?:\s|$)|$)", text)
    return [name for name, _ in found], [side for _, side in found]


def start_of(case):
    found = re.search(r"\by\(0\) = \(([^)]*)\)", case.problem)
    return [float(word) for word in found.group(1).split(",")] if found else []


def is_ode(case):
    unknowns, _ = rates_of(case)
    return bool(unknowns) and len(start_of(case)) == len(unknowns)
METHOD = "cvode 1e-11"


def ode(case):
    unknowns, sides = rates_of(case)
    constants = {name: float(value)
                 for name, value in re.findall(r"\b([a-z]\w*) = ([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?)", case.problem)
                 if name not in unknowns}
    system = library_form([Polynomial(side, unknowns, constants) for side in sides])
    start = " ".join(map(repr, start_of(case)))
    times = sorted({float(row["time_s"]) for row in case.rows if row["time_s"] and row["object"] in unknowns})
    answer = case.ask([f"ode {METHOD} {system} {start} " + " ".join(map(repr, times))])[0]
    values = []
    for row in case.rows:
        event = re.match(r"root_time_(\w+)=(.+)$", row["quantity"])
        van_der_pol = re.match(r"vdp_mu([\d.]+)$", row["quantity"])
        if event:
            index = known({name: i for i, name in enumerate(unknowns)}, event.group(1))
            reply = case.ask([f"event {METHOD} {system} {start} {index} {float(event.group(2))!r} 1e12"])[0]
            values.append(None if reply is None else reply[0])
        elif van_der_pol:  # x'' - mu (1 - x^2) x' + x = 0 from x = 2, x' = 0, as its label says
            equations = [Polynomial(t, ["x", "v"], {"mu": float(van_der_pol.group(1))})
                         for t in ("v", "mu (1 - x^2) v - x")]
            reply = case.ask([f"ode {METHOD} {library_form(equations)} 2.0 0.0 {float(row['time_s'])!r}"])[0]
            values.append(None if reply is None else reply[0])
        elif row["object"] in unknowns and row["time_s"]:
            place = times.index(float(row["time_s"])) * len(unknowns) + unknowns.index(row["object"])
            values.append(None if answer is None else answer[place])
        else:
            raise NotUnderstood(f"row {row['scenario']},{row['object']},{row['quantity']}")
    return values


def is_nonlinear(case):
    return all(s == "robot_kinematics" or s.startswith("ferraris_tronconi:root") for s in case.scenarios())


def nonlinear(case):
    starts = re.findall(r"from \(([^)]*)\)", case.problem)
    answers = {}
    for scenario in case.scenarios():
        if scenario == "robot_kinematics":
            texts = [t.split("=") for t in known(case.inputs, scenario)]
            unknowns = [f"x{i}" for i in range(1, len(texts) + 1)]
            system = library_form([Polynomial(f"{left} - ({right})", unknowns, {}) for left, right in texts])
            start = " ".join([repr(math.sqrt(2.0) / 2.0)] * len(unknowns))
            answers[scenario] = case.ask([f"polynomial_root -1 1 {system} {start}"])[0]
        else:
            number = int(scenario.rsplit("root", 1)[1])
            if number > len(starts):
                raise NotUnderstood(f"the statement gives no start for {scenario}")
            answers[scenario] = case.ask(["ferraris_tronconi " + starts[number - 1].replace(",", " ")])[0]
    return [None if answers[row["scenario"]] is None else answers[row["scenario"]][int(row["object"][1:]) - 1]
            for row in case.rows]


FORMS = [(is_nonlinear, nonlinear), (is_ode, ode)]
