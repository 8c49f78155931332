/* NVIDIA's compiler at run time: its nvrtc.h, versions 12 and 13. One row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned. The list makes the table, its loader and the forwards, so it is the only place to edit.
 * scripts/check-headers.sh compares with the vendor's headers. */
#ifndef HALO_NVRTC_H
#define HALO_NVRTC_H

#include <stddef.h>

typedef struct _nvrtcProgram *halo_program;

#define NVRTC_LIST(X) \
  X(nvrtcVersion, unsigned, (int *major, int *minor), (major, minor)) \
  X(nvrtcGetErrorString, const char *, (unsigned status), (status)) \
  X(nvrtcGetNumSupportedArchs, unsigned, (int *count), (count)) \
  X(nvrtcGetSupportedArchs, unsigned, (int *archs), (archs)) \
  X(nvrtcCreateProgram, unsigned, (halo_program *program, const char *source, const char *name, int headers, \
      const char *const *texts, const char *const *names), (program, source, name, headers, texts, names)) \
  X(nvrtcDestroyProgram, unsigned, (halo_program *program), (program)) \
  X(nvrtcCompileProgram, unsigned, (halo_program program, int count, const char *const *options), \
    (program, count, options)) \
  X(nvrtcGetPTXSize, unsigned, (halo_program program, size_t *size), (program, size)) \
  X(nvrtcGetPTX, unsigned, (halo_program program, char *ptx), (program, ptx)) \
  X(nvrtcGetCUBINSize, unsigned, (halo_program program, size_t *size), (program, size)) \
  X(nvrtcGetCUBIN, unsigned, (halo_program program, char *cubin), (program, cubin)) \
  X(nvrtcGetProgramLogSize, unsigned, (halo_program program, size_t *size), (program, size)) \
  X(nvrtcGetProgramLog, unsigned, (halo_program program, char *log), (program, log))

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  NVRTC_LIST(FIELD)
} nvrtc_table;
#undef FIELD

#define UNPACK(...) __VA_ARGS__
#define FORWARD(name, result, params, args) \
  static inline result halo_##name(const nvrtc_table *t, UNPACK params) { return t->name args; }
NVRTC_LIST(FORWARD)
#undef FORWARD
#undef UNPACK

// halo_nvrtc_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks or
// null if there is no memory. The table stays as long as the process.
nvrtc_table *halo_nvrtc_load(void *lib, const char **missing);

#endif
