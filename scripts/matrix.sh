#!/usr/bin/env bash
# The CPU backend over all outside programs ($HALO_CONFORMANCE), a line for each cell: a build with a set of libraries
# and a level of instructions. A cell is bad if a program fails that is not in matrix.known, if an instruction falls
# back to the evaluator, or if thread counts differ in one bit. Minutes each; cells may be named:
#   HALO_CONFORMANCE=... scripts/matrix.sh none/base nocgo
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
: "${HALO_CONFORMANCE:?set it to the folder of the outside programs}"

cells=(all/{base,avx2,avx512} none/{base,avx2,avx512} -openblas/avx512 -onednn/avx512 -fftw/avx512 onednn3/avx512 nocgo
  race asan)
[ $# -gt 0 ] || set -- "${cells[@]}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t producers < <(ls -d "$HALO_CONFORMANCE"/producers/*/ | grep -v /formats/)
programs=("$HALO_CONFORMANCE"/conformance/{stablehlo,math,hlo} "$HALO_CONFORMANCE/models/cases" "${producers[@]}")

# onednn3 prints the folder of oneDNN 3's library: $HALO_ONEDNN3, or of PyPI's wheel, fetched once.
onednn3() {
  local into=${XDG_CACHE_HOME:-$HOME/.cache}/halo-onednn3
  if [ -z "${HALO_ONEDNN3:-}" ] && [ ! -d "$into" ]; then
    python3 -m pip download -q --no-deps -d "$work/wheel" onednn-cpu-gomp >&2
    python3 -m zipfile -e "$work"/wheel/*.whl "$into"
  fi
  dirname "$(find "${HALO_ONEDNN3:-$into}" -name libdnnl.so.3 | head -n 1)"
}

# build NAME [FLAG...]: the tool built with flags, once.
build() {
  local out=$work/halo-$1
  shift
  [ -x "$out" ] || go build -o "$out" "$@" ./cmd/halo
  echo "$out"
}

# cell NAME THREADS ENV... TOOL: runs the programs and tells.
cell() {
  local name=$1 threads=$2 out=$work/lines start=$SECONDS list=unsupported.txt failed fallbacks
  shift 2
  env "$@" doctor | grep -q '^openblas  *ok' || list=unsupported-without-openblas.txt
  env "$@" check --backend cpu --threads "$threads" --timeout 600 --json --forms mlir,hlo \
    --unsupported "cmd/halo/testdata/$list" "${programs[@]}" >"$out" 2>"$work/stderr" || true
  failed=$(grep -E '"status":"(fail|error|unsupported)"' "$out" | grep -vFf scripts/matrix.known || true)
  fallbacks=$(grep -c '"fallbacks":\["' "$out" || true)
  printf '%-16s threads %-8s %s, %d unexpected, %d with fall-backs, %d s\n' "$name" "$threads" "$(tail -n 1 "$out")" \
    "$(grep -c . <<<"$failed" || true)" "$fallbacks" $((SECONDS - start))
  [ -z "$failed" ] && [ "$fallbacks" = 0 ] && grep -q ' passed, ' "$out" && [ ! -s "$work/stderr" ] && return
  { head -c 4000 <<<"$failed"; grep -m 5 '"fallbacks":\["' "$out"; head -c 20000 "$work/stderr"; } || true
  bad=1
}

bad=0
for c; do
  case $c in
    race) cell $c 3 "$(build race -race)" ;;
    asan) cell $c 1,3 ASAN_OPTIONS=detect_leaks=0 "$(build asan -asan)" ;;
    nocgo) cell $c 1,2,3,7 "$(CGO_ENABLED=0 build nocgo)" ;;
    onednn3/*) cell "$c" 1,2,3,7 HALO_ISA="${c#*/}" HALO_LIBRARY_PATH="$(onednn3)" "$(build plain)" ;;
    all/*) cell "$c" 1,2,3,7 HALO_ISA="${c#*/}" "$(build plain)" ;;
    none/*) cell "$c" 1,2,3,7 HALO_LIBS=-all HALO_ISA="${c#*/}" "$(build plain)" ;;
    -*/*) cell "$c" 1,2,3,7 HALO_LIBS="${c%/*}" HALO_ISA="${c#*/}" "$(build plain)" ;;
    *) echo "matrix: no cell $c, want some of ${cells[*]}" >&2; exit 2 ;;
  esac
done
exit $bad
