/* gemm.h: contractions by kernels of our own: out[b, i, j] = sum over k of lhs[b, i, k] rhs[b, j, k], where every index
 * walks through its array by steps. */
#ifndef HALO_GEMM_H
#define HALO_GEMM_H

#include "../run/record.h"

/* Element types, as they lie in memory. Unsigned ones of 32 and 64 bits are computed as signed ones. */
enum { GEMM_F32, GEMM_F64, GEMM_BF16, GEMM_F16, GEMM_S8, GEMM_U8, GEMM_S16, GEMM_U16, GEMM_S32, GEMM_S64 };

/* Types that sums are made in. */
enum { GEMM_SUM_F32, GEMM_SUM_F64, GEMM_SUM_I32, GEMM_SUM_I64, GEMM_SUMS };

enum { GEMM_STEPS = 8, GEMM_CHUNK = 256, GEMM_LONG = 4096, GEMM_ROWS = 192, GEMM_COLUMNS = 256 };

/* halo_walk is how an index moves: row-major over steps. Distances are in elements. */
typedef struct {
  int64_t steps;
  struct {
    int64_t n, stride;
  } step[GEMM_STEPS];
} halo_walk;

typedef struct {
  int64_t first, type;
  halo_walk batch, rows, columns;
} halo_gemm_operand;

typedef struct {
  halo_record head;
  halo_ref lhs, rhs, out;
  int64_t b, m, n, k;
  int64_t tile_m, tile_n, per_task; /* sizes of tiles, and how many make a task */
  int64_t sum, isa, lanes;          /* lanes: batch indices side by side, n is 1, tile_m rows a task */
  halo_gemm_operand l, r, o;
} halo_gemm_record;

/* halo_gemm_tile is a part of the result: rows i to i+m-1, columns j to j+n-1 of matrix b. Its sums end early if the
   run is cancelled. */
typedef struct {
  int64_t b, i, m, j, n;
  const volatile uint32_t *cancel;
} halo_gemm_tile;

/* halo_gemm_kernel is the kernels of an instruction set, by type of sum. scratch is SCRATCH bytes of gemm.c. */
typedef struct {
  void (*tile)(const halo_gemm_record *, char *scratch, const void *l, const void *r, void *o, halo_gemm_tile t);
  void (*lanes)(const halo_gemm_record *, char *scratch, const void *l, const void *r, void *o, int64_t i, int64_t m);
} halo_gemm_kernel;

extern const halo_gemm_kernel halo_gemm_base[GEMM_SUMS], halo_gemm_avx2[GEMM_SUMS], halo_gemm_avx512[GEMM_SUMS];

/* halo_gemm computes a contraction. */
void halo_gemm(const halo_record *r, halo_run *run);

/* halo_walk_offsets writes where places from to from+n-1 of a walk are. It returns 1 if they are neighbours. */
int halo_walk_offsets(const halo_walk *w, int64_t from, int64_t n, int64_t *out);

#endif
