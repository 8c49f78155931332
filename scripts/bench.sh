#!/usr/bin/env bash
# Times halo beside XLA:CPU, ONNX Runtime and PyTorch, interleaved, on the programs of $HALO_CONFORMANCE/bench.
#   scripts/bench.sh [--compare] [PROGRAM...] [-- FLAGS OF peers.py]       all programs, one thread and two, unless told
# It prints the table of docs/performance.md; with --compare it names instead what became slower than that says, by more
# than 10 %, and ends with 1 if something did. The tables of peers.py itself come first; their ratios are halo / peer.
# A program takes half a minute and more, with -- --peers xla,ort,torch,halo --threads 1,2 --seconds 0.3 seconds.
# The peers come from PyPI into a virtual environment in ${HALO_BENCH_VENV:-$HOME/.cache/halo/bench}: some 3 GB.
# Run it on a quiet machine: a peer whose rounds differ is marked with ~ and tells nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
: "${HALO_CONFORMANCE:?set it to the folder of the outside programs, which has bench/peers.py}"
if [ ! -f "$HALO_CONFORMANCE/bench/peers.py" ]; then
  echo "bench: HALO_CONFORMANCE is $HALO_CONFORMANCE, want a folder that has bench/peers.py" >&2
  exit 2
fi
programs=() flags=() show=()
while [ $# -gt 0 ]; do
  if [ "$1" = -- ]; then
    shift
    flags=("$@")
    break
  fi
  case $1 in
  --compare) show=(--compare docs/performance.md) ;;
  -*) echo "bench: $1: flags are --compare and, behind --, those of peers.py" >&2; exit 2 ;;
  *) programs+=("$1") ;;
  esac
  shift
done
[ ${#programs[@]} -gt 0 ] || programs=(all)
[ ${#flags[@]} -gt 0 ] || flags=(--peers xla,ort,torch,torch-compile,halo,limit --threads 1,2)

venv=${HALO_BENCH_VENV:-$HOME/.cache/halo/bench}
if [ ! -x "$venv/bin/python" ]; then
  python=
  for p in python3.14 python3.13 python3.12 python3 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do
    if command -v "$p" >/dev/null && "$p" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
      python=$p
      break
    fi
  done
  [ -n "$python" ] || { echo "bench: the peers need Python 3.12 or later" >&2; exit 1; }
  "$python" -m venv "$venv"
  "$venv/bin/pip" install -q jax torch onnx onnxruntime numpy
fi
# an install may have been broken off
lacks=$("$venv/bin/python" -c 'import importlib.util
print(*[m for m in "jax torch onnx onnxruntime numpy".split() if not importlib.util.find_spec(m)])')
[ -z "$lacks" ] || echo "bench: the Python of $venv lacks $lacks: $venv/bin/pip install $lacks" >&2
[[ " $lacks " != *" numpy "* ]] || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -trimpath -o "$work/halo" ./cmd/halo
HALO=$work/halo "$venv/bin/python" "$HALO_CONFORMANCE/bench/peers.py" "${programs[@]}" "${flags[@]}" \
  --json "$work/run.json"
python3 scripts/bench_table.py ${show[@]+"${show[@]}"} "$work/run.json"
