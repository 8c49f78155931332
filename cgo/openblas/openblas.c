#include "openblas.h"

#include <dlfcn.h>

openblas_table openblas;

#define LOAD(name, result, params, args) \
  if (!(*(void **)&openblas.name = dlsym(lib, #name))) return #name;

const char *openblas_load(void *lib) {
  OPENBLAS_LIST(LOAD)
  return 0;
}

#define CALL(name, result, params, args) \
  result shim_##name params { return openblas.name args; }

OPENBLAS_LIST(CALL)
