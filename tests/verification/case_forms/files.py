"""Pod and scenario files that cases are turned into, and what the program made of them."""
import csv
import os

RTOL = "0.0000000001"
# Just behind the sharp front of a plug CVODE finds no step that meets RTOL.
RTOL_OF_FRONTS = "0.00000001"


def yaml_text(head, sections):
    """A file of flow-style lines: {section: {key: text}} or {section: [text]}."""
    out = head
    for section, entries in sections.items():
        out += f"{section}:\n"
        if isinstance(entries, dict):
            out += "".join(f"  {key}: {value}\n" for key, value in entries.items())
        else:
            out += "".join(f"  - {value}\n" for value in entries)
    return out


def write_pod(case, name, title, **sections):
    return case.write(f"{name}.yaml", yaml_text(f"podtwin: pod/1\ntitle: {title}\n", sections))


def write_scenario(case, name, pod, duration, dry_bulb=20.0, record=(), period=1.0, start="cold",
                   rtol=RTOL, **sections):
    head = (f"podtwin: scenario/1\npod: {pod}\nstart: 2026-01-01T00:00:00Z\nduration: {duration!r} s\n"
            f"weather: {{dry_bulb: {dry_bulb!r} degC, relative_humidity: 40 %}}\nsolver: {{method: cvode, "
            f"rtol: {rtol}}}\nfrom: {start}\n")
    records = [f"{{class: {group}, signals: [\"*\"], period: {period!r} s}}" for group in record]
    return case.write(f"{name}.yaml", yaml_text(head, {**sections, **({"record": records} if records else {})}))


def read_recorded(path, group, signal, place):
    """{id: value recorded at a place of the rows}."""
    import h5py
    with h5py.File(path, "r") as f:
        ids = [i.decode() if isinstance(i, bytes) else i for i in f[group]["id"][:]]
        return dict(zip(ids, map(float, f[group][signal][place])))


def read_last(path, group, signal):
    return read_recorded(path, group, signal, -1)


def read_first(path, group, signal):
    return read_recorded(path, group, signal, 0)


def first_event(path, equipment_id):
    """Time [s] of the first event on an instance, None without one."""
    import h5py
    with h5py.File(path, "r") as f:
        events = f["events"]
        times = [float(time) for time, equipment in zip(events["time"][:], events["equipment"][:])
                 if equipment.decode() == equipment_id]
        return min(times, default=None)


def last_values(case, pod, times, group, signal, dry_bulb=20.0, **sections):
    """{time: {id: value}}. A result holds a value each base period and at the end, so each time is a run of its own."""
    values = {}
    for number, time in enumerate(sorted(times)):
        name = f"to-{number}"
        scenario = write_scenario(case, name, pod, time, dry_bulb, [group], time, **sections)
        case.run("run", scenario, "-o", f"{name}.h5", "--force", "--quiet")
        values[time] = read_last(os.path.join(case.keep, f"{name}.h5"), group, signal)
    return values


def row_times(case, keep=lambda row: True):
    return {float(row["time_s"]) for row in case.rows if row["time_s"] and keep(row)}


def steady_table(case, file, group):
    """Finds the steady state of a file: read_table() of it."""
    case.run("steady", file, "--csv", "steady")
    return read_table(case, group)


def fault_levels(case, file):
    """Fault levels at the steady state of a file: read_table() of them."""
    case.run("steady", file, "--csv", "steady", "--short-circuit")
    return read_table(case, "short_circuit")


def read_table(case, group):
    """{id: {signal: value}} of the last `podtwin steady --csv`, SI and kelvin."""
    with open(os.path.join(case.keep, "steady", f"{group}.csv"), newline="", encoding="utf-8") as f:
        return {row["id"]: {name.split(" [")[0]: float(value) for name, value in row.items() if name != "id" and value}
                for row in csv.DictReader(f)}


# Recorded temperatures are single precision, 2e-5 K near 300 K. A sensor's `true` signal records the difference to a
# body of constant temperature instead.
def difference(node, reference):
    return f"{{class: sensor, measures: {node}.t, minus: {reference}.t}}"
