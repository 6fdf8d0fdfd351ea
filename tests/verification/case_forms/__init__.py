"""Forms of reference cases: for each what tells it by its inputs and labels, and what turns it into values a row.

A module is one subject and lists its forms as (accepts, solve): accepts(case) is true when the case is of the form;
solve(case) gives one value an expected row, None where there is none. Nothing looks at a case's name or expected values.
"""
from . import (air_and_steam, batteries, buffer, cdu_loop, chillers, control, conversion, coupled_loops, electrical,
    epanet, equations, exchangers, facility, functions, generators, hydraulics, lumps, pipes, power_flow, rack,
    towers, transformers)

MODULES = (functions, air_and_steam, towers, equations, hydraulics, epanet, lumps, control, buffer, rack, facility,
    pipes, exchangers, coupled_loops, cdu_loop, chillers, batteries, conversion, electrical, generators, power_flow,
    transformers)
FORMS = [form for module in MODULES for form in module.FORMS]
