#!/usr/bin/env bash
# emu-all.sh [PATH...]: checks programs on the emulated device of CUDA, by default all of $HALO_CONFORMANCE that has a
# text form, without the passes that compute constants. g++ compiles each program's kernels, which are kept: the first
# time takes about half an hour on two cores. HALO_SLICE=K/N runs each N-th program from the K-th on. Failures are
# listed, and what fell back to the reference is counted at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
halo=${HALO_BIN:-}
if [ -z "$halo" ]; then
  halo=$work/halo
  go build -o "$halo" ./cmd/halo
fi
if [ $# = 0 ]; then
  : "${HALO_CONFORMANCE:?names no folder of programs}"
  set -- "$HALO_CONFORMANCE"/conformance/{stablehlo,math} "$HALO_CONFORMANCE"/models/cases
fi
# Programs by themselves, and folders of cases.
find "$@" -name meta.json -printf '%h\n' | sort >"$work/cases"
find "$@" \( -name '*.mlir' -o -name '*.hlo' \) | grep -vFf <(sed 's|$|/|' "$work/cases") | sort >"$work/files" || true
slice=${HALO_SLICE:-1/1}
sort "$work/cases" "$work/files" | awk -v k="${slice%/*}" -v n="${slice#*/}" 'NR % n == k % n' >"$work/programs"
began=$SECONDS status=0
tr '\n' '\0' <"$work/programs" | HALO_CUDA_EMU_PLAIN=1 xargs -0 -x -n 100000 "$halo" check --backend cuda-emu \
  --forms mlir,hlo --timeout 300 --json >"$work/lines" || status=$?
grep -v '"status":"\(pass\|skip\)"' "$work/lines" || true
echo "fall-backs: $(grep -o '"fallbacks":\["[^]]*' "$work/lines" | grep -o '"[a-z-]*:' | sort | uniq -c | sort -rn |
  awk '{print $2 $1}' | tr -d '"' | paste -sd' ')"
echo "emu-all.sh: slice $slice, $(wc -l <"$work/programs") programs and cases, $((SECONDS - began)) s"
exit "$status"
