/* The kernels of one instruction set and one type of sum. The including file defines T, the type of sums; VB, bytes of
 * a vector; MR, rows that are computed at a time; NV, vectors of columns; NAME(x), names of this set and type; and OWN,
 * the element type that needs no conversion. */

enum { NAME(VL) = VB / sizeof(T), NAME(NR) = NV * VB / sizeof(T) };
#define VL NAME(VL)
#define NR NAME(NR)

typedef T NAME(vec) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
#define vec NAME(vec)

/* loops are those of one row for a type of rhs's elements. */
typedef struct {
  T (*dot)(const T *a, const void *rhs, int64_t at, int64_t k);
  void (*axpy)(T *sums, const T *a, const void *rhs, int64_t at, const int64_t *column, int64_t n, int64_t k);
} NAME(loops);

/* load reads n elements of a type at offsets, or side by side from the first on. */
static void NAME(load)(T *dst, const void *src, int64_t type, int64_t first, const int64_t *offsets, int64_t n,
                       int contiguous) {
#define LOAD(code, S, convert, vectors) \
  case code: { \
    const S *s = (const S *)src + first; \
    if (contiguous) { \
      s += offsets[0]; \
      for (int64_t i = vectors(dst, s, n); i < n; i++) dst[i] = (T)convert(s[i]); \
    } else { \
      for (int64_t i = 0; i < n; i++) dst[i] = (T)convert(s[offsets[i]]); \
    } \
    return; \
  }
  switch (type) { GEMM_LOADS }
#undef LOAD
}

static void NAME(store)(void *dst, const T *src, int64_t type, int64_t first, const int64_t *offsets, int64_t n,
                        int contiguous) {
#define STORE(code, D, convert, vectors) \
  case code: { \
    D *d = (D *)dst + first; \
    if (contiguous) { \
      d += offsets[0]; \
      for (int64_t i = 0; i < n; i++) d[i] = (D)convert(src[i]); \
    } else { \
      for (int64_t i = 0; i < n; i++) d[offsets[i]] = (D)convert(src[i]); \
    } \
    return; \
  }
  switch (type) { GEMM_STORES }
#undef STORE
}

