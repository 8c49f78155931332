#!/usr/bin/env bash
# Compares the functions that the shims in cgo/ declare with the vendors' headers, where those are installed: every row
# of a shim's list must have the very type that the header gives. Headers are never needed to build.
#   scripts/check-headers.sh [-I FOLDER ...]
# A header that is not found is skipped with a line that says so, or is a failure if HALO_NEED has "headers".
# For CUDA, HALO_CUDA_WHEELS is a folder with what pip has unpacked of NVIDIA's wheels of one major version or of both;
# --cuda has pip fetch them into it, or into the user's cache folder:
#   scripts/check-headers.sh --cuda
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wheels=${HALO_CUDA_WHEELS:-${XDG_CACHE_HOME:-$HOME/.cache}/halo/cuda-wheels}
if [ "${1:-}" = --cuda ]; then
  shift
  for major in 12 13; do
    names=$(sed -n "s/^$major //p" <<'END' | paste -sd' '
12 nvidia-cuda-runtime-cu12 nvidia-cuda-nvrtc-cu12
12 nvidia-nccl-cu12 nvidia-cublas-cu12 nvidia-cusolver-cu12 nvidia-cufft-cu12
13 nvidia-cuda-runtime==13.* nvidia-cuda-nvrtc==13.* nvidia-cuda-crt==13.*
13 nvidia-nccl-cu13 nvidia-cublas==13.* nvidia-cusolver==12.* nvidia-cufft==12.*
END
    )
    [ -d "$wheels/cu$major" ] || ${HALO_PYTHON:-python3} -m pip install -q --no-deps --target "$wheels/cu$major" $names
    # Of cuDNN, which is some 700 MB, what is looked at.
    if [ ! -f "$wheels/cu$major/nvidia/cudnn/lib/libcudnn_graph.so.9" ]; then
      ${HALO_PYTHON:-python3} -m pip download -q --no-deps -d "$work/cudnn$major" "nvidia-cudnn-cu$major"
      ${HALO_PYTHON:-python3} - "$work/cudnn$major"/*.whl "$wheels/cu$major" <<'END'
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
wheel.extractall(sys.argv[2], [n for n in wheel.namelist() if "/include/" in n or "libcudnn_graph.so" in n])
END
      rm -r "$work/cudnn$major"
    fi
  done
fi
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
for folder in /usr/lib/*/openmpi/include /usr/include/*/mpich; do
  case $folder in *'*'*) continue ;; esac
  mpi=$(echo "$folder" | grep -o 'openmpi\|mpich')
  saved=("${include[@]}") include=(-I "$folder")
  check "$mpi" mpi.h cgo/mpi/mpi.h MPI_LIST
  include=("${saved[@]}")
done
check onednn2 oneapi/dnnl/dnnl.h cgo/onednn/onednn2.h ONEDNN2_LIST 'DNNL_VERSION_MAJOR == 2'
check onednn3 oneapi/dnnl/dnnl.h cgo/onednn/onednn3.h ONEDNN3_LIST 'DNNL_VERSION_MAJOR == 3'

# CUDA: the headers, and that each function is a symbol of the library that the wheel has; the driver's library is in no
# wheel.
symbols() {
  local name=$1 shim=$2 list=$3 library=$4 symbol
  printf '#include "%s"\n#define NAME(name, result, params, args) symbol:name\n%s(NAME)\n' "$PWD/$shim" "$list" |
    gcc -E -P -x c - | grep -o 'symbol:[A-Za-z0-9_]*' | cut -d: -f2 | sort >"$work/wanted"
  nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort >"$work/there"
  if symbol=$(comm -23 "$work/wanted" "$work/there") && [ -z "$symbol" ]; then
    echo "$name: $(wc -l <"$work/wanted") symbols are in ${library##*/}"
  else
    echo "$name: ${library##*/} lacks" $symbol
    failed=1
  fi
}
# Of the runtime's headers, not all of which are in the wheels, those of libraries need few names.
mkdir -p "$work/runtime/crt"
echo '#pragma once
typedef struct { unsigned short x; } __half;' >"$work/runtime/cuda_fp16.h"
echo '#pragma once
typedef struct { unsigned short x; } __nv_bfloat16;' >"$work/runtime/cuda_bf16.h"
for name in __host__ __device__ __device_builtin__ __cudart_builtin__ CUDARTAPI CUDART_CB __DEVICE_FUNCTIONS_DECL__; do
  echo "#define $name"
done >"$work/runtime/crt/host_defines.h"
for name in __align__ __builtin_align__; do
  echo "#define $name(n) __attribute__((aligned(n)))"
