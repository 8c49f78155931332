#!/usr/bin/env python3
"""Checks that JAX reads and runs what halo writes as bytecode, with the answers that the programs have.

    python3 -m venv .venv
    .venv/bin/pip install jax==0.12.0.1
    .venv/bin/python scripts/check_bytecode.py HALO FOLDER...

HALO is the tool. Each folder below FOLDER with a program, input_N.npy and expected_N.npy is a case, as halo check has
it. Its program is converted to bytecode, read by the StableHLO library inside JAX, and run on the CPU. --part 1/3 takes
the first of every three cases; the parts are all of them.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 --xla_allow_excess_precision=false"

try:
    import jax
    import ml_dtypes
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib import lapack
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
except ImportError as err:
    sys.exit(f"check_bytecode: {err}: pip install jax==0.12.0.1 brings what it needs")

jax.config.update("jax_enable_x64", True)
lapack._lapack.initialize()  # or its custom calls have no library

# What JAX says of custom calls that the CPU does not have, and of dynamic shapes, which it wants refined.
LACKS = ("UNIMPLEMENTED", "No registered implementation", "No FFI handler", "can't be translated", "Unbounded dynamism",
         "not registered", "NOT_FOUND", "Unknown opcode: real-dynamic-", "Unknown opcode: dynamic-")

FORMS = ("module.mlir.bc", "module.mlir", "module.hlo")


class Unsupported(Exception):
    """The tool refuses to write the program, or JAX lacks a function that it calls."""


class Skip(Exception):
    """The case cannot be judged."""


def convert(halo, source, to, target, version):
    command = [halo, "convert", str(source), "--to", to, "-o", str(target)]
    done = subprocess.run(command + (["--vhlo", version] if version else []), capture_output=True, text=True)
    if done.returncode:
        raise Unsupported(done.stderr.strip()[:300])


def load_artifact(path):
    """Returns the program as JAX has it after it read the artifact, and compiled."""
    with mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, path.read_bytes())
        if isinstance(module, bytes):
            module = ir.Module.parse(module)
        devices = jax.devices("cpu")[:1]
        options = xla_client.CompileOptions()
        return devices[0].client.compile_and_load(module, xla_client.DeviceList(tuple(devices)), options), types(module)


def one_device(halo, source):
    """Skips programs of several devices, which an execution on one does not mean."""
    done = subprocess.run([halo, "inspect", "--json", str(source)], capture_output=True, text=True)
    about = json.loads(done.stdout) if done.returncode == 0 else {}
    if about.get("num_replicas", 1) * about.get("num_partitions", 1) > 1:
        raise Skip("runs on several devices")


def types(module):
    """Returns the element types of the arguments of main."""
    for op in module.body.operations:
        if op.attributes["sym_name"].value == "main":
            function = op.type if hasattr(op, "type") else ir.FunctionType(op.attributes["function_type"].value)
            return [str(ir.RankedTensorType(t).element_type) for t in function.inputs]
    return []


def argument(path, element):
    """Reads an array; raw bits take the program's type."""
    a = np.load(path)
    names = {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "i4": "int4", "ui4": "uint4",
             "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
             "i2": "int2", "ui2": "uint2", "f4E2M1FN": "float4_e2m1fn", "f8E4M3": "float8_e4m3",
             "f8E3M4": "float8_e3m4", "f8E8M0FNU": "float8_e8m0fnu"}
    if element in names:
        dtype = np.dtype(getattr(ml_dtypes, names[element]))
        if a.dtype != dtype:
            a = a.view(dtype) if a.dtype.itemsize == dtype.itemsize else a.astype(dtype)
    return a


def wide(a):
    a = np.asarray(a)
    if a.dtype.kind in "fciub":
        return a
    return a.astype(np.float64)


