//go:build linux
#include "nvrtc.h"

#include <dlfcn.h>
#include <stdlib.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

nvrtc_table *halo_nvrtc_load(void *lib, const char **missing) {
  *missing = 0;
  nvrtc_table *t = malloc(sizeof *t);
  if (!t) return 0;
  NVRTC_LIST(LOAD)
  return t;
}
