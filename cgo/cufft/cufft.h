/* The part of cuFFT that we call: NVIDIA's cufft.h, versions 11 (of CUDA 12) and 12 (of CUDA 13). One row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned, as are the enumerations. The lists make the table, its loader, the forwards and the names of
 * statuses, so they are the only place to edit. scripts/check-headers.sh compares with the vendor's headers; only there
 * those come first and give the types. */
#ifndef HALO_CUFFT_H
#define HALO_CUFFT_H

#include <stddef.h>
#include <stdint.h>

#include "../cuda/call.h"
#include "../cuda/complex.h"

typedef int halo_cufft;
struct CUstream_st;

// The statuses by their names, which the library itself does not tell: those of both versions, and of each alone.
#define CUFFT_STATUSES(X) \
  X(CUFFT_SUCCESS, 0) \
  X(CUFFT_INVALID_PLAN, 1) \
  X(CUFFT_ALLOC_FAILED, 2) \
  X(CUFFT_INVALID_TYPE, 3) \
  X(CUFFT_INVALID_VALUE, 4) \
  X(CUFFT_INTERNAL_ERROR, 5) \
  X(CUFFT_EXEC_FAILED, 6) \
  X(CUFFT_SETUP_FAILED, 7) \
  X(CUFFT_INVALID_SIZE, 8) \
  X(CUFFT_UNALIGNED_DATA, 9) \
  X(CUFFT_INVALID_DEVICE, 11) \
  X(CUFFT_NO_WORKSPACE, 13) \
  X(CUFFT_NOT_IMPLEMENTED, 14) \
  X(CUFFT_NOT_SUPPORTED, 16)
#define CUFFT_STATUSES_11(X) \
  X(CUFFT_INCOMPLETE_PARAMETER_LIST, 10) \
  X(CUFFT_PARSE_ERROR, 12) \
  X(CUFFT_LICENSE_ERROR, 15)
#define CUFFT_STATUSES_12(X) \
  X(CUFFT_MISSING_DEPENDENCY, 17) \
  X(CUFFT_NVRTC_FAILURE, 18) \
  X(CUFFT_NVJITLINK_FAILURE, 19) \
  X(CUFFT_NVSHMEM_FAILURE, 20)

// The values that we give: what a transform takes and gives, R and C of f32, D and Z of f64, and its sign.
#define CUFFT_VALUES(X) \
  X(CUFFT_R2C, 0x2a) \
  X(CUFFT_C2R, 0x2c) \
  X(CUFFT_C2C, 0x29) \
  X(CUFFT_D2Z, 0x6a) \
  X(CUFFT_Z2D, 0x6c) \
  X(CUFFT_Z2Z, 0x69) \
  X(CUFFT_FORWARD, -1) \
  X(CUFFT_INVERSE, 1)

#ifdef CUFFT_VER_MAJOR
#define SAME(name, value) _Static_assert(name == value, #name);
CUFFT_STATUSES(SAME)
#if CUFFT_VER_MAJOR == 11
CUFFT_STATUSES_11(SAME)
#else
CUFFT_STATUSES_12(SAME)
#endif
CUFFT_VALUES(SAME)
#undef SAME
#endif

#define CUFFT_LIST(X) \
  X(cufftGetVersion, unsigned, (int *version), (version)) \
  X(cufftCreate, unsigned, (halo_cufft *plan), (plan)) \
  X(cufftDestroy, unsigned, (halo_cufft plan), (plan)) \
  X(cufftSetAutoAllocation, unsigned, (halo_cufft plan, int on), (plan, on)) \
  X(cufftMakePlanMany64, unsigned, (halo_cufft plan, int rank, long long *n, long long *inembed, long long istride, \
      long long idist, long long *onembed, long long ostride, long long odist, unsigned type, long long batch, \
      size_t *bytes), (plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes)) \
  X(cufftSetStream, unsigned, (halo_cufft plan, struct CUstream_st *stream), (plan, stream)) \
  X(cufftSetWorkArea, unsigned, (halo_cufft plan, void *work), (plan, work)) \
  X(cufftExecC2C, unsigned, (halo_cufft plan, halo_c64 *in, halo_c64 *out, int sign), (plan, in, out, sign)) \
  X(cufftExecR2C, unsigned, (halo_cufft plan, float *in, halo_c64 *out), (plan, in, out)) \
  X(cufftExecC2R, unsigned, (halo_cufft plan, halo_c64 *in, float *out), (plan, in, out)) \
  X(cufftExecZ2Z, unsigned, (halo_cufft plan, halo_c128 *in, halo_c128 *out, int sign), (plan, in, out, sign)) \
  X(cufftExecD2Z, unsigned, (halo_cufft plan, double *in, halo_c128 *out), (plan, in, out)) \
  X(cufftExecZ2D, unsigned, (halo_cufft plan, halo_c128 *in, double *out), (plan, in, out))

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  CUFFT_LIST(FIELD)
} cufft_table;
#undef FIELD

#define UNPACK(...) __VA_ARGS__
#define FORWARD(name, result, params, args) \
  static inline result halo_##name(const cufft_table *t, UNPACK params) { return t->name args; }
CUFFT_LIST(FORWARD)
#undef FORWARD
#undef UNPACK

// halo_cufft_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks or
// null if there is no memory. The table stays as long as the process.
cufft_table *halo_cufft_load(void *lib, const char **missing);

// halo_cufft_status is the name of a status.
const char *halo_cufft_status(unsigned status);

// The kinds of transforms, in the order of cufft.go.
enum { HALO_C2C, HALO_R2C, HALO_C2R, HALO_Z2Z, HALO_D2Z, HALO_Z2D, HALO_KINDS };

// Transforms of rank dimensions, batch of them at once, whose elements are stride apart and which begin in_step and
// out_step elements apart.
typedef struct {
  int64_t kind, rank, batch, stride, in_step, out_step;
  long long n[3], in_embed[3], out_embed[3];
} halo_cufft_shape;

// A plan and the lock of its stream and work area.
typedef struct halo_cufft_plan halo_cufft_plan;

// halo_cufft_open makes a plan for the context that is current, and gives the bytes of the work area that it wants; out
// is null if that fails.
unsigned halo_cufft_open(const cufft_table *t, halo_cufft_shape *shape, halo_cufft_plan **out, size_t *bytes);

// halo_cufft_close frees it.
unsigned halo_cufft_close(halo_cufft_plan *p);

// A use of a plan: count times, with so many bytes between the arrays of each. Its words are the addresses of what it
// takes, of what it gives, and of the work area.
typedef struct {
  halo_cuda_call call; // first
  halo_cufft_plan *plan;
  int64_t sign, count, in_bytes, out_bytes;
} halo_cufft_transform;

// halo_cufft_start makes x ready to be called.
void halo_cufft_start(halo_cufft_transform *x);

#endif