def judge(got, want, meta, number):
    """Returns what is wrong with a result, None if nothing."""
    if want.dtype != got.dtype and want.dtype.itemsize == got.dtype.itemsize and want.dtype.kind in "Vu":
        want = want.view(got.dtype)
    if got.shape != want.shape:
        return f"result {number} has the shape {got.shape}, want {want.shape}"
    if meta.get("judge") == "shape":
        return None
    tolerance = meta.get("tolerance") or {}
    if isinstance(tolerance, list):
        tolerance = tolerance[number] if number < len(tolerance) else {}
    got, want = wide(got), wide(want)
    if meta.get("judge") == "abs":
        got, want = np.abs(got), np.abs(want)
    if got.dtype.kind in "fc":
        rtol, atol = tolerance.get("rtol", 1e-5), tolerance.get("atol", 1e-6)
        close = np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    else:
        close = got == want
    if not np.all(close):
        at = tuple(np.argwhere(~close)[0])
        return f"result {number} at {at}: got {got[at]}, want {want[at]}"
    return None


def inputs(folder, meta, elements):
    if meta.get("num_replicas", 1) * meta.get("num_partitions", 1) > 1 or isinstance(meta.get("weights"), dict):
        raise Skip("runs on several devices, or takes its weights from a file")
    return [argument(folder / f"input_{i}.npy", element) for i, element in enumerate(elements)]


def check(options, folder, source, scratch):
    meta = json.loads((folder / "meta.json").read_text()) if (folder / "meta.json").exists() else {}
    target = scratch / "module"
    convert(options.halo, source, options.to, target, options.vhlo)
    one_device(options.halo, source)
    try:
        results = run(target, folder, meta, options.load)
    except Skip:
        raise
    except Exception as e:
        if any(sign in str(e) for sign in LACKS):
            raise Unsupported(str(e)[:200]) from e
        if source.suffix == ".bc" and str(e) == refusal(source, folder, meta):
            raise Unsupported("JAX says so of the producer's file too: " + str(e)[:200]) from e
        raise
    if not (folder / "expected_0.npy").exists():
        raise Skip("has no answers")
    wanted = next(i for i in itertools.count() if not (folder / f"expected_{i}.npy").exists())
    if len(results) != wanted:
        raise AssertionError(f"{len(results)} results, want {wanted}")
    for i, r in enumerate(results):
        wrong = judge(np.asarray(r), np.load(folder / f"expected_{i}.npy"), meta, i)
        if wrong:
            raise AssertionError(wrong)


def run(path, folder, meta, load):
    """Returns the results of a program as JAX runs it."""
    executable, elements = load(path)
    arrays = [jax.device_put(a, jax.devices("cpu")[0]) for a in inputs(folder, meta, elements)]
    return [r[0] for r in executable.execute_sharded(arrays).disassemble_into_single_device_arrays()]


def refusal(path, folder, meta):
    """Returns what JAX says of an artifact that it does not run."""
    try:
        run(path, folder, meta, load_artifact)
    except Exception as e:
        return str(e)
    return ""


def cases(roots, form):
    """Returns the folders with a program, and the program's file."""
    found = []
    for root in roots:
        for folder in sorted({f.parent for f in root.rglob("module.*")}):
            source = next((folder / f for f in ([form] if form else FORMS) if (folder / f).exists()), None)
            if source is not None:
                found.append((folder, source))
    return found


def outcome(options, folder, source, scratch):
    """Returns the status of a case and what is to be said about it."""
    try:
        check(options, folder, source, scratch)
        return "pass", ""
    except Unsupported as e:
        return "unsupported", str(e)
    except Skip as e:
        return "skip", str(e)
    except Exception as e:
        return "fail", f"{type(e).__name__}: {e}"[:300]


def main(text, to, load):
    """Checks what halo converts to a form, which load reads and compiles. text is the help."""
    arguments = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.set_defaults(to=to, load=load)
    arguments.add_argument("halo")
    arguments.add_argument("folders", nargs="+", type=pathlib.Path)
    arguments.add_argument("--vhlo", default="", help="version of VHLO to write")
    arguments.add_argument("--form", default="", help="file to convert; the first that is there if empty")
    arguments.add_argument("--part", default="1/1", help="i/n: the i-th of n parts")
    options = arguments.parse_args()
    part, parts = map(int, options.part.split("/"))
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for folder, source in cases(options.folders, options.form)[part - 1::parts]:
            status, message = outcome(options, folder, source, pathlib.Path(scratch))
            counts[status] += 1
            if status != "pass":
                print(status, folder.name, message.replace("\n", " "))
    print(", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    return 1 if counts["fail"] else 0


if __name__ == "__main__":
    sys.exit(main(__doc__, "bytecode", load_artifact))
