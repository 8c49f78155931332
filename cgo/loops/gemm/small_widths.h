/* The kernels of one instruction set and one type, T, whose name is TYPE, for vectors of all widths: results with fewer
 * columns than a vector has places are left to narrower ones. */
#define VB 16
#define NAME(x) CAT(PREFIX, TYPE, v16_##x)
#include "small_impl.h"
#undef VB
#undef NAME

#if WIDEST >= 32
#define VB 32
#define NAME(x) CAT(PREFIX, TYPE, v32_##x)
#define NARROWER CAT(PREFIX, TYPE, v16_piece)
#include "small_impl.h"
#undef VB
#undef NAME
#undef NARROWER
#endif

#if WIDEST >= 64
#define VB 64
#define NAME(x) CAT(PREFIX, TYPE, v64_##x)
#define NARROWER CAT(PREFIX, TYPE, v32_piece)
#include "small_impl.h"
#undef VB
#undef NAME
#undef NARROWER
#endif

static void CAT(PREFIX, TYPE, record)(const halo_record *r, halo_run *run) {
  halo_blas_run(r, run, CAT(PREFIX, TYPE, WIDEST_PIECE));
}
