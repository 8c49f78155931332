//go:build cgo

package dl

// #cgo LDFLAGS: -ldl
// #define _GNU_SOURCE
// #include <dlfcn.h>
// #include <link.h>
// #include <stdint.h>
// #include <stdlib.h>
// #include "opening.h"
// static const char *path_of(void *handle) {
//   struct link_map *map = 0;
//   return dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map ? 0 : map->l_name;
// }
// static const char *file_of(void *p, uintptr_t *offset) {
//   Dl_info info;
//   if (!dladdr(p, &info) || !info.dli_fname)
//     return 0;
//   *offset = (char *)p - (char *)info.dli_fbase;
//   return info.dli_fname;
// }
// static int has(void *handle, void *p) {
//   Dl_info info;
//   struct link_map *map = 0;
//   if (!dladdr(p, &info) || dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map)
//     return 0;
//   return (uintptr_t)info.dli_fbase == map->l_addr;
// }
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

func open(file string) (unsafe.Pointer, error) { return dlopen(file, C.RTLD_NOW|C.RTLD_LOCAL) }

func openGlobal(file string) (unsafe.Pointer, error) { return dlopen(file, C.RTLD_NOW|C.RTLD_GLOBAL) }

func loaded(soname string) (unsafe.Pointer, error) { return dlopen(soname, C.RTLD_NOW|C.RTLD_NOLOAD) }

func dlopen(file string, flags C.int) (unsafe.Pointer, error) {
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	runtime.LockOSThread() // dlerror is per thread
	defer runtime.UnlockOSThread()
	if handle := C.halo_dl_open(name, flags); handle != nil {
		return handle, nil
	}
	if said := C.dlerror(); said != nil {
		return nil, errors.New(C.GoString(said))
	}
	return nil, errors.New(file + ": not loaded")
}

func closeHandle(handle unsafe.Pointer) { C.dlclose(handle) }

// symbol looks in the library with the handle, of which nil is RTLD_DEFAULT: the process.
func symbol(handle unsafe.Pointer, symbol string) (unsafe.Pointer, error) {
	name := C.CString(symbol)
	defer C.free(unsafe.Pointer(name))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if p := C.dlsym(handle, name); p != nil {
		return p, nil
	}
	if said := C.dlerror(); said != nil {
		return nil, errors.New(C.GoString(said))
	}
	return nil, errors.New("its address is 0")
}

// pathOf returns the file behind a handle, or what was asked for if the loader does not say.
func pathOf(handle unsafe.Pointer, asked string) string {
	if path := C.path_of(handle); path != nil {
		return C.GoString(path)
	}
	return asked
}

func where(p unsafe.Pointer) (string, uint64) {
	var offset C.uintptr_t
	file := C.file_of(p, &offset)
	if file == nil {
		return "", 0
	}
	return C.GoString(file), uint64(offset)
}

func has(handle, p unsafe.Pointer) bool { return C.has(handle, p) != 0 }
