#!/usr/bin/env python3
"""bench-collectives.py [HALO [DEVICES...]]: what an all-reduce costs in XLA:CPU (JAX) and in halo, on four devices of
one process, or on each number of devices that is given.

Two figures: microseconds for one of 8 bytes, in a program that is a chain of them (the time of a chain of one is taken
off, so that what a call of the program costs does not count), and gigabytes a second for one of 64 MB, where the bytes
are those that any way must read and write. The two take turns, and the ratio is the median of the turns' ratios: what
disturbs the machine disturbs both. Needs jax and numpy.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

DEVICES = int(os.environ.get("HALO_BENCH_DEVICES", "4"))  # JAX is told before it is imported
if len(sys.argv) > 2:
    for count in sys.argv[2:]:
        subprocess.run([sys.executable] + sys.argv[:2], check=True, env=os.environ | {"HALO_BENCH_DEVICES": count})
    sys.exit()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

TURNS = 5
MESH = Mesh(jax.devices(), ("d",))


def peer(count, size, runs):
    """The seconds of a run of count all-reduces of size floats in JAX."""
    def chain(x):
        for _ in range(count):
            x = jax.lax.psum(x, "d") * 0.25
        return x
    f = jax.jit(jax.shard_map(chain, mesh=MESH, in_specs=P("d"), out_specs=P("d")))
    x = jax.device_put(jnp.ones(DEVICES * size, jnp.float32), NamedSharding(MESH, P("d")))
    f(x).block_until_ready()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        f(x).block_until_ready()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def text(count, size):
    """The same program as HLO text."""
    lines = [f"HloModule chain, replica_count={DEVICES}",
             "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }",
             "ENTRY e {", f"  x0 = f32[{size}] parameter(0)", "  q = f32[] constant(0.25)",
             f"  qs = f32[{size}] broadcast(q), dimensions={{}}"]
    for i in range(count):
        lines.append(f"  s{i} = f32[{size}] all-reduce(x{i}), replica_groups={{}}, to_apply=add")
        root = "ROOT " if i == count - 1 else ""
        lines.append(f"  {root}x{i + 1} = f32[{size}] multiply(s{i}, qs)")
    return "\n".join(lines + ["}", ""])


def ours(tool, folder, count, size, runs):
    """The seconds of a run in halo."""
    path = os.path.join(folder, f"chain{count}x{size}.hlo")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text(count, size))
    out = subprocess.run([tool, "bench", path, "--runs", str(runs), "--json", "-"], check=True, capture_output=True,
                         text=True).stdout
    return json.loads(out)["p50_ms"] / 1e3


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else "halo"
    chain, small, large = 65, 2, 1 << 24
    with tempfile.TemporaryDirectory() as folder:
        ways = {"halo": lambda *a: ours(tool, folder, *a), "jax " + jax.__version__: peer}
        latency, rate = {name: [] for name in ways}, {name: [] for name in ways}
        for _ in range(TURNS):
            for name, f in ways.items():
                latency[name].append((f(chain, small, 200) - f(1, small, 200)) / (chain - 1) * 1e6)
                rate[name].append(2 * DEVICES * 4 * large / f(1, large, 5) / 1e9)
    for name in ways:
        print(f"{name}: all-reduce of 8 B over {DEVICES} devices {statistics.median(latency[name]):.1f} us, "
              f"of 64 MB {statistics.median(rate[name]):.2f} GB/s")
    mine, theirs = ways
    print(f"halo is so many times as fast: 8 B {ratio(latency[theirs], latency[mine]):.2f}, "
          f"64 MB {ratio(rate[mine], rate[theirs]):.2f}")


def ratio(above, below):
    """The median of the ratios, turn by turn."""
    return statistics.median(a / b for a, b in zip(above, below))


if __name__ == "__main__":
    main()