/* micro adds to mr rows of sums the products of rows of a with a panel of k rows of NR elements. */
INLINE void NAME(micro)(const int mr, int64_t k, const T *const *a, const T *panel, T *sums, int64_t stride) {
  vec acc[MR][NV];
#pragma GCC unroll 16
  for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
    for (int v = 0; v < NV; v++) acc[i][v] = *(const vec *)(sums + i * stride + v * VL);
  for (int64_t p = 0; p < k; p++, panel += NR) {
    vec b[NV];
#pragma GCC unroll 4
    for (int v = 0; v < NV; v++) b[v] = *(const vec *)(panel + v * VL);
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++) {
      T x = a[i][p];
#pragma GCC unroll 4
      for (int v = 0; v < NV; v++) acc[i][v] += x * b[v];
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
    for (int v = 0; v < NV; v++) *(vec *)(sums + i * stride + v * VL) = acc[i][v];
}

/* rows adds the products of m rows with a panel. */
static void NAME(rows)(int64_t m, int64_t k, const T *const *a, const T *panel, T *sums, int64_t stride) {
  int64_t i = 0;
  for (; i + MR <= m; i += MR) NAME(micro)(MR, k, a + i, panel, sums + i * stride, stride);
  for (; i + 4 <= m; i += 4) NAME(micro)(4, k, a + i, panel, sums + i * stride, stride);
  for (; i + 2 <= m; i += 2) NAME(micro)(2, k, a + i, panel, sums + i * stride, stride);
  for (; i < m; i++) NAME(micro)(1, k, a + i, panel, sums + i * stride, stride);
}

/* pack brings k terms of n rows of rhs into panels, k by NR each, with zeros behind the last row. */
static void NAME(pack)(const halo_gemm_record *r, T *panels, const void *rhs, int64_t first, const int64_t *row,
                       int64_t n, int neighbours, const int64_t *column, int64_t k, int contiguous, T *line) {
  for (int64_t j = 0; j < n; j += NR, panels += k * NR) {
    int64_t width = n - j < NR ? n - j : NR;
    if (width < NR) memset(panels, 0, k * NR * sizeof(T));
    if (neighbours) { /* rows are side by side in memory: so they are in a panel */
      for (int64_t p = 0; p < k; p++)
        NAME(load)(panels + p * NR, rhs, r->r.type, first + column[p], row + j, width, 1);
      continue;
    }
    for (int64_t c = 0; c < width; c++) {
      NAME(load)(line, rhs, r->r.type, first + row[j + c], column, k, contiguous);
      for (int64_t p = 0; p < k; p++) panels[p * NR + c] = line[p];
    }
  }
}

#define S T
#define ONE(x) NAME(own_##x)
#define WORD(v) (v)
#define VECTOR(from) *(const vec *)(from)
#include "gemm_single.h"
#undef S
#undef ONE
#undef WORD
#undef VECTOR

#define ROW(x) {NAME(x##_dot), NAME(x##_axpy)}
#ifdef NARROW
#define S _Float16
#define ONE(x) NAME(f16_##x)
#define WORD(v) (T)(v)
#define VECTOR(from) (vec)FROM_F16(from)
#include "gemm_single.h"
#undef S
#undef ONE
#undef WORD
#undef VECTOR

#define S uint16_t
#define ONE(x) NAME(bf16_##x)
#define WORD(v) from_bf16(v)
#define VECTOR(from) (vec)CAT(PREFIX, bf16, vector)(from)
#include "gemm_single.h"
#undef S
#undef ONE
#undef WORD
#undef VECTOR

static const NAME(loops) NAME(singles)[] = {[OWN] = ROW(own), [GEMM_F16] = ROW(f16), [GEMM_BF16] = ROW(bf16),
                                            [GEMM_S64] = {0}};
#else
static const NAME(loops) NAME(singles)[] = {[OWN] = ROW(own), [GEMM_S64 + 1] = {0}};
#endif
#undef ROW

/* single adds to the sums of one row what k terms give, without packing, by the loops for rhs's type. */
static void NAME(single)(const NAME(loops) *one, const T *a, const void *rhs, int64_t first, const int64_t *row,
                         int64_t n, int neighbours, const int64_t *column, int64_t k, T *sums) {
  if (neighbours)
    one->axpy(sums, a, rhs, first + row[0], column, n, k);
  else
    for (int64_t j = 0; j < n; j++) sums[j] += one->dot(a, rhs, first + row[j] + column[0], k);
}

static void NAME(tile)(const halo_gemm_record *r, char *scratch, const void *lhs, const void *rhs, void *out,
                       halo_gemm_tile t) {
  int64_t lb, rb, ob, left[GEMM_ROWS], right[GEMM_COLUMNS], down[GEMM_ROWS], across[GEMM_COLUMNS];
  const T *a[GEMM_ROWS];
  halo_walk_offsets(&r->l.batch, t.b, 1, &lb), halo_walk_offsets(&r->r.batch, t.b, 1, &rb);
  halo_walk_offsets(&r->o.batch, t.b, 1, &ob);
  halo_walk_offsets(&r->l.rows, t.i, t.m, left), halo_walk_offsets(&r->o.rows, t.i, t.m, down);
  int neighbours = halo_walk_offsets(&r->r.rows, t.j, t.n, right);
  int side_by_side = halo_walk_offsets(&r->o.columns, t.j, t.n, across);
  int64_t stride = (t.n + NR - 1) / NR * NR, long_k = t.m == 1 ? GEMM_LONG : GEMM_CHUNK;
  int64_t *lk = (int64_t *)scratch, *rk = lk + GEMM_LONG;
  T *line = (T *)(rk + GEMM_LONG), *sums = line + GEMM_LONG, *panels = sums + t.m * stride;
  T *rows = panels + GEMM_CHUNK * stride;
  lb += r->l.first, rb += r->r.first;
  const NAME(loops) *one = t.m == 1 && NAME(singles)[r->r.type].dot ? &NAME(singles)[r->r.type] : NULL;
  memset(sums, 0, t.m * stride * sizeof(T));
  for (int64_t p = 0, k; p < r->k && !*t.cancel; p += k) {
    k = r->k - p < long_k ? r->k - p : long_k;
    int ready = halo_walk_offsets(&r->l.columns, p, k, lk), contiguous = halo_walk_offsets(&r->r.columns, p, k, rk);
    if (!(neighbours || contiguous)) one = NULL;
    if (!one && k > GEMM_CHUNK) long_k = k = GEMM_CHUNK;
    for (int64_t i = 0; i < t.m; i++) {
      a[i] = (const T *)lhs + lb + left[i] + lk[0];
      if (ready && r->l.type == OWN) continue;
      T *row = t.m == 1 ? line : rows + i * k;
      NAME(load)(row, lhs, r->l.type, lb + left[i], lk, k, ready);
      a[i] = row;
    }
    if (one) {
      NAME(single)(one, a[0], rhs, rb, right, t.n, neighbours, rk, k, sums);
      continue;
    }
    NAME(pack)(r, panels, rhs, rb, right, t.n, neighbours, rk, k, contiguous, t.m == 1 ? rows : line);
    for (int64_t j = 0; j < stride; j += NR) NAME(rows)(t.m, k, a, panels + j * k, sums + j, stride);
  }
  for (int64_t i = 0; i < t.m; i++)
    NAME(store)(out, sums + i * stride, r->o.type, r->o.first + ob + down[i], across, t.n, side_by_side);
}

/* lanes computes m rows of every batch index: elements of a term are side by side in all three arrays. */
static void NAME(lanes)(const halo_gemm_record *r, char *scratch, const void *lhs, const void *rhs, void *out,
                        int64_t first, int64_t m) {
  int64_t *lk = (int64_t *)scratch, *rk = lk + r->k, *left = rk + r->k, *down = left + m;
  halo_walk_offsets(&r->l.columns, 0, r->k, lk), halo_walk_offsets(&r->r.columns, 0, r->k, rk);
  halo_walk_offsets(&r->l.rows, first, m, left), halo_walk_offsets(&r->o.rows, first, m, down);
  for (int64_t i = 0; i < m; i++) {
    const T *a = (const T *)lhs + r->l.first + left[i], *b = (const T *)rhs + r->r.first;
    T *c = (T *)out + r->o.first + down[i];
    int64_t g = 0;
    for (; g + 2 * VL <= r->b; g += 2 * VL) {
      vec x = {0}, y = {0};
      for (int64_t p = 0; p < r->k; p++) {
        x += *(const vec *)(a + lk[p] + g) * *(const vec *)(b + rk[p] + g);
        y += *(const vec *)(a + lk[p] + g + VL) * *(const vec *)(b + rk[p] + g + VL);
      }
      *(vec *)(c + g) = x;
      *(vec *)(c + g + VL) = y;
    }
    for (; g < r->b; g++) {
      T s = 0;
      for (int64_t p = 0; p < r->k; p++) s += a[lk[p] + g] * b[rk[p] + g];
      c[g] = s;
    }
  }
}

#undef vec
#undef VL
#undef NR
