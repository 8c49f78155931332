#!/usr/bin/env python3
"""Checks programs with dimensions of unknown size at three sizes against JAX's answers.

    python3 -m venv .venv
    .venv/bin/pip install jax==0.12.0.1
    .venv/bin/python scripts/check_dynamic.py HALO FOLDER...

HALO is the tool. It runs, on both backends, what scripts/export/dynamic.py makes with JAX's symbolic shapes, and each
program below FOLDER whose main has arguments of unknown sizes. Of those, JAX gets a copy whose main has the sizes and
calls the one of the file; it infers the other shapes by the StableHLO library's refinement, compiles and runs it.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_allow_excess_precision=false"

try:
    import jax
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
except ImportError as err:
    sys.exit(f"check_dynamic: {err}: pip install jax==0.12.0.1 brings what it needs")

sys.path.insert(0, str(pathlib.Path(__file__).parent / "export"))
import dynamic
import recipe

jax.config.update("jax_enable_x64", True)

SIZES = (2, 3, 6)
COUNTS = {"tensor<i64>": "int64", "tensor<i32>": "int32"}  # scalar arguments are sizes
TOLERANCE = {"f64": 1e-12, "f32": 2e-5, "complex<f32>": 2e-5, "complex<f64>": 1e-12, "f16": 2e-3, "bf16": 2e-2}


def main_type(text):
    """Returns the types of main's arguments and results as text; None if none is of unknown size."""
    with mlir.make_ir_context():
        for op in ir.Module.parse(text).body.operations:
            if op.attributes["sym_name"].value == "main":
                t = ir.FunctionType(op.attributes["function_type"].value)
                inputs = [str(i) for i in t.inputs]
                return (inputs, [str(r) for r in t.results]) if any("?" in i for i in inputs) else None
    return None


def at_size(text, inputs, results, n):
    """Returns the program with a main of known sizes that calls the old one. Scalar integers are the size."""
    arguments, body, call = [], [], []
    for i, t in enumerate(inputs):
        if t in COUNTS:
            body.append(f"%s{i} = stablehlo.constant dense<{n}> : {t}")
            call.append(f"%s{i}")
            continue
        arguments.append(f"%a{i}: {t.replace('?', str(n))}")
        body.append(f"%c{i} = stablehlo.convert %a{i} : ({t.replace('?', str(n))}) -> {t}")
        call.append(f"%c{i}")
    returned = ", ".join(f"%r#{k}" for k in range(len(results)))
    out = ", ".join(results)
    body.append(f"%r:{len(results)} = call @dynamic_main({', '.join(call)}) : ({', '.join(inputs)}) -> ({out})")
    body.append(f"return {returned} : {out}")
    text = text.replace("func.func public @main(", "func.func private @dynamic_main(")
    text = text.replace("func.func @main(", "func.func private @dynamic_main(")
    wrapper = f"func.func public @main({', '.join(arguments)}) -> ({out}) {{\n  " + "\n  ".join(body) + "\n}\n"
    end = text.rindex("}")
    return text[:end] + wrapper + text[end:] if re.search(r"^\s*module\b", text, re.M) else text + wrapper


def jax_answers(text, arrays):
    """Runs a program whose main has known sizes."""
    with mlir.make_ir_context():
        module = mlir.refine_polymorphic_shapes(ir.Module.parse(text))
        devices = jax.devices("cpu")[:1]
        executable = devices[0].client.compile_and_load(
            module, xla_client.DeviceList(tuple(devices)), xla_client.CompileOptions())
    placed = [jax.device_put(a, devices[0]) for a in arrays]
    return [np.asarray(r[0]) for r in executable.execute_sharded(placed).disassemble_into_single_device_arrays()]


