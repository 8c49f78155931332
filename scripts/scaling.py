#!/usr/bin/env python3
"""scaling.py [HALO] [--plot FILE.svg] [--most N] [--only ROW,...] [--limit]: what an element costs as work grows.

Each program runs on one thread and on two, with 10^5 elements and ten times as many each step, up to 10^8; a row has
the nanoseconds an element takes (the median of the runs of a second). The last column is the greatest cost by the
least of the last two steps, which lie beyond the caches. --limit adds what plain loops in C take for the rows of random
places; it wants gcc. HALO is the tool, by default the one on the path. Needs numpy and 8 GB of memory, with --most 1e6
some hundred MB and a minute, with --most 1e9 (a third cache of 256 MB holds 10^7 elements) 22 GB and as much on disk.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile

import numpy as np

SIZES = [10**5, 10**6, 10**7, 10**8, 10**9]
USUAL = SIZES[:4]
COLORS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2", "#e08e0b", "#555555", "#00a0a0", "#a05a2c"]
MAIN = "func.func @main(%s) -> tensor<%s> {\n%s\nreturn %%r : tensor<%s> }"
ADD = ("^bb0(%a: tensor<f32>, %b: tensor<f32>): %s = stablehlo.add %a, %b : tensor<f32> "
       "stablehlo.return %s : tensor<f32>")
ZERO = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"


def text(arguments, result, body):
    return MAIN % (", ".join(f"%{n}: tensor<{t}>" for n, t in arguments.items()), result, body, result)


def floats(n):
    return np.random.default_rng(1).standard_normal(n, dtype=np.float32)


def places(n, below):
    return np.random.default_rng(2).integers(0, below, (n, 1), dtype=np.int32)


def windows(n, size, low, high):
    window = f"window_dimensions = array<i64: {size}>, padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>"
    return text({"x": f"{n}xf32"}, f"{n}xf32", ZERO + '%r = "stablehlo.reduce_window"(%x, %z) '
                f"<{{{window}}}> ({{{ADD}}}) : (tensor<{n}xf32>, tensor<f32>) -> tensor<{n}xf32>"), [floats(n)]


def cumsum(n):
    return windows(n, n, n - 1, 0)


def reduce_window(n):
    return windows(n, 9, 4, 4)


def sort(n):
    less = ("^bb0(%a: tensor<f32>, %b: tensor<f32>): %s = stablehlo.compare LT, %a, %b, TOTALORDER : "
            "(tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %s : tensor<i1>")
    return text({"x": f"{n}xf32"}, f"{n}xf32", f'%r = "stablehlo.sort"(%x) <{{dimension = 0 : i64}}> ({{{less}}}) '
                f": (tensor<{n}xf32>) -> tensor<{n}xf32>"), [floats(n)]


def top_k(n):
    return text({"x": f"{n}xf32"}, "100xf32", "%r, %i = chlo.top_k(%x, k = 100) : "
                f"tensor<{n}xf32> -> (tensor<100xf32>, tensor<100xi32>)"), [floats(n)]


def gather(n):
    numbers = ("#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
               "slice_sizes = array<i64: 1>")
    return text({"x": f"{n}xf32", "i": f"{n}x1xi32"}, f"{n}xf32", '%r = "stablehlo.gather"(%x, %i) '
                f"<{{dimension_numbers = {numbers}}}> : (tensor<{n}xf32>, tensor<{n}x1xi32>) -> tensor<{n}xf32>"), \
        [floats(n), places(n, n)]


def scatter(n, rows=None, row=1):
    rows = rows or n
    x, u = (f"{rows}xf32", f"{n}xf32") if row == 1 else (f"{rows}x{row}xf32", f"{n}x{row}xf32")
    window = "" if row == 1 else "update_window_dims = [1], "
    numbers = (f"#stablehlo.scatter<{window}inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
               "index_vector_dim = 1>")
    body = f'%r = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = {numbers}}}> ({{{ADD}}}) ' \
           f": (tensor<{x}>, tensor<{n}x1xi32>, tensor<{u}>) -> tensor<{x}>"
    shape = (rows,) if row == 1 else (rows, row)
    return text({"x": x, "i": f"{n}x1xi32", "u": u}, x, body), \
        [np.zeros(shape, np.float32), places(n, rows), floats(n * row).reshape(-1 if row == 1 else (n, row))]


def segment_sum(n):
    return scatter(n // 64, 1000, 64)


def rounds(n):
    """A loop of n / 100 rounds, each of which has a hundredth of the arithmetic of an element."""
    k = n // 100
    body = f"""%c = stablehlo.constant dense<0> : tensor<i32> %n = stablehlo.constant dense<{k}> : tensor<i32>
%o = stablehlo.constant dense<1> : tensor<i32> %h = stablehlo.constant dense<0.5> : tensor<f32>
%q:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<f32> cond {{
%t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %t : tensor<i1> }} do {{
%j = stablehlo.add %i, %o : tensor<i32> %m = stablehlo.multiply %v, %h : tensor<f32>
%w = stablehlo.add %m, %h : tensor<f32> stablehlo.return %j, %w : tensor<i32>, tensor<f32> }}
%r = stablehlo.add %q#1, %h : tensor<f32>"""
    return text({"x": "f32"}, "f32", body), [np.float32(1)]


