#!/usr/bin/env python3
"""ulps.py [HALO]: how far elementary functions are from the truth, in units of the last place, and what they cost.

Each function runs on the cpu backend on numbers of all sizes: f32 on 2^22 of them, compared with numpy's functions in
f64, f64 on 20 000, compared with mpmath's in 40 digits; infinities, zeros, NaN and sub-normal numbers are among them. A
row has the worst error in ULP and the operand it is at, then nanoseconds an element of ordinary numbers on one thread:
what 2^15 take more than 2^12, in the caches both, so that what a run takes by itself does not count. Needs numpy, scipy
and mpmath. Ends with 1 if an error is above 2, of power 3. erfc is 0 from 9.41928 on in f32, as in XLA; in f64 erfc,
sinh and cosh are XLA's formulas, which are not measured.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile

try:
    import mpmath
    import numpy as np
    import scipy.special
except ImportError as err:
    sys.exit(f"ulps: {err}: pip install numpy scipy mpmath brings what it needs")

words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("halo", nargs="?", default="halo", metavar="HALO", help="the tool, by default the one on the path")
HALO = words.parse_args().halo
if not shutil.which(HALO):
    sys.exit(f"ulps: there is no {HALO}: go build -o halo ./cmd/halo makes it, and scripts/ulps.py ./halo measures it")
# op: (f in numpy, f in mpmath, how many operands)
FUNCTIONS = {
    "exponential": (np.exp, mpmath.exp), "exponential_minus_one": (np.expm1, mpmath.expm1), "log": (np.log, mpmath.log),
    "log_plus_one": (np.log1p, mpmath.log1p), "sine": (np.sin, mpmath.sin), "cosine": (np.cos, mpmath.cos),
    "tan": (np.tan, mpmath.tan), "tanh": (np.tanh, mpmath.tanh), "sqrt": (np.sqrt, mpmath.sqrt),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x)), "cbrt": (np.cbrt, lambda x: root(x)),
    "logistic": (scipy.special.expit, lambda x: 1 / (1 + mpmath.exp(-x))),
    "erf": (scipy.special.erf, mpmath.erf), "erfc": (lambda x: erfc(x), mpmath.erfc),
    "sinh": (np.sinh, mpmath.sinh), "cosh": (np.cosh, mpmath.cosh),
    "asinh": (np.arcsinh, mpmath.asinh), "acosh": (np.arccosh, mpmath.acosh), "atanh": (np.arctanh, mpmath.atanh),
    "asin": (np.arcsin, mpmath.asin), "acos": (np.arccos, mpmath.acos), "atan": (np.arctan, mpmath.atan),
    "power": (np.power, mpmath.power), "atan2": (np.arctan2, mpmath.atan2),
}
FORMULAS = ("erfc", "sinh", "cosh")
DIALECT = dict.fromkeys(("erf", "asinh", "acosh", "atanh", "asin", "acos", "atan", *FORMULAS), "chlo")
ORDINARY = {"asin": (0.1, 1), "acos": (0.1, 1), "atanh": (0.1, 1), "acosh": (1, 4)}  # others from 0.1 to 4
LIMITS = {"power": 3}  # others 2
BINARY = ("power", "atan2")


def erfc(x):
    return np.where(x > 9.41928, 0, scipy.special.erfc(x))


def root(x):
    return mpmath.cbrt(x) if x >= 0 else -mpmath.cbrt(-x)


def program(op, kind, n):
    t = f"tensor<{n}x{kind}>"
    names = ["%x", "%y"][:2 if op in BINARY else 1]
    sign = f"({', '.join([t] * len(names))}) -> {t}" if op in BINARY else t
    if DIALECT.get(op) == "chlo":
        sign = f"{t} -> {t}"
    return (f"func.func @main({', '.join(f'{v}: {t}' for v in names)}) -> {t} {{\n"
            f'%r = "{DIALECT.get(op, "stablehlo")}.{op}"({", ".join(names)}) : ({", ".join([t] * len(names))}) -> {t}\n'
            f"return %r : {t} }}")


def numbers(kind, n, seed):
    """Numbers of all sizes: half of any bits, half around 1; special ones first."""
    r = np.random.default_rng(seed)
    word, real = (np.uint32, np.float32) if kind == "f32" else (np.uint64, np.float64)
    x = r.integers(0, np.iinfo(word).max, n, dtype=word).view(real).copy()
    x[::2] = (r.standard_normal(len(x[::2])) * 8).astype(real)
    tiny = np.finfo(real).smallest_subnormal
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, tiny, -tiny, np.finfo(real).tiny, np.finfo(real).max]
    x[:len(special)] = np.array(special, real)
    return x


def ordinary(op, n):
    x = np.random.default_rng(3).uniform(*ORDINARY.get(op, (0.1, 4)), n).astype(np.float32)
    return [x, x[::-1].copy()][:2 if op in BINARY else 1]


def run(text, arguments, command, flags):
    with tempfile.TemporaryDirectory() as d:
        open(f"{d}/module.mlir", "w").write(text)
        for i, a in enumerate(arguments):
            np.save(f"{d}/input_{i}.npy", a)
        files = [f"@{d}/input_{i}.npy" for i in range(len(arguments))]
        what = [d] if command == "bench" else [f"{d}/module.mlir", *files]
        flags = [f.replace("DIR", d) for f in flags]
        done = subprocess.run([HALO, command, *what, *flags], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr[:2000])
        return json.loads(done.stdout)["p50_ms"] if command == "bench" else np.load(f"{d}/out/result_0.npy")


def ulps(got, want, real):
    """Errors in ULP of the truth, which is as wide as it can be had; what is not finite must be the same."""
    with np.errstate(over="ignore"):
        near = np.abs(want.astype(real))
    unit = np.maximum(np.spacing(near.astype(real)), np.finfo(real).smallest_subnormal).astype(want.dtype)
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(want.dtype) - want) / unit
        rounded = want.astype(real)
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    return np.where(same, np.where(np.isfinite(error), error, 0), np.where(np.isfinite(error), error, np.inf))


def single(op):
    x = [numbers("f32", 1 << 22, s) for s in (1, 2)][:2 if op in BINARY else 1]
    got = run(program(op, "f32", 1 << 22), x, "run", ["--out", "DIR/out", "--no-reference"])
    with np.errstate(all="ignore"):
        want = FUNCTIONS[op][0](*(a.astype(np.float64) for a in x))
    return worst(ulps(got, want, np.float32), x)


def double(op):
    n = 20000
    x = [numbers("f64", n, s) for s in (1, 2)][:2 if op in BINARY else 1]
    got = run(program(op, "f64", n), x, "run", ["--out", "DIR/out", "--no-reference"])
    errors = np.zeros(n)
    for i in range(11, n):  # special numbers are f32's
        errors[i] = exact(op, float(got[i]), [float(a[i]) for a in x])
    return worst(errors, x)


def exact(op, got, x):
    """The error in ULP of one result in f64; 0 where the truth is no finite number of that size."""
    if not all(np.isfinite(x)) or op in ("sine", "cosine", "tan") and abs(x[0]) > 1e300:
        return 0
    try:
        want = FUNCTIONS[op][1](*(mpmath.mpf(v) for v in x))
    except (ValueError, ZeroDivisionError, OverflowError):
        return 0
    if isinstance(want, mpmath.mpc) or abs(want) > mpmath.mpf(2) ** 1024 * (1 - mpmath.mpf(2) ** -54):
        return 0 if not np.isfinite(got) else np.inf
    unit = np.spacing(abs(float(want)))
    return float(abs(mpmath.mpf(got) - want) / unit) if np.isfinite(got) else np.inf


def worst(errors, x):
    i = int(np.argmax(errors))
    return errors[i], ", ".join(f"{float(a[i]):.9g}" for a in x)


def cost(op):
    """Nanoseconds an element."""
    flags = ["--threads", "1", "--seconds", "0.2", "--json", "-"]
    few, many = (run(program(op, "f32", n), ordinary(op, n), "bench", flags) for n in (1 << 12, 1 << 15))
    return (many - few) * 1e6 / ((1 << 15) - (1 << 12))


def main():
    mpmath.mp.dps = 40
    failed = False
    print("| op | f32, ULP | at | f64, ULP | at | f32, ns |\n|---|---|---|---|---|---|")
    for op in FUNCTIONS:
        one, two = single(op), double(op) if op not in FORMULAS else None
        ns = cost(op)
        wide = f"{two[0]:.2f} | {two[1]}" if two else " | "
        print(f"| {op} | {one[0]:.2f} | {one[1]} | {wide} | {ns:.2f} |", flush=True)
        failed |= max(one[0], two[0] if two else 0) > LIMITS.get(op, 2)
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
