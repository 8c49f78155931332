#!/usr/bin/env bash
# The tests at AVX-512 where there is no such machine: on a PC under Bochs, which starts Linux and then the tests alone.
# Arguments go to the tests of packages; without any, the C code. After check they go to halo check:
#   scripts/avx512.sh ./cgo/loops/gemm -run 'Small|Windows'
#   scripts/avx512.sh check --threads 1,3 FOLDER...
# It starts within two minutes and is a hundred times slower than a machine: choose tests that take a second elsewhere.
# HALO_AVX512_LIMIT is the seconds after which Bochs is ended.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
kept=${XDG_CACHE_HOME:-$HOME/.cache}/halo/bochs
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# Bochs 3.0 is built here, without its debugger and its windows; what else the PC has comes from Debian's packages.
missing=()
for pair in cpio=cpio xorriso=xorriso xz=xz-utils curl=curl make=make g++=g++; do
  command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
done
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] || { echo "avx512: missing: apt-get install ${missing[*]}" >&2; exit 1; }
  install "${missing[@]}" </dev/null
fi
build() {
  local from=http://deb.debian.org/debian/pool/main/b/bochs/bochs_3.0+dfsg.orig.tar.xz
  curl -sSfL "$from" -o "$work/bochs.tar.xz"
  echo "78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b $work/bochs.tar.xz" | sha256sum -c --quiet
  mkdir "$work/bochs"
  tar -xf "$work/bochs.tar.xz" -C "$work/bochs" --strip-components=1
  # It would read a file into memory past the end of a block.
  sed -i 's/get_vector(offset), size);/get_vector(offset), size < 4096 ? size : 4096);/' \
    "$work/bochs/memory/misc_mem.cc"
  # Its estimates of 1/sqrt(x) for 2, 8, 32 and so on would be those for 1, 4, 16.
  sed -i 's/^  if (fraction)$/  if (fraction || rsqrt_table == rsqrt14_table0)/' "$work/bochs/cpu/avx/avx512_rsqrt14.cc"
  (cd "$work/bochs" && CXXFLAGS="-O3 -w" CFLAGS="-O3 -w" ./configure --with-nogui --without-x --enable-x86-64 \
    --enable-avx --enable-evex --enable-all-optimizations --enable-trace-linking --disable-docbook --disable-debugger \
    --disable-readline --disable-show-ips && make -j "$(nproc)") >"$work/log" 2>&1 || { tail "$work/log" >&2; exit 1; }
  cp "$work/bochs/bochs" "$kept/"
}
mkdir -p "$kept/debian"
[ -x "$kept/bochs" ] || build
if [ ! -e "$kept/debian/bin/busybox" ]; then
  linux=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9]\S*\).*/\1/p')
  for name in "$linux" bochsbios vgabios isolinux syslinux-common busybox-static; do
    (cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "$name" && dpkg-deb -x "$name"_*.deb "$kept/debian")
  done
  [ -e "$kept/debian/bin/busybox" ] || ln -s ../usr/bin/busybox "$kept/debian/bin/busybox"
fi

# The disk in memory: the C library, the vendor libraries, the tests in folders like theirs, or halo and the cases.
root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,tmp,etc,halo}
cp "$kept/debian/bin/busybox" "$root/bin/"
for name in sh mount sleep poweroff; do ln -s busybox "$root/bin/$name"; done
printf 'root:x:0:0::/tmp:/bin/sh\n' >"$root/etc/passwd"
take() { # FILE...: with the libraries that it needs, where the loader finds them
  local file
  for file; do
    { ldd "$file" 2>/dev/null | grep -o '/[^ ]*' || true; } | sort -u | xargs -r -I{} cp -L --parents {} "$root"
  done
}
opened=(libopenblas.so.0 libdnnl.so.2 libdnnl.so.3 libfftw3.so.3 libfftw3f.so.3)
for name in "${opened[@]}"; do
  file=$(PATH=$PATH:/sbin ldconfig -p | awk -v n="$name" '$1 == n && !seen++ { print $NF }')
  [ -z "$file" ] || { cp -L --parents "$file" "$root"; take "$file"; }
