#!/usr/bin/env bash
# Makes the root file system of the container image: halo, the C library and the libraries it opens, nothing else.
#   scripts/rootfs.sh DIR [BINARY TERMS]   a halo that is built already and the folder that scripts/licenses.sh wrote,
#                                          for another stage of a Dockerfile
#   scripts/rootfs.sh --try DIR            makes it, runs the doctor and the digits model in it by chroot, prints sizes
# LIBRARIES="onednn openblas" chooses the vendor libraries; the default is onednn. CUDA=12 or CUDA=13 adds NVIDIA's of
# that version, from PyPI or from the folder CUDA_WHEELS: those of NVIDIA="nvrtc cublas cufft cusolver cudnn", which is
# all; without nvrtc there is no GPU. It needs Debian's apt-get and dpkg-deb and no daemon; the try-out needs root for
# the chroot. ARCH=arm64 or amd64 is the machine that it is for: another than this one takes gcc-aarch64-linux-gnu, and
# qemu-user-static for the try-out.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
try=
[ "${1:-}" != --try ] || { try=1; shift; }
[ $# -ge 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
root=$(cd "$1" && pwd)
binary=${2:-}
terms=${3:-}
declare -A triplets=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu)
declare -A machines=([amd64]=x86_64 [arm64]=aarch64)
here_arch=$(dpkg --print-architecture)
ARCH=${ARCH:-$here_arch}
arch=${triplets[$ARCH]} machine=${machines[$ARCH]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A packages=(
  [onednn]="libdnnl2 ocl-icd-libopencl1 libgomp1 libstdc++6"
  [openblas]="libopenblas0-pthread libgfortran5 libquadmath0"
)
nvidia=${CUDA:+${NVIDIA-nvrtc cublas cufft cusolver cudnn}}
list="libc6 libgcc-s1"
[ -z "$nvidia" ] || list+=" libstdc++6"
[[ " $nvidia " != *" cudnn "* ]] || list+=" zlib1g"
wrong() { echo "rootfs: $1" >&2; exit 2; }
[ -z "$binary" ] || [ -f "$binary" ] || wrong "$binary: no such file, want a halo that is built already"
[ -z "$binary" ] || [ -d "$terms" ] || wrong "TERMS: got '$terms', want the folder that scripts/licenses.sh wrote"
for library in ${LIBRARIES-onednn}; do
  [ -n "${packages[$library]:-}" ] || wrong "LIBRARIES: got $library, want some of ${!packages[*]}"
  list+=" ${packages[$library]}"
done
case ${CUDA:-12} in 12 | 13) ;; *) wrong "CUDA: got $CUDA, want 12 or 13" ;; esac
for name in $nvidia; do
  case $name in
    nvrtc | cublas | cufft | cusolver | cudnn) ;;
    *) wrong "NVIDIA: got $name, want some of nvrtc cublas cufft cusolver cudnn" ;;
  esac
done

# Another machine's packages are found by lists of their own.
apt=(apt-get -qq -o APT::Sandbox::User=root)
if [ "$ARCH" != "$here_arch" ]; then
  mkdir -p "$work/lists/partial"
  apt+=(-o APT::Architecture="$ARCH" -o APT::Architectures="$ARCH" -o Dir::State::Lists="$work/lists")
  "${apt[@]}" update
fi

# fetch unpacks a package: its shared libraries and its terms.
fetch() {
  (cd "$work" && "${apt[@]}" download "$1")
  dpkg-deb -x "$work/$1"_*.deb "$work/$1"
  (cd "$work/$1" && find . \( -path "*/$arch/*.so*" -o -name 'ld-linux*' -o -path '*/openblas-pthread/*.so*' \
    -o -path './usr/share/doc/*/copyright' \) \( -type f -o -type l \) ! -path '*/gconv/*' ! -path '*/audit/*' -print0 |
    xargs -0 cp -a --parents -t "$root")
}

mkdir -p "$root"/{bin,etc,tmp,usr/lib,usr/share/halo}
for package in $(printf '%s\n' $list | sort -u); do
  fetch "$package"
done
# Debian's alternatives would make this link.
blas=usr/lib/$arch/openblas-pthread/libopenblas.so.0
[ ! -e "$root/$blas" ] || ln -sf openblas-pthread/libopenblas.so.0 "$root/usr/lib/$arch/libopenblas.so.0"
# NVIDIA's libraries that halo opens, the files of each and where they come from, and their terms; the driver comes with
# the machine.
declare -A files=([nvrtc]="nvrtc nvrtc-builtins" [cublas]="cublasLt cublas" [cufft]=cufft
  [cusolver]="nvJitLink cusparse cusolver"
  [cudnn]="$(printf 'cudnn_%s ' graph heuristic engines_{precompiled,runtime_compiled,tensor_ir})")
