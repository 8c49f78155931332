/* The kernels of one instruction set and one type, T, for which INTEGER is as wide, and matrices of elements E, which
 * are widened as they are read: WIDEN(m) is the vector of what lies at m, ONE(e) is one element. */

enum { NAME(VL) = VB / sizeof(T), NAME(BLOCK) = HALO_VECTOR_BYTES / sizeof(T), NAME(ROWS) = 8 };
#define VL NAME(VL)
#define BLOCK NAME(BLOCK)
#define ROWS NAME(ROWS)

typedef T NAME(vec) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
typedef INTEGER NAME(lanes) __attribute__((vector_size(VB)));
#define vec NAME(vec)

static const INTEGER NAME(places)[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

INLINE NAME(lanes) NAME(from)(INTEGER first) {
  NAME(lanes) places;
  memcpy(&places, NAME(places), sizeof places);
  return places + first;
}

/* halves adds the second half of each 2 w elements to the first: of 2 pairs vectors, whose sums go into half as many,
 * or of one. */
INLINE void NAME(halves)(const int w, const int pairs, vec *v) {
  const NAME(lanes) at = NAME(from)(0), second = (at & w) != 0;
  if (pairs == 0) v[0] += __builtin_shuffle(v[0], at + w);
#pragma GCC unroll 4
  for (int i = 0; i < pairs; i++) {
    const vec a = v[i], b = v[i + pairs];
    v[i] = __builtin_shuffle(a, b, at + (second & (VL - w)));
    v[i] += __builtin_shuffle(a, b, at + ((second & VL) | (~second & w)));
  }
}

/* totals makes the sums of n vectors' elements: that of vector i is element i * VL / n. What is added to what does not
 * depend on n. */
INLINE vec NAME(totals)(const int n, vec *v) {
  if (VL > 8) NAME(halves)(8, n * 8 / VL, v);
  if (VL > 4) NAME(halves)(4, n * 4 / VL, v);
  if (VL > 2) NAME(halves)(2, n * 2 / VL, v);
  NAME(halves)(1, n / VL, v);
  return v[0];
}

/* product is that of a matrix whose rows have k elements side by side, and of x. */
typedef struct {
  int64_t k, stride;
  const E *end; /* of the matrix */
  const T *x;
  vec rest; /* the last k % VL of x, and zeros */
} NAME(product);

/* last adds to the sums of some rows the last k % VL products. Behind a row is more of the matrix, but for its end,
 * where rows are copied. */
INLINE void NAME(last)(const int rows, const NAME(product) *f, const E *m, vec *sum) {
  E copies[ROWS][VL];
  const NAME(lanes) in_row = NAME(from)(0) < (INTEGER)(f->k % VL);
  int64_t stride = f->stride;
  if (f->end - m < (rows - 1) * stride + VL) {
    memset(copies, 0, sizeof copies);
    for (int i = 0; i < rows; i++) memcpy(copies[i], m + i * stride, f->k % VL * sizeof(E));
    m = copies[0], stride = VL;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) sum[i] += (vec)((NAME(lanes))WIDEN(m + i * stride) & in_row) * f->rest;
}

/* dots multiplies some rows of m and x. */
INLINE void NAME(dots)(const int rows, const NAME(product) *f, const E *m, T *y, int64_t step) {
  enum { MOST = VL < ROWS ? VL : ROWS };
  vec sum[ROWS] = {{0}};
  int64_t p = 0;
  for (; p + VL <= f->k; p += VL) {
    const vec v = *(const vec *)(f->x + p);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) sum[i] += WIDEN(m + i * f->stride + p) * v;
  }
  if (p < f->k) NAME(last)(rows, f, m + p, sum);
  const int n = rows < MOST ? rows : MOST;
#pragma GCC unroll 8
  for (int i = 0; i < rows; i += n) {
    const vec s = NAME(totals)(n, sum + i);
#pragma GCC unroll 8
    for (int j = 0; j < n; j++) y[(i + j) * step] = s[j * (VL / n)];
  }
}

/* along multiplies a matrix whose rows' elements are side by side. */
static void NAME(along)(int64_t rows, int64_t k, const E *m, int64_t stride, const T *x, T *y, int64_t step) {
  NAME(product) f = {k, stride, m + (rows - 1) * stride + k, x, {0}};
  memcpy(&f.rest, x + (k - k % VL), k % VL * sizeof(T));
  int64_t i = 0;
  for (; i + ROWS <= rows; i += ROWS) NAME(dots)(ROWS, &f, m + i * stride, y + i * step, step);
  for (; i < rows; i++) NAME(dots)(1, &f, m + i * stride, y + i * step, step);
}

/* add adds to n sums the products of x with some columns. */
INLINE void NAME(add)(const int columns, int64_t n, const E *m, int64_t stride, const T *x, T *sums) {
  int64_t j = 0;
  for (; j + VL <= n; j += VL) {
    vec s = *(vec *)(sums + j), t = x[0] * WIDEN(m + j);
#pragma GCC unroll 8
    for (int i = 1; i < columns; i += 2) s += x[i] * WIDEN(m + i * stride + j);
#pragma GCC unroll 8
    for (int i = 2; i < columns; i += 2) t += x[i] * WIDEN(m + i * stride + j);
    *(vec *)(sums + j) = s + t;
  }
  for (; j < n; j++)
    for (int i = 0; i < columns; i++) sums[j] += x[i] * ONE(m[i * stride + j]);
}

/* across multiplies a matrix whose columns' elements are side by side. */
static void NAME(across)(int64_t rows, int64_t k, const E *m, int64_t stride, const T *x, T *y, int64_t step) {
  T sums[BLOCK];
  for (int64_t first = 0; first < rows; first += BLOCK) {
    const int64_t n = rows - first < BLOCK ? rows - first : BLOCK;
    memset(sums, 0, n * sizeof(T));
    int64_t p = 0;
    for (; p + ROWS <= k; p += ROWS) NAME(add)(ROWS, n, m + p * stride + first, stride, x + p, sums);
    for (; p < k; p++) NAME(add)(1, n, m + p * stride + first, stride, x + p, sums);
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
#undef ONE
#undef vec
#undef VL
#undef BLOCK
#undef ROWS
