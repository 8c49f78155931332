#!/usr/bin/env python3
"""bench_table.py RUN.json...: the table of docs/performance.md from runs of the benchmark, and the geometric means.
bench_table.py --compare TABLE.md RUN.json...: names the programs that became slower than the last table says.

Of several runs each figure is the median. Slower means that the time of the best peer by halo's fell below 0.9 of what
it was, with one thread or two, by the peers that both have: times of different machines or days cannot be compared,
ratios can. Ends with 1 if there is one, or a program that halo has no time of, or if nothing could be compared; without
--compare if there is a program that nobody has a time of.
"""
import argparse
import json
import math
import statistics
import sys

PEERS = {"XLA:CPU": "xla", "ONNX Runtime": "ort", "PyTorch": "torch", "torch.compile": "torch-compile", "halo": "halo"}
THREADS = ("1", "2")


def medians(files):
    """{program: {peer: [ms with one thread, with two]}} of the runs in files."""
    runs = [json.load(open(f)) for f in files]
    return {program: {peer: [median(runs, program, f"{peer}/{t}") for t in THREADS] for peer in PEERS.values()}
            for program in runs[0]}


def median(runs, program, worker):
    times = [r[program][worker]["ms"] for r in runs if "ms" in r.get(program, {}).get(worker, {})]
    return statistics.median(times) if times else None


def read(path):
    """The same of the first table in a Markdown file."""
    table, peers = {}, None
    for line in open(path):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if cells[0] == "program" and "halo" in cells and not table:
            peers = [PEERS.get(c) for c in cells]
        elif peers and not line.startswith("|"):
            break
        elif peers and not cells[0].startswith("-"):
            table[cells[0]] = {p: times(c) for p, c in zip(peers, cells) if p}
    return table


def times(cell):
    return [float(v) if v != "-" else None for v in cell.split(" / ")] if cell != "-" else [None, None]


def ratio(row, thread, peers):
    """The best of peers by halo, None if one of them is missing."""
    others = [row[p][thread] for p in peers if p != "halo" and row.get(p) and row[p][thread]]
    here = row["halo"][thread]
    return min(others) / here if others and here else None


def cell(pair):
    return " / ".join(f"{v:.3g}" if v else "-" for v in pair) if any(pair) else "-"


def ratios(row, peers):
    return [ratio(row, t, peers) for t in range(len(THREADS))]


def mean(values):
    values = [math.log(v) for v in values if v]
    return f"{math.exp(statistics.mean(values)):.2f}" if values else "-"


def show(table):
    present = [n for n, p in PEERS.items() if any(any(row[p]) for row in table.values())]
    print("| program | " + " | ".join(present) + " | best peer / halo |\n" + "|---" * (len(present) + 2) + "|")
    for program, row in table.items():
        found = " / ".join(f"{v:.2f}" if v else "-" for v in ratios(row, PEERS.values()))
        print("|", " | ".join([program, *(cell(row[PEERS[n]]) for n in present), found]), "|")
    print("\ngeometric means of peer / halo with 1 and 2 threads")
    large = {p: row for p, row in table.items() if row["halo"][0] and row["halo"][0] >= 0.02}
    kinds = {"best": (table, PEERS.values()), "best, of programs of 20 us and more": (large, PEERS.values()),
             **{n: (table, [PEERS[n]]) for n in present if n != "halo"}}
    for name, (rows, peers) in kinds.items():
        print(f"{name}:", *(mean(ratio(row, t, peers) for row in rows.values()) for t in range(len(THREADS))))
    halo = [row["halo"] for row in table.values() if all(row["halo"])]
    print("one thread / two of halo:", mean(one / two for one, two in halo))


def compare(table, before):
    """Names what became slower and what cannot be compared; whether all is well."""
    slower, failed, figures = 0, 0, 0
    for program, row in table.items():
        if not any(row["halo"]):
            failed += 1
            print(f"{program}: halo has no time")
        if program not in before:
            print(f"{program}: not in the table, not compared")
            continue
        was = before[program]
        for t, threads in enumerate(THREADS):
            both = [p for p in PEERS.values() if row[p][t] and was.get(p) and was[p][t]]
            then, now = ratio(was, t, both), ratio(row, t, both)
            figures += bool(then and now)
            if then and now and now < 0.9 * then:
                slower += 1
                print(f"{program}, {threads} thread(s): best peer / halo was {then:.2f}, is {now:.2f}")
    print(f"{slower} of {figures} figures, one a program and thread count, are slower by more than 10 %")
    return figures > 0 and slower == 0 and failed == 0


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("runs", nargs="+", metavar="RUN.json")
    a.add_argument("--compare", metavar="TABLE.md")
    o = a.parse_args()
    table = medians(o.runs)
    if o.compare:
        sys.exit(not compare(table, read(o.compare)))
    show(table)
    untimed = [p for p, row in table.items() if not any(map(any, row.values()))]
    if untimed:
        sys.exit(f"bench_table: nobody has a time of {', '.join(untimed)}")


if __name__ == "__main__":
    main()
