#!/usr/bin/env python3
"""Times programs that JAX exported on the device that JAX finds: gpu_check_jax.py CASE...

A CASE is a folder with module.jax_export and input_N.npy. A line is the case's name and the median in ms.
"""
import dataclasses
import os
import statistics
import sys
import time

import jax
import jax.export
import numpy as np


def inputs(case):
    list_ = []
    while os.path.exists(os.path.join(case, f"input_{len(list_)}.npy")):
        list_.append(np.load(os.path.join(case, f"input_{len(list_)}.npy")))
    return list_


def median(case, seconds=0.5):
    with open(os.path.join(case, "module.jax_export"), "rb") as f:
        exported = jax.export.deserialize(bytearray(f.read()))
    exported = dataclasses.replace(exported, platforms=(jax.devices()[0].platform.replace("gpu", "cuda"),))
    call = jax.jit(exported.call)
    args = [jax.device_put(x.astype(a.dtype).reshape(a.shape)) for x, a in zip(inputs(case), exported.in_avals)]
    jax.block_until_ready(call(*args))
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        jax.block_until_ready(call(*args))
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times)


for case in sys.argv[1:]:
    name = os.path.basename(case.rstrip("/"))
    try:
        print(name, f"{median(case):.3f}", sep="\t", flush=True)
    except Exception as e:  # one program that JAX cannot run must not end the others
        print(f"{name}: {type(e).__name__}: {str(e)[:100]}", file=sys.stderr)
