/* Products of one row with rhs as it lies, for one element type. The including file, gemm_impl.h, defines S, the type
 * in memory; WORD(v), an element as a T; VECTOR(from), a vector of neighbours; ONE(x), names; and what gemm_impl.h
 * wants. */

/* dot is the sum of k products of neighbours. */
static T ONE(dot)(const T *a, const void *rhs, int64_t at, int64_t k) {
  const S *b = (const S *)rhs + at;
  vec acc[4] = {{0}, {0}, {0}, {0}};
  int64_t p = 0;
  for (; p + 4 * VL <= k; p += 4 * VL)
#pragma GCC unroll 4
    for (int v = 0; v < 4; v++) acc[v] += *(const vec *)(a + p + v * VL) * VECTOR(b + p + v * VL);
  acc[0] = (acc[0] + acc[1]) + (acc[2] + acc[3]);
  T s = 0;
  for (int i = 0; i < VL; i++) s += acc[0][i];
  for (; p < k; p++) s += a[p] * WORD(b[p]);
  return s;
}

/* axpy adds to n sums the products of k terms with rows of rhs, whose elements are side by side: some rows at a time,
 * so that memory is read in long stretches. */
static void ONE(axpy)(T *sums, const T *a, const void *rhs, int64_t at, const int64_t *column, int64_t n, int64_t k) {
  enum { SOME = 8 };
  const S *b = (const S *)rhs + at;
  int64_t p = 0;
  for (; p + SOME <= k; p += SOME) {
    const S *row[SOME];
    for (int i = 0; i < SOME; i++) row[i] = b + column[p + i];
    int64_t j = 0;
    for (; j + VL <= n; j += VL) {
      vec s = *(vec *)(sums + j), t = a[p] * VECTOR(row[0] + j);
#pragma GCC unroll 8
      for (int i = 1; i < SOME; i += 2) s += a[p + i] * VECTOR(row[i] + j);
#pragma GCC unroll 8
      for (int i = 2; i < SOME; i += 2) t += a[p + i] * VECTOR(row[i] + j);
      *(vec *)(sums + j) = s + t;
    }
    for (; j < n; j++)
      for (int i = 0; i < SOME; i++) sums[j] += a[p + i] * WORD(row[i][j]);
  }
  for (; p < k; p++)
    for (int64_t j = 0; j < n; j++) sums[j] += a[p] * WORD(b[column[p] + j]);
}
