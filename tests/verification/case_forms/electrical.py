"""Cases of electrical functions: sequence components of three phases, times of overcurrent relays."""
from .case import Failed, NotUnderstood, known, label_values, one_answer_a_row

BALANCE = ("neutral_current", "I0", "I1", "I2", "I2_over_I1", "I0_over_I1", "max_dev_from_mean")


def is_phase_balance(case):
    return {row["quantity"] for row in case.rows} == set(BALANCE) and case.has("cases")


def phase_balance(case):
    points = {point["id"]: point["I"] for point in case.inputs["cases"]}
    requests = ["phase_balance " + " ".join(f"{size!r} {angle!r}" for size, angle in phases)
                for phases in points.values()]
    answers = dict(zip(points, case.ask(requests)))
    values = []
    for row in case.rows:
        answer = known(answers, row["scenario"])
        if answer is None:
            raise Failed(row["scenario"])
        values.append(known(dict(zip(BALANCE, answer)), row["quantity"]))
    return values


def is_relay(case):
    return case.has("IEC", "IEEE", "M", "TMS_or_TD", "profiles")


LONG = 1e9  # s: the last piece of a profile holds on


def pieces(profile):
    """Duration and multiples of the pickup at both ends of each piece; steps are given as durations."""
    if profile["kind"] == "ramp":
        span = 1e3  # s
        return [(span, profile["M0"], profile["M0"] + profile["rate"] * span)]
    if profile["kind"] != "steps":
        raise NotUnderstood(f"profile of kind {profile['kind']}")
    out = []
    for length, multiple in profile["M"]:
        out.append((LONG if length is None else length, multiple, multiple))
    return out


def relay(case):
    """The constants of the curves are the library's own; those of the inputs only name them."""
    profiles = {profile["id"]: profile for profile in case.inputs["profiles"]}

    def request(row):
        if row["scenario"] == "profile":
            profile = known(profiles, row["object"])
            curve, multiplier, course = profile["curve"], profile["TMS"], pieces(profile)
        else:
            at = label_values(row["object"])
            curve, multiplier, course = row["scenario"], at["TMS"], [(LONG, at["M"], at["M"])]
        numbers = " ".join(f"{x!r}" for piece in course for x in piece)
        return f"relay_trip {curve.replace(' ', '_')} {multiplier!r} {numbers}"
    return one_answer_a_row(case, request)


FORMS = [(is_phase_balance, phase_balance), (is_relay, relay)]
