#!/usr/bin/env bash
# Compares the functions that the shims in cgo/ declare with the vendors' headers, where those are installed: every row
# of a shim's list must have the very type that the header gives. Headers are never needed to build.
#   scripts/check-headers.sh [-I FOLDER ...]
# A header that is not found is skipped with a line that says so, or is a failure if HALO_NEED has "headers".
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
include=("$@")
for folder in /usr/include/*/openblas-pthread /usr/include/openblas; do
  [ ! -d "$folder" ] || include+=(-I "$folder")
done

# check NAME 'VENDOR INCLUDES' SHIM LIST [CONDITION]: CONDITION is a preprocessor expression that the vendor's header
# must fulfil, for shims of one version.
check() {
  local name=$1 headers=$2 shim=$3 list=$4 condition=${5:-1} file=$work/$1.c header
  for header in $headers; do echo "#include <$header>"; done >"$file"
  if ! echo "#if !($condition)
#error another version
#endif" | cat "$file" - | gcc "${include[@]}" -fsyntax-only -x c - 2>"$work/log"; then
    echo "$name: skipped: no header ${headers} of the version wanted"
    case ",${HALO_NEED:-}," in *,headers,*) failed=1 ;; esac
    return
  fi
  cat >>"$file" <<END
#include "$PWD/$shim"
#define CHECK(name, result, params, args) \\
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result params), #name);
$list(CHECK)
END
  if gcc -std=gnu11 "${include[@]}" -fsyntax-only "$file"; then echo "$name: same as in $headers"; else failed=1; fi
}

check openblas cblas.h cgo/openblas/openblas.h OPENBLAS_LIST
check onednn2 oneapi/dnnl/dnnl.h cgo/onednn/onednn2.h ONEDNN2_LIST 'DNNL_VERSION_MAJOR == 2'
check onednn3 oneapi/dnnl/dnnl.h cgo/onednn/onednn3.h ONEDNN3_LIST 'DNNL_VERSION_MAJOR == 3'
exit "$failed"
