#!/usr/bin/env bash
# emu-all.sh [PATH...]: checks programs on the emulated device of CUDA, by default all of $HALO_CONFORMANCE that has one
# text form, without the passes that compute constants. It takes about ten minutes on two cores. What a fall-back to the
# reference ran is counted at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/halo" ./cmd/halo
if [ $# = 0 ]; then
  : "${HALO_CONFORMANCE:?names no folder of programs}"
  set -- "$HALO_CONFORMANCE"/conformance/{stablehlo,math} "$HALO_CONFORMANCE"/models/cases
fi
began=$SECONDS status=0
HALO_CUDA_EMU_PLAIN=1 "$work/halo" check --backend cuda-emu --forms mlir,hlo --timeout 300 --json "$@" \
  >"$work/lines" || status=$?
grep -v '"status":"\(pass\|skip\)"' "$work/lines" || true
echo "fall-backs: $(grep -o '"fallbacks":\["[^]]*' "$work/lines" | grep -o '"[a-z-]*:' | sort | uniq -c | sort -rn |
  awk '{print $2 $1}' | tr -d '"' | paste -sd' ')"
echo "emu-all.sh: $((SECONDS - began)) s"
exit "$status"
