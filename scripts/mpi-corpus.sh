#!/usr/bin/env bash
# The outside programs of several devices ($HALO_CONFORMANCE: cases spmd_*, and those of run_parallel) in one process
# and in several, by each MPI that is here and by each way to start ranks: the same results to the bit, and the same
# lines of check. So does examples/dataparallel. Ranks may be named:
#   HALO_CONFORMANCE=... scripts/mpi-corpus.sh 2 4 8
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
: "${HALO_CONFORMANCE:?set it to the folder of the outside programs}"
[ $# -gt 0 ] || set -- 2 3 4 8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go build -o "$work" ./cmd/halo ./examples/dataparallel
mapfile -t programs < <(ls -d "$HALO_CONFORMANCE"/models/cases/spmd_* &&
  grep -l run_parallel -r "$HALO_CONFORMANCE"/conformance/stablehlo/interpret)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# untimed drops what differs from run to run.
untimed() { sed 's/"ms":[0-9.e+-]*,//'; }

corpus() { # corpus BACKEND [LAUNCHER...]
  local backend=$1
  shift
  timeout 300 "$@" "$work/halo" check --json --backend "$backend" "${programs[@]}" 2>"$work/errors" | untimed
}

bad=0
same() { # same WHAT WANT GOT
  if cmp -s "$2" "$3"; then
    echo "same: $1"
  else
    echo "DIFFERENT: $1"
    diff "$2" "$3" | head -n 5
    head -n 5 "$work/errors"
    bad=1
  fi
}

for backend in cpu reference; do
  corpus $backend >"$work/$backend.one" || true
  echo "$backend, one process: $(tail -n 1 "$work/$backend.one")"
  grep -q ' 0 failed, 0 skipped$' "$work/$backend.one" || bad=1
done
"$work/dataparallel" >"$work/losses.one"

for mpi in openmpi mpich; do
  launchers=("$work/halo launch --mpi $mpi -n")
  case $mpi in
  openmpi) command -v mpirun.openmpi >"$work/path" && launchers+=("mpirun.openmpi --oversubscribe --quiet -n") ;;
  mpich) command -v mpirun.mpich >"$work/path" && launchers+=("mpirun.mpich -n") ;;
  esac
  if ! HALO_MPI=$mpi "$work/halo" launch --mpi $mpi -n 1 true 2>"$work/errors"; then
    echo "not here: $mpi: $(head -n 1 "$work/errors")"
    continue
  fi
  for launcher in "${launchers[@]}"; do
    for n in "$@"; do
      for backend in cpu reference; do
        # shellcheck disable=SC2086 # a launcher is several words
        corpus $backend $launcher "$n" >"$work/many" || true
        same "$backend: ${launcher##*/} $n" "$work/$backend.one" "$work/many"
      done
      [ $((4 % n)) = 0 ] || continue
      # shellcheck disable=SC2086
      timeout 300 $launcher "$n" "$work/dataparallel" >"$work/many" 2>"$work/errors" || true
      same "losses: ${launcher##*/} $n" "$work/losses.one" "$work/many"
    done
  done
done
exit $bad