done
flags='' list=()
if [ "${1:-}" = check ]; then
  shift
  go build -trimpath -o "$root/halo/halo" ./cmd/halo
  take "$root/halo/halo"
  for argument; do
    [ ! -d "$argument" ] || { cp -r --parents "$argument" "$root/halo"; argument=./$argument; }
    flags+=" '$argument'"
  done
  echo "cd /halo; ./halo check --backend cpu$flags" >"$root/halo/job"
else
  while [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; do list+=("$1"); shift; done
  [ ${#list[@]} -gt 0 ] || list=(./cgo/loops/...)
  for argument; do
    [ "${argument#-}" = "$argument" ] || argument=-test.${argument#-}
    flags+=" '$argument'"
  done
  git ls-files -z | grep -z '\(^\|/\)testdata/' | xargs -0 cp --parents -t "$root/halo"
  for folder in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' "${list[@]}"); do
    folder=${folder#"$PWD/"}
    mkdir -p "$root/halo/$folder"
    go test -c -trimpath -vet=off -o "$root/halo/$folder/tests" "./$folder"
    take "$root/halo/$folder/tests"
    echo "cd /halo/$folder && echo $folder && ./tests -test.short -test.timeout 0$flags || failed=1" >>"$root/halo/job"
  done
fi
cat >"$root/init" <<'END'
#!/bin/sh
export PATH=/bin HOME=/tmp TMPDIR=/tmp
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
failed=0; echo "avx512: started"
. /halo/job || failed=1
echo "avx512: failed=$failed"
sleep 3 # what is said takes its time on the line
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initrd"

# Time there is that of 40 million instructions a second. The BIOS leaves fast strings off: Linux does without all but
# short ones, feature 580, and those alone fail. It keeps the memory of the disk, which it would free wrongly.
disk=$work/disk
mkdir -p "$disk"
cp "$kept"/debian/boot/vmlinuz-* "$disk/vmlinuz"
cp "$kept"/debian/usr/lib/{ISOLINUX/isolinux.bin,syslinux/modules/bios/ldlinux.c32} "$disk/"
cat >"$disk/isolinux.cfg" <<END
default halo
label halo
  kernel /vmlinuz
  append console=ttyS0 quiet loglevel=3 nokaslr mitigations=off idle=poll nowatchdog tsc_early_khz=40000 tsc=reliable \
clearcpuid=580 retain_initrd initrdmem=0x20000000,$(stat -c %s "$work/initrd")
END
xorriso -as mkisofs -quiet -o "$work/disk.iso" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 \
  -boot-info-table "$disk" 2>/dev/null
cat >"$work/bochsrc" <<END
display_library: nogui
cpu: model=corei7_icelake_u, ips=40000000, add_features="avx512bf16", exclude_features="pku"
memory: guest=2048, host=2048
romimage: file=$kept/debian/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=$kept/debian/usr/share/vgabios/vgabios.bin
optramimage1: file=$work/initrd, address=0x20000000
ata0-master: type=cdrom, path=$work/disk.iso, status=inserted
boot: cdrom
clock: sync=none, time0=1700000000
com1: enabled=1, mode=file, dev=$work/serial
log: $work/log
panic: action=fatal
info: action=ignore
error: action=ignore
END
: >"$work/serial"
timeout "${HALO_AVX512_LIMIT:-36000}" "$kept/bochs" -q -f "$work/bochsrc" >/dev/null 2>&1 </dev/null &
tail -f --pid=$! "$work/serial" | sed -u 's,\r$,,' | tee "$work/said"
grep -q '^avx512: failed=0' "$work/said" || { grep -h '>>PANIC<<' "$work/log" >&2; exit 1; }