def random_array(t, n, rng):
    """Returns random elements of a tensor type."""
    dims, element = re.fullmatch(r"tensor<((?:[0-9?]+x)*)(.*)>", t).groups()
    shape = [n if d == "?" else int(d) for d in dims.split("x")[:-1]]
    if element.startswith("complex"):
        half = "f4" if "f32" in element else "f8"
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("c8" if half == "f4" else "c16")
    if element == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if element.lstrip("su").startswith("i"):
        sign = "u" if element.startswith("u") else ""
        return rng.integers(0, 5, shape).astype(f"{sign}int{element.lstrip('sui')}")
    if element == "bf16":
        return rng.standard_normal(shape).astype(jax.numpy.bfloat16)
    return rng.standard_normal(shape).astype({"f16": "f2", "f32": "f4", "f64": "f8"}[element])


def raw(a):
    """Returns an array as numpy can save it: elements that numpy lacks as their bits."""
    a = np.asarray(a)
    return a.view(f"u{a.dtype.itemsize}") if a.dtype.kind == "V" or a.dtype.name == "bfloat16" else a


def tolerance(t):
    element = re.fullmatch(r"tensor<(?:[0-9?]+x)*(.*)>", t).group(1)
    return {"rtol": TOLERANCE.get(element, 0), "atol": TOLERANCE.get(element, 0)}


def write_case(folder, path, inputs, results, n, seed):
    """Writes a case folder: the program as it is, its inputs at a size and JAX's answers."""
    rng, text = np.random.default_rng(seed), path.read_text()
    arrays = [np.asarray(n, COUNTS[t]) if t in COUNTS else random_array(t, n, rng) for t in inputs]
    answers = jax_answers(at_size(text, inputs, results, n), [a for a, t in zip(arrays, inputs) if t not in COUNTS])
    folder.mkdir(parents=True)
    (folder / "module.mlir").write_text(text)
    recipe.finish(folder, [raw(a) for a in arrays], [raw(a) for a in answers])
    (folder / "meta.json").write_text(json.dumps({"name": folder.name, "tolerance": [tolerance(t) for t in results]}))


def corpus(roots, out):
    """Writes the cases of all programs below the roots; returns how many programs, and what JAX refuses."""
    programs, refused = 0, []
    for path in sorted(p for root in roots for p in pathlib.Path(root).rglob("*.mlir") if "x?" in p.read_text()
                       or "<?" in p.read_text()):
        try:
            types = main_type(path.read_text())
        except ir.MLIRError:
            types = None
        if types is None:
            continue
        programs += 1
        for n in SIZES:
            try:
                write_case(out / f"{path.parent.name}_{path.stem}_{n}", path, *types, n, seed=n)
            except Exception as error:
                refused.append(f"{path.name} at {n}: {str(error).splitlines()[0][:160]}")
    return programs, refused


def check(halo, folder, title):
    """Runs all cases below a folder on both backends and prints the counts; returns whether all passed."""
    good = True
    for backend in ("reference", "cpu"):
        command = [halo, "check", "--json", "--backend", backend, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        wrong, passed = [], 0
        for line in done.stdout.splitlines():
            if not line.startswith("{"):  # the sum at the end
                continue
            r = json.loads(line)
            refuses = "_refused" in r["file"]
            if r["status"] == "pass" or refuses and "shape assertion failed" in r.get("message", ""):
                passed += 1
            else:
                wrong.append(f"{r['file']}: {r['status']}: {r.get('message', '')}")
        print(f"{title}, {backend}: {passed} files as JAX says, {len(wrong)} not")
        print("".join(f"  {w}\n" for w in wrong), end="")
        good = good and passed > 0 and not wrong
    return good


def main(halo, *roots):
    with tempfile.TemporaryDirectory() as scratch:
        made, found = pathlib.Path(scratch, "made"), pathlib.Path(scratch, "found")
        dynamic.main(made)
        good = check(halo, made, "made with symbolic shapes")
        if roots:
            programs, refused = corpus(roots, found)
            print(f"{programs} programs of unknown sizes at {len(SIZES)} sizes; JAX refuses {len(refused)} of them")
            print("".join(f"  {r}\n" for r in refused), end="")
            good = check(halo, found, "programs found") and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
