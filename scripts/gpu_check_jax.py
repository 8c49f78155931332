#!/usr/bin/env python3
"""Times programs that JAX exported on the device that JAX finds: gpu_check_jax.py CASE...

A CASE is a folder with module.jax_export or module.mlir, and input_N.npy. A line is the case's name and the median
in ms. JAX rounds f32 to TF32 in products, unless the environment says NVIDIA_TF32_OVERRIDE=0.
"""
import dataclasses
import os
import statistics
import sys
import time

import jax
import jax.export
import numpy as np

jax.config.update("jax_enable_x64", True)


def inputs(case):
    list_ = []
    while os.path.exists(os.path.join(case, f"input_{len(list_)}.npy")):
        list_.append(np.load(os.path.join(case, f"input_{len(list_)}.npy")))
    return list_


def exported(case):
    """A program that JAX exported, for another platform."""
    with open(os.path.join(case, "module.jax_export"), "rb") as f:
        program = jax.export.deserialize(bytearray(f.read()))
    program = dataclasses.replace(program, platforms=(jax.devices()[0].platform.replace("gpu", "cuda"),))
    call = jax.jit(program.call)
    args = [jax.device_put(x.astype(a.dtype).reshape(a.shape)) for x, a in zip(inputs(case), program.in_avals)]
    return lambda: jax.block_until_ready(call(*args))


def text(case):
    """A program that is text only."""
    from jax._src import compiler
    from jax._src.lib import lapack, xla_client
    lapack._lapack.initialize()  # else a program that calls it ends the process, on a CPU
    device = jax.devices()[0]
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    with open(os.path.join(case, "module.mlir")) as f:
        program = device.client.compile_and_load(f.read(), xla_client.DeviceList((device,)), options)
    args = [jax.device_put(x) for x in inputs(case)]
    return lambda: jax.block_until_ready(program.execute_sharded(args).disassemble_into_single_device_arrays())


def median(case, seconds=0.4):
    run = (exported if os.path.exists(os.path.join(case, "module.jax_export")) else text)(case)
    run()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times)


for case in sys.argv[1:]:
    name = os.path.basename(case.rstrip("/"))
    try:
        print(name, f"{median(case):.3f}", sep="\t", flush=True)
    except Exception as e:  # one program that JAX cannot run must not end the others
        print(f"{name}: {type(e).__name__}: {str(e)[:100]}", file=sys.stderr)