done >>"$work/runtime/crt/host_defines.h"
cat >"$work/runtime/cuda_runtime.h" <<'END'
#include <cuda.h>
#define CUDART_VERSION CUDA_VERSION
typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
END
for major in 12 13; do
  saved=("${include[@]}")
  for folder in "$wheels/cu$major"/nvidia/{*,cu13}/include; do
    [ ! -d "$folder" ] || include+=(-I "$folder")
  done
  check "cuda$major" cuda.h cgo/cuda/cuda.h CUDA_LIST "CUDA_VERSION / 1000 == $major"
  check "nvrtc$major" "cuda.h nvrtc.h" cgo/nvrtc/nvrtc.h NVRTC_LIST "CUDA_VERSION / 1000 == $major"
  include=(-I "$work/runtime" "${include[@]}")
  check "cublas$major" "cuda.h cublas_v2.h" cgo/cublas/cublas.h CUBLAS_LIST "CUBLAS_VER_MAJOR == $major"
  check "cublaslt$major" "cuda.h cublasLt.h" cgo/cublaslt/cublaslt.h CUBLASLT_LIST "CUBLAS_VER_MAJOR == $major"
  check "cusolver$major" "cuda.h cusolverDn.h" cgo/cusolver/cusolver.h CUSOLVER_LIST "CUSOLVER_VER_MAJOR == $major - 1"
  check "cufft$major" "cuda.h cufft.h" cgo/cufft/cufft.h CUFFT_LIST "CUFFT_VER_MAJOR == $major - 1"
  check "cudnn$major" "cuda.h cudnn_graph.h" cgo/cudnn/cudnn.h CUDNN_LIST "CUDNN_MAJOR == 9"
  check "nccl$major" nccl.h cgo/nccl/nccl.h NCCL_LIST "NCCL_MAJOR == 2 && CUDA_VERSION / 1000 == $major"
  include=("${saved[@]}")
  for library in "$wheels/cu$major"/nvidia/{cuda_nvrtc,cu13}/lib/libnvrtc.so.$major; do
    [ ! -f "$library" ] || symbols "nvrtc$major" cgo/nvrtc/nvrtc.h NVRTC_LIST "$library"
  done
  for library in "$wheels/cu$major"/nvidia/{cublas,cu13}/lib/libcublas.so.$major; do
    [ ! -f "$library" ] || symbols "cublas$major" cgo/cublas/cublas.h CUBLAS_LIST "$library"
  done
  for library in "$wheels/cu$major"/nvidia/{cublas,cu13}/lib/libcublasLt.so.$major; do
    [ ! -f "$library" ] || symbols "cublaslt$major" cgo/cublaslt/cublaslt.h CUBLASLT_LIST "$library"
  done
  for library in "$wheels/cu$major"/nvidia/{cusolver,cu13}/lib/libcusolver.so.$((major - 1)); do
    [ ! -f "$library" ] || symbols "cusolver$major" cgo/cusolver/cusolver.h CUSOLVER_LIST "$library"
  done
  for library in "$wheels/cu$major"/nvidia/{cufft,cu13}/lib/libcufft.so.$((major - 1)); do
    [ ! -f "$library" ] || symbols "cufft$major" cgo/cufft/cufft.h CUFFT_LIST "$library"
  done
  library=$wheels/cu$major/nvidia/cudnn/lib/libcudnn_graph.so.9
  [ ! -f "$library" ] || symbols "cudnn$major" cgo/cudnn/cudnn.h CUDNN_LIST "$library"
  library=$wheels/cu$major/nvidia/nccl/lib/libnccl.so.2
  [ ! -f "$library" ] || symbols "nccl$major" cgo/nccl/nccl.h NCCL_LIST "$library"
done

# The header of custom calls has the names of XLA's, so each is compiled by itself: a program prints where every field
# lies and what every constant is. jaxlib brings XLA's: -I "$(python3 -c 'import jax; print(jax.ffi.include_dir())')"
layout() {
  awk '
    BEGIN { print "#include <stdio.h>\n#include \"xla/ffi/api/c_api.h\"\nint main(void) {" }
    /^(typedef )?struct XLA_FFI_[A-Za-z_]+ \{/ { type = $0; sub(/^typedef /, "", type); sub(/ \{.*/, "", type) }
    /^}/ { type = "" }
    match($0, /^XLA_FFI_DEFINE_STRUCT_TRAITS\([A-Za-z_]+/) {
      name = substr($0, 30, RLENGTH - 29)
      printf "  printf(\"%s %%d %%zu\\n\", %s_STRUCT_SIZE, sizeof(%s));\n", name, name, name
    }
    match($0, /^  XLA_FFI_[A-Za-z0-9_]+ = /) {
      name = substr($0, 3, RLENGTH - 5)
      printf "  printf(\"%s %%d\\n\", %s);\n", name, name
    }
    type != "" && /^  [a-zA-Z].*;/ {
      field = $0; sub(/;.*/, "", field)
      if (!sub(/.*\(\*/, "", field)) sub(/.*[ *]/, "", field); else sub(/\).*/, "", field)
      printf "  printf(\"%s.%s %%zu %%zu\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n", \
        type, field, type, field, type, field
    }
    END { print "}" }' ffi/include/xla/ffi/api/c_api.h >"$work/layout.c"
  gcc "$@" -o "$work/layout" "$work/layout.c" && "$work/layout"
}
if echo '#include <xla/ffi/api/c_api.h>' | gcc "${include[@]}" -fsyntax-only -x c - 2>"$work/log"; then
  layout -Iffi/include >"$work/ours"
  layout "${include[@]}" >"$work/theirs"
  lines=$(wc -l <"$work/ours")
  [ "$lines" -gt 200 ] || { echo "ffi: only $lines lines to compare"; failed=1; }
  if diff "$work/ours" "$work/theirs"; then echo "ffi: same as in xla/ffi/api/c_api.h"; else failed=1; fi
else
  echo "ffi: skipped: no header xla/ffi/api/c_api.h"
  case ",${HALO_NEED:-}," in *,headers,*) failed=1 ;; esac
fi
exit "$failed"
