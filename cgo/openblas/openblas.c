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

const char *openblas_core(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_is("amdfam17h") || __builtin_cpu_is("amdfam19h")) return "";
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return "";
}
