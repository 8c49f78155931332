/* Householder's reflectors of matrices in lanes, as LAPACK has them: I - tau v v', where v begins with 1. */

/* norm is that of column j from row j on. Squares that are too large or too small are those of numbers that the largest
 * one has divided. rest says where there is anything below row j. */
INLINE vec NAME(norm)(const halo_batch_record *r, const vec *a, int64_t j, ivec *rest) {
  const vec zero = {0};
  vec sum = zero, most = NAME(size)(a[j * (r->n + 1)]);
  *rest = (ivec){0};
  for (int64_t i = j; i < r->m; i++) {
    const vec v = a[i * r->n + j], many = NAME(size)(v);
    sum += v * v;
    most = NAME(pick)(many > most, many, most);
    if (i > j) *rest |= many != 0;
  }
  const ivec safe = (sum > LEAST / (T)(sizeof(T) == 4 ? 0x1p-30 : 0x1p-60)) & (sum < 1 / LEAST);
  if (!NAME(any)(~safe)) return NAME(root)(sum);
  const vec by = NAME(pick)(most == 0, zero + 1, most);
  vec small = zero;
  for (int64_t i = j; i < r->m; i++) {
    const vec v = a[i * r->n + j] / by;
    small += v * v;
  }
  return NAME(pick)(safe, NAME(root)(sum), by * NAME(root)(small));
}

/* reflect applies the reflector of column j, whose v is below the diagonal, to column c. */
INLINE void NAME(reflect)(const halo_batch_record *r, vec *a, int64_t j, int64_t c, vec tau) {
  const int64_t n = r->n;
  vec w = a[j * n + c];
  for (int64_t i = j + 1; i < r->m; i++) w += a[i * n + j] * a[i * n + c];
  w *= tau;
  a[j * n + c] -= w;
  for (int64_t i = j + 1; i < r->m; i++) a[i * n + c] -= w * a[i * n + j];
}

static void NAME(qr)(const halo_batch_record *r, vec *const *x) {
  const int64_t m = r->m, n = r->n;
  vec *a = x[0];
  for (int64_t j = 0; j < (m < n ? m : n); j++) {
    ivec rest;
    vec norm = NAME(norm)(r, a, j, &rest), alpha = a[j * (n + 1)];
    const ivec negative = (ivec)alpha < 0;
    const vec beta = NAME(pick)(negative, norm, -norm), one = (vec){0} + 1;
    const vec tau = NAME(pick)(rest, (beta - alpha) / beta, one - 1);
    const NAME(divisor) by = NAME(by)(NAME(pick)(rest, alpha - beta, one));
    for (int64_t i = j + 1; i < m; i++) a[i * n + j] = NAME(over)(a[i * n + j], &by);
    a[j * (n + 1)] = NAME(pick)(rest, beta, alpha);
    for (int64_t c = j + 1; c < n; c++) NAME(reflect)(r, a, j, c, tau);
    x[1][j] = tau;
  }
}

static void NAME(q)(const halo_batch_record *r, vec *const *x) {
  const int64_t m = r->m, n = r->n;
  const vec zero = {0};
  vec *a = x[0];
  for (int64_t i = 0; i < m; i++)
    for (int64_t c = r->k; c < n; c++) a[i * n + c] = zero + (T)(i == c);
  for (int64_t j = r->k - 1; j >= 0; j--) {
    const vec tau = x[1][j];
    for (int64_t c = j + 1; c < n; c++) NAME(reflect)(r, a, j, c, tau);
    for (int64_t i = 0; i < j; i++) a[i * n + j] = zero;
    a[j * (n + 1)] = 1 - tau;
    for (int64_t i = j + 1; i < m; i++) a[i * n + j] *= -tau;
  }
}
