#!/usr/bin/env python3
"""bench-ffi.py [HALO]: what a call of a typed FFI function costs in XLA:CPU and in halo, beside the function's work.

One function in C adds 1 to a number. Two programs call it CALLS and 1 times, one call on the result of another; both
runtimes run both, and the difference is divided by the number of calls. Needs jax, numpy and a C compiler; HALO is the
tool, by default the one on the path. Each figure is the best of ROUNDS runs, since all else on a machine only adds.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import numpy as np

CALLS, ROUNDS = 1001, 200
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "customcall", "testdata", "functions.c")
# The exports that the process has in halo; jaxlib has none.
STATUS = """
void XlaCustomCallStatusSetSuccess(void* s) {}
void XlaCustomCallStatusSetFailure(void* s, char* m, long n) {}
"""


def build(folder):
    library = os.path.join(folder, "libfunctions.so")
    stub = os.path.join(folder, "status.c")
    with open(stub, "w") as f:
        f.write(STATUS)
    include = os.path.join(HERE, "..", "ffi", "include")
    flags = ["-O2", "-std=gnu11", "-shared", "-fPIC", "-pthread", "-I" + include]
    subprocess.run(["cc", *flags, SOURCE, stub, "-o", library], check=True)
    return library


def chain(calls):
    shape = jax.ShapeDtypeStruct((), np.float32)

    def f(x):
        for _ in range(calls):
            x = jax.ffi.ffi_call("add_one", shape)(x)
        return x

    return jax.jit(f)


def best(run):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def in_xla(calls):
    x = jax.device_put(np.float32(3))
    f = chain(calls).lower(x).compile()
    assert float(f(x)) == 3 + calls
    return best(lambda: f(x).block_until_ready())


def in_halo(tool, folder, calls):
    path = os.path.join(folder, f"chain{calls}.mlir")
    with open(path, "w") as f:
        f.write(chain(calls).lower(jax.ShapeDtypeStruct((), np.float32)).as_text())
    env = dict(os.environ, HALO_PLUGIN_PATH=folder)
    out = subprocess.run([tool, "bench", path, "--runs", str(ROUNDS), "--json", "-"], env=env, check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out.strip().splitlines()[-1])["p10_ms"] / 1e3


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else "halo"
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
        handle = ctypes.CDLL(library)
        jax.ffi.register_ffi_target("add_one", jax.ffi.pycapsule(handle.add_one), platform="cpu")
        for name, run in (("XLA:CPU", in_xla), ("halo", lambda n: in_halo(tool, folder, n))):
            one, many = run(1), run(CALLS)
            print(f"{name}: {(many - one) / (CALLS - 1) * 1e9:.0f} ns a call, {one * 1e6:.1f} us for a program of one")


if __name__ == "__main__":
    main()
