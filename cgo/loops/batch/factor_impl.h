/* Factors of matrices in lanes, and triangular solves. */

/* first notes column j, from 1, where bad has none yet. */
INLINE ivec NAME(first)(ivec bad, ivec which, int64_t j) { return bad | (which & (bad == 0) & (BITS)(j + 1)); }

/* clean makes the other triangle zero, and all NaN where a column was bad. */
static void NAME(clean)(vec *a, int64_t n, int64_t row, int64_t column, ivec bad) {
  const vec none = {0}, nan = none + (T)NAN;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      vec *at = a + i * row + j * column;
      *at = NAME(pick)(bad != 0, nan, j > i ? none : *at);
    }
}

static void NAME(cholesky)(const halo_batch_record *r, vec *const *x) {
  const int64_t n = r->n, row = r->lower ? n : 1, column = r->lower ? 1 : n;
  vec *a = x[0];
  ivec bad = {0};
  for (int64_t j = 0; j < n; j++) {
    const vec *l = a + j * row;
    vec d = l[j * column];
    for (int64_t p = 0; p < j; p++) d -= l[p * column] * l[p * column];
    const ivec positive = d > 0;
    bad = NAME(first)(bad, ~positive, j);
    d = NAME(root)(NAME(pick)(positive, d, d + (T)NAN));
    const NAME(divisor) by = NAME(by)(d);
    a[j * (n + 1)] = d;
    for (int64_t i = j + 1; i < n; i++) {
      vec *m = a + i * row, s = m[j * column];
      for (int64_t p = 0; p < j; p++) s -= m[p * column] * l[p * column];
      m[j * column] = NAME(over)(s, &by);
    }
  }
  if (r->clean) NAME(clean)(a, n, row, column, bad);
  *(ivec *)x[1] = bad;
}

/* pivot returns the first row, from j on, with the greatest magnitude in column j. Bits of magnitudes are in the order
 * of the numbers, NaN's behind those of infinity: one on the diagonal stays, others are none. */
INLINE ivec NAME(pivot)(const halo_batch_record *r, const vec *a, int64_t j) {
  const ivec infinite = (ivec)((vec){0} + (T)INFINITY), from = {0};
  ivec many = (ivec)NAME(size)(a[j * (r->n + 1)]), at = from + (BITS)j;
  for (int64_t i = j + 1; i < r->m; i++) {
    const ivec y = (ivec)NAME(size)(a[i * r->n + j]), more = (y > many) & (y <= infinite);
    many = (y & more) | (many & ~more);
    at = ((BITS)i & more) | (at & ~more);
  }
  return at;
}

/* exchange exchanges row j and one below it, in each lane its own. */
static void NAME(exchange)(const halo_batch_record *r, vec *a, int64_t j, ivec at) {
  const int64_t n = r->n;
  for (int64_t i = j + 1; i < r->m; i++) {
    const ivec here = at == (BITS)i;
    for (int64_t c = 0; c < n; c++) {
      const vec top = a[j * n + c], low = a[i * n + c];
      a[j * n + c] = NAME(pick)(here, low, top), a[i * n + c] = NAME(pick)(here, top, low);
    }
  }
}

static void NAME(lu)(const halo_batch_record *r, vec *const *x) {
  const int64_t m = r->m, n = r->n;
  vec *a = x[0];
  ivec bad = {0};
  for (int64_t j = 0; j < (m < n ? m : n); j++) {
    const ivec at = NAME(pivot)(r, a, j);
    ((ivec *)x[1])[j] = at + 1;
    NAME(exchange)(r, a, j, at);
    const vec d = a[j * (n + 1)];
    bad = NAME(first)(bad, d == 0, j);
    const NAME(divisor) by = NAME(by)(NAME(pick)(d == 0, d + 1, d));
    for (int64_t i = j + 1; i < m; i++) {
      vec *row = a + i * n;
      const vec l = row[j] = NAME(over)(row[j], &by);
      for (int64_t c = j + 1; c < n; c++) row[c] -= l * a[j * n + c];
    }
  }
  *(ivec *)x[2] = bad;
}

/* unknown is unknown i of some right-hand sides. */
INLINE void NAME(unknown)(const int some, const halo_batch_record *r, int64_t i, const vec *a, vec *x,
                          const NAME(divisor) *by) {
  const int64_t row = r->rows[1], side = r->columns[1];
  vec s[4];
#pragma GCC unroll 4
  for (int j = 0; j < some; j++) s[j] = x[i * row + j * side];
  for (int64_t p = r->lower ? 0 : i + 1; p < (r->lower ? i : r->m); p++) {
    const vec l = a[p * r->columns[0]];
#pragma GCC unroll 4
    for (int j = 0; j < some; j++) s[j] -= l * x[p * row + j * side];
  }
#pragma GCC unroll 4
  for (int j = 0; j < some; j++) x[i * row + j * side] = r->unit ? s[j] : NAME(over)(s[j], by);
}

static void NAME(solve)(const halo_batch_record *r, vec *const *x) {
  for (int64_t step = 0; step < r->m; step++) {
    const int64_t i = r->lower ? step : r->m - 1 - step, side = r->columns[1];
    const vec *a = x[0] + i * r->rows[0];
    const NAME(divisor) by = NAME(by)(a[i * r->columns[0]]);
    int64_t j = 0;
    for (; j + 4 <= r->n; j += 4) NAME(unknown)(4, r, i, a, x[1] + j * side, &by);
    for (; j < r->n; j++) NAME(unknown)(1, r, i, a, x[1] + j * side, &by);
  }
}