PROGRAMS = {"cumsum": cumsum, "reduce-window of 9": reduce_window, "sort": sort, "top-k of 100": top_k,
            "gather": gather, "scatter-add": scatter, "segment-sum, rows of 64": segment_sum,
            "while, rounds / 100": rounds}


LIMITS = {"gather": "gather", "scatter-add": "scatter"}


def only(words):
    """The rows whose names begin with one of the words."""
    chosen = [name for name in PROGRAMS if name.startswith(tuple(words.split(",")))]
    if not chosen:
        raise argparse.ArgumentTypeError(f"got {words}, want some of: {', '.join(PROGRAMS)}")
    return chosen


def sizes(most):
    """The sizes to measure: two or more, for the growth is between the last two."""
    chosen = [n for n in SIZES if n <= float(most)]
    if len(chosen) < 2:
        raise argparse.ArgumentTypeError(f"got {most}, want 1e6 or more")
    return chosen


def measure(halo, make, n, threads):
    """Nanoseconds an element."""
    program, arguments = make(n)
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "module.mlir"), "w").write(program)
        for i in range(len(arguments)):
            np.save(os.path.join(folder, f"input_{i}.npy"), arguments.pop(0))
        done = subprocess.run([halo, "bench", folder, "--threads", str(threads), "--seconds", "1", "--json", "-"],
                              capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["p50_ms"] * 1e6 / n


def limit(loop, kind, n, threads):
    """Nanoseconds an element takes in C."""
    return float(subprocess.run([loop, kind, str(n), str(threads)], check=True, capture_output=True).stdout)


def built(folder):
    """The program of the loops in C."""
    here, program = os.path.dirname(os.path.abspath(__file__)), os.path.join(folder, "loop")
    subprocess.run(["gcc", "-O3", "-pthread", "-o", program, os.path.join(here, "scaling.c")], check=True)
    return program


def row(name, sizes, cost):
    """Prints a row of the table, and returns its costs for each number of threads."""
    costs = [[cost(n, t) for n in sizes] for t in (1, 2)]
    cells = [" / ".join(f"{c[i]:.3g}" for c in costs) for i in range(len(sizes))]
    growth = " / ".join(f"{max(c[-2:]) / min(c[-2:]):.2f}" for c in costs)
    print("|", " | ".join([name, *cells, growth]), "|", flush=True)
    return costs


def plot(path, rows, sizes):
    """An SVG: elements against the cost of one, both by powers of ten; one thread."""
    width, height, left, top = 640, 400, 60, 20
    x = lambda i: left + i * (width - left - 200) / (len(sizes) - 1)
    y = lambda ns: top + (2 - np.log10(ns)) * (height - top - 40) / 4
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             'font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for ns in (0.01, 0.1, 1, 10, 100):
        lines.append(f'<path d="M{left} {y(ns):.0f}H{x(len(sizes) - 1):.0f}" stroke="#ddd"/>'
                     f'<text x="{left - 5}" y="{y(ns) + 4:.0f}" text-anchor="end">{ns:g} ns</text>')
    for i, n in enumerate(sizes):
        lines.append(f'<text x="{x(i):.0f}" y="{height - 15}" text-anchor="middle">{n:.0e}</text>')
    for k, (name, costs) in enumerate(rows.items()):
        points = " ".join(f"{x(i):.1f},{y(c):.1f}" for i, c in enumerate(costs))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{COLORS[k]}" stroke-width="2"/>'
                     f'<text x="{width - 190}" y="{top + 18 * k + 10}" fill="{COLORS[k]}">{name}</text>')
    open(path, "w").write("\n".join(lines + ["</svg>\n"]))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("halo", nargs="?", default="halo")
    a.add_argument("--plot", metavar="FILE.svg")
    a.add_argument("--most", metavar="N", dest="sizes", type=sizes, default=USUAL, help="the most elements")
    a.add_argument("--only", metavar="ROW,...", type=only, default=list(PROGRAMS), help="the beginnings of their names")
    a.add_argument("--limit", action="store_true", help="rows of loops in C, too")
    o = a.parse_args()
    if not shutil.which(o.halo):
        raise SystemExit(f"scaling: there is no {o.halo}: go build -o halo ./cmd/halo makes it")
    alone = {}
    print("| ns an element, 1 / 2 threads | " + " | ".join(f"{n:.0e}" for n in o.sizes) + " | growth |")
    print("|---" * (len(o.sizes) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        loop = built(folder) if o.limit else None
        for name in o.only:
            alone[name] = row(name, o.sizes, lambda n, t: measure(o.halo, PROGRAMS[name], n, t))[0]
            if loop and name in LIMITS:
                row(f"{name} in C", o.sizes, lambda n, t: limit(loop, LIMITS[name], n, t))
    if o.plot:
        plot(o.plot, alone, o.sizes)


if __name__ == "__main__":
    main()
