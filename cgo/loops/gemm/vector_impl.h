/* The kernels of one instruction set and one type, T, for which INTEGER is as wide, and matrices of elements E, which
 * are widened as they are read: WIDEN(m) is the vector of what lies at m. */

enum { NAME(VL) = VB / sizeof(T), NAME(BLOCK) = HALO_VECTOR_BYTES / sizeof(T), NAME(ROWS) = 8 };
#define VL NAME(VL)
#define BLOCK NAME(BLOCK)
#define ROWS NAME(ROWS)

typedef T NAME(vec) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
typedef INTEGER NAME(lanes) __attribute__((vector_size(VB)));
#define vec NAME(vec)

/* one is an element of a matrix. */
INLINE T NAME(one)(const E *m) {
  const E w[VL] = {*m};
  return WIDEN(w)[0];
}

static const INTEGER NAME(places)[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* total is the sum of a vector's elements: it is added to itself turned by half, by a quarter, ... Places are taken
 * modulo VL. */
INLINE T NAME(total)(vec v) {
  NAME(lanes) places;
  memcpy(&places, NAME(places), sizeof places);
#pragma GCC unroll 4
  for (int w = VL / 2; w > 0; w /= 2) v += __builtin_shuffle(v, places + w);
  return v[0];
}

/* dots multiplies some rows of m, k elements that are side by side, and x. */
INLINE void NAME(dots)(const int rows, int64_t k, const E *m, int64_t stride, const T *x, T *y, int64_t step) {
  vec sum[ROWS] = {{0}};
  int64_t p = 0;
  for (; p + VL <= k; p += VL) {
    const vec v = *(const vec *)(x + p);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) sum[i] += WIDEN(m + i * stride + p) * v;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    T s = NAME(total)(sum[i]);
    for (int64_t q = p; q < k; q++) s += NAME(one)(m + i * stride + q) * x[q];
    y[i * step] = s;
  }
}

/* along multiplies a matrix whose rows' elements are side by side. */
static void NAME(along)(int64_t rows, int64_t k, const E *m, int64_t stride, const T *x, T *y, int64_t step) {
  int64_t i = 0;
  for (; i + ROWS <= rows; i += ROWS) NAME(dots)(ROWS, k, m + i * stride, stride, x, y + i * step, step);
  for (; i < rows; i++) NAME(dots)(1, k, m + i * stride, stride, x, y + i * step, step);
}

/* add adds to n sums the products of x with ROWS columns. */
INLINE void NAME(add)(int64_t n, const E *m, int64_t stride, const T *x, T *sums) {
  int64_t j = 0;
  for (; j + VL <= n; j += VL) {
    vec s = *(vec *)(sums + j), t = x[0] * WIDEN(m + j);
#pragma GCC unroll 8
    for (int i = 1; i < ROWS; i += 2) s += x[i] * WIDEN(m + i * stride + j);
#pragma GCC unroll 8
    for (int i = 2; i < ROWS; i += 2) t += x[i] * WIDEN(m + i * stride + j);
    *(vec *)(sums + j) = s + t;
  }
  for (; j < n; j++)
    for (int i = 0; i < ROWS; i++) sums[j] += x[i] * NAME(one)(m + i * stride + j);
}

/* across multiplies a matrix whose columns' elements are side by side. */
static void NAME(across)(int64_t rows, int64_t k, const E *m, int64_t stride, const T *x, T *y, int64_t step) {
  T sums[BLOCK];
  for (int64_t first = 0; first < rows; first += BLOCK) {
    const int64_t n = rows - first < BLOCK ? rows - first : BLOCK;
    memset(sums, 0, n * sizeof(T));
    int64_t p = 0;
    for (; p + ROWS <= k; p += ROWS) NAME(add)(n, m + p * stride + first, stride, x + p, sums);
    for (; p < k; p++)
      for (int64_t j = 0; j < n; j++) sums[j] += x[p] * NAME(one)(m + p * stride + first + j);
    for (int64_t j = 0; j < n; j++) y[(first + j) * step] = sums[j];
  }
}

static void NAME(piece)(const halo_blas_record *r, halo_run *run, int64_t m, int64_t n, const void *a, const void *b,
                        void *c) {
  (void)run, (void)n;
  (r->transpose_a ? NAME(across) : NAME(along))(m, r->k, a, r->lda, b, c, r->ldc);
}

static void NAME(record)(const halo_record *r, halo_run *run) { halo_blas_run(r, run, NAME(piece)); }

#undef T
#undef INTEGER
#undef E
#undef NAME
#undef WIDEN
#undef vec
#undef VL
#undef BLOCK
#undef ROWS
