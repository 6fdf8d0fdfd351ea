#!/usr/bin/python3
"""Checks result files with the tools people have: plain h5py, xarray through h5netcdf.

layout FILE ROWS          everything product.md section 3 asks of a whole file, and xarray opens each group
rows FILE:TIME[:ROWS]...  a file cut short: opens plainly, agrees with itself, holds all rows up to TIME
"""
import sys

import h5py
import numpy as np

GPUS = 300
UNKNOWNS = 700
STATE_ROWS = 50


def expected(signal, ids, rows):
    step = 0.25 if signal == 0 else 1.0
    row = np.arange(rows) % 4096
    return 1000.0 * (signal + 1) + np.arange(ids)[None, :] + row[:, None] * step


SIGNALS = {"gpu": (["t_junction", "power"], GPUS, 1), "pump": (["speed", "state", "energy"], 3, 10),
           "facility": (["it_power", "pue"], 1, 1), "chiller": (["power"], 0, 10)}


def check_rows(file, flushed):
    for group, (signals, ids, period) in SIGNALS.items():
        time = file["time" if group == "facility" else group + "/time"][:]
        assert np.array_equal(time, period * np.arange(len(time))), f"{group}/time is not whole"
        due = 0 if flushed < 0 else int(flushed // period) + 1
        assert len(time) >= due, f"{group} has {len(time)} rows, {due} were flushed"
        for number, name in enumerate(signals):
            values = file[group][name][:]
            assert len(values) == len(time), f"{group}/{name} has {len(values)} rows, time {len(time)}"
            assert np.array_equal(values.reshape(len(time), ids), expected(number, ids, len(time))), f"{group}/{name}"
    states = [file["restart"][name] for name in file["restart"]]
    due = 0 if flushed < 0 else int(flushed // STATE_ROWS) + 1
    assert len(states) >= due, f"{len(states)} states, {due} were flushed"
    for k, (name, state) in enumerate(zip(file["restart"], states)):
        time = STATE_ROWS * k
        assert name == f"{k:06d}" and state.attrs["time"] == time, f"restart/{name} is of {state.attrs['time']} s"
        assert state.attrs["pod_text_hash"] == "0123abc" and len(state.attrs["checksum"]) == 8
        assert np.array_equal(state["y"][:], expected(0, UNKNOWNS, time + 1)[time]), f"restart/{name}/y"
        assert np.array_equal(state["z"][:], [0.0, time]), f"restart/{name}/z"
        assert state["extra/000000"].attrs["key"] == "line" and len(state["extra/000000"]) == time % 4
        assert len(state["texts"]) == 0
    for group, scale in (("events", "event"), ("alarms", "alarm")):
        columns = file[group]
        count = len(columns[scale])
        due = 0 if flushed < 0 else int(flushed // 7) + 1
        assert count >= due, f"{group} has {count} rows, {due} were flushed"
        assert np.array_equal(columns[scale][:], 1 + np.arange(count))
        for name in columns:
            assert len(columns[name]) == count, f"{group}/{name}"
        texts = columns["text"].asstr()[:] if count else []
        assert all(text == f"event {k}" for k, text in enumerate(texts)), f"{group}/text"


def check_killed(argument):
    path, flushed = argument.split(":")[:2]
    with h5py.File(path) as file:
        assert file.attrs["complete"] == 0
        assert file["provenance/pod"].asstr()[()] == "podtwin: pod/1\n"
        assert file["gpu/id"].asstr()[GPUS - 1] == f"A01-G{GPUS}"
        check_rows(file, float(flushed))
        return len(file["gpu/time"])


def check_layout(path, rows):
    import xarray

    with h5py.File(path) as file:
        attributes = dict(file.attrs)
        assert attributes["Conventions"] == "CF-1.8"
        assert attributes["format_version"] == 1 and attributes["complete"] == 1
        assert attributes["simulated_start"] == "2026-07-15T00:00:00Z"
        assert attributes["created"] == "2026-08-01T12:00:00Z" and attributes["podtwin_version"]
        assert attributes["title"] == "Pump trip at noon – Prüfung"
        assert len(file["gpu/time"]) == rows
        check_rows(file, rows - 1)
        assert file["time"].attrs["units"] == "seconds since 2026-07-15T00:00:00Z"
        assert list(file["pump/id"].asstr()) == ["P1", "P2", "Pü"]
        assert file["gpu/rack"].asstr()[299] == "A05"

        def visit(name, item):
            if not isinstance(item, h5py.Dataset):
                return
            assert "units" in item.attrs and "long_name" in item.attrs, f"{name} lacks units or long_name"
            for axis in range(item.ndim):
                if not h5py.h5ds.is_scale(item.id):
                    assert len(item.dims[axis]) == 1, f"axis {axis} of {name} has no scale"
            if item.dtype.kind == "O":
                text = h5py.check_string_dtype(item.dtype)
                assert text.encoding == "utf-8" and text.length is None, name
            parts = name.split("/")
            if parts[0] in SIGNALS and item.dtype.kind != "O":
                assert item.chunks and item.shuffle and item.compression == "gzip", f"{name} is not compressed"
        file.visititems(visit)
        assert file["gpu/power"].dtype == np.float32 and file["pump/state"].dtype == np.int32
        assert file["pump/energy"].dtype == np.float64
        assert file["gpu/power"].dims[0][0] == file["gpu/time"] and file["gpu/power"].dims[1][0] == file["gpu/id"]
        assert file["facility/pue"].dims[0][0] == file["time"]
        assert file["chiller/power"].shape[1] == 0
        assert file["events/time"][1] == 7.123 and file["alarms/active"][1] == 0 and file["alarms/limit"][0] == 358.15
        assert file["summary/energy"][()] == 12.5 and file["summary/energy"].attrs["units"] == "J"
        assert file["summary/hottest_gpu"].asstr()[()] == "A01-G7"
        assert file["balance/thermal_relative"][()] == 1e-9
        assert file["provenance/wall/duration"].asstr()[()] == "1.5 s"
        names = list(file)

    for group in names:
        if group == "time":
            continue
        with xarray.open_dataset(path, engine="h5netcdf", group=group) as data:
            if group in ("gpu", "pump", "chiller"):
                assert set(data.coords) >= {"time", "id"}, f"{group} has coordinates {list(data.coords)}"
            if group in ("events", "alarms"):
                assert set(data.coords) >= {group[:-1]}
            if group == "gpu":
                assert data.time.values[1] == np.datetime64("2026-07-15T00:00:01")
                assert float(data.power.sel(id="A01-G2").isel(time=3)) == 2004.0
                assert list(data.rack.dims) == ["id"]
            if group == "pump":
                assert data.state.dtype == np.int32, "integers must stay integers"
            data.load()
    with xarray.open_dataset(path, engine="h5netcdf", group="restart/000000") as data:
        assert data.y.shape == (UNKNOWNS,)
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert "time" in data.coords and len(data.time) == rows


if sys.argv[1] == "layout":
    check_layout(sys.argv[2], int(sys.argv[3]))
else:
    kept = []
    failed = 0
    for one in sys.argv[2:]:
        try:
            kept.append(check_killed(one))
        except Exception as error:  # every file is looked at, then all failures are told
            failed += 1
            print(f"{one}: {type(error).__name__}: {error}")
    print(f"{len(kept)} good, {failed} bad, rows {min(kept, default=0)}..{max(kept, default=0)}")
    sys.exit(1 if failed else 0)