declare -A wheels=([nvrtc12]=nvidia-cuda-nvrtc-cu12 [cublas12]=nvidia-cublas-cu12 [cufft12]=nvidia-cufft-cu12
  [cusolver12]="nvidia-cusolver-cu12 nvidia-cusparse-cu12 nvidia-nvjitlink-cu12" [cudnn12]=nvidia-cudnn-cu12
  [nvrtc13]="nvidia-cuda-nvrtc==13.*" [cublas13]="nvidia-cublas==13.*" [cufft13]="nvidia-cufft==12.*"
  [cusolver13]="nvidia-cusolver==12.* nvidia-cusparse==12.* nvidia-nvjitlink==13.*" [cudnn13]=nvidia-cudnn-cu13)
if [ -n "$nvidia" ]; then
  site=${CUDA_WHEELS:-}
  if [ -z "$site" ]; then
    site=$work/wheels
    wanted=$(for name in $nvidia; do echo "${wheels[$name$CUDA]}"; done)
    python3 -m pip install -q --no-deps --only-binary=:all: --target "$site" \
      $(printf -- "--platform manylinux%s_$machine " 2014 _2_17 _2_27 _2_28) $wanted
  fi
  to=$root/usr/local/cuda-$CUDA/lib64
  mkdir -p "$to" "$root/usr/share/halo/nvidia"
  for file in $(for name in $nvidia; do echo "${files[$name]}"; done); do
    found=$(find "$site" -name "lib$file.so.*" -print -quit)
    if [ -n "$found" ]; then
      cp -L "$found" "$to"
    elif [ "$file" != cudnn_engines_tensor_ir ]; then # of some versions
      echo "rootfs: there is no lib$file.so in $site" >&2
      exit 1
    fi
  done
  find "$site" -type f -iname 'license*' -path '*nvidia*dist-info*' | while read -r file; do
    cp "$file" "$root/usr/share/halo/nvidia/$(basename "${file%%.dist-info/*}").txt"
  done
fi
printf 'root:x:0:0::/:/bin/false\nhalo:x:65532:65532::/tmp:/bin/false\n' >"$root/etc/passwd"
printf 'root:x:0:\nhalo:x:65532:\n' >"$root/etc/group"
chmod 1777 "$root/tmp"
if [ -z "$binary" ]; then
  terms=$work/terms
  ( # what setup.sh defines stays in here
    cd "$here"
    source scripts/setup.sh
    if [ "$ARCH" != "$here_arch" ]; then
      export GOARCH=$ARCH CGO_ENABLED=1 CC=$machine-linux-gnu-gcc
    fi
    go build -trimpath -ldflags='-s -w' -o "$work/halo" ./cmd/halo
    scripts/licenses.sh "$terms"
  )
  binary=$work/halo
fi
install -m 755 "$binary" "$root/bin/halo"
cp "$here"/LICENSE "$here"/NOTICE "$root/usr/share/halo/"
cp -r "$terms" "$root/usr/share/halo/terms"

if [ -n "$try" ]; then
  cp -r "$here/testdata/programs/digits" "$root/tmp/digits"
  as=(chroot --userspec=65532:65532 "$root")
  if [ "$ARCH" != "$here_arch" ]; then
    cp "$(command -v "qemu-$machine-static")" "$root/tmp/qemu"
    as+=(/tmp/qemu)
  fi
  "${as[@]}" /bin/halo doctor
  # Without a driver the doctor opens none of NVIDIA's libraries: the loader says whether they have what they need.
  loader=/$(cd "$root" && echo lib*/ld-linux*)
  for file in $(cd "$root" && find usr/local -name '*.so*'); do
    needs=$("${as[@]}" "$loader" --library-path "/${file%/*}" --list "/$file" 2>&1) || true
    ! grep -E 'not found|error' <<<"$needs" | grep -vF libcuda.so.1 || exit 1 # the driver is the machine's
  done
  "${as[@]}" /bin/halo run /tmp/digits/module.mlir iota --backend cpu
  rm -rf "$root/tmp/digits" "$root/tmp/qemu"
  echo "sizes in MB: $(du -sm --apparent-size "$root" | cut -f1) unpacked," \
    "$(tar -C "$root" -c . | gzip -6 | wc -c | awk '{printf "%.0f", $1 / 1e6}') compressed"
  find "$root" -type f -size +1M -printf '%s %P\n' | sort -rn | awk '{printf "%6.1f %s\n", $1 / 1e6, $2}'
fi
