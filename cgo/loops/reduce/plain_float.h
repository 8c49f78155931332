// plain_float.h: sums and products of floats, in F64 or in blocks that are brought together in F64. A part of
// plain_impl.h. Sums begin with -0, which alone changes nothing: 0 would make a 0 of it.

typedef float vfloat __attribute__((vector_size(VECTOR), aligned(4), may_alias));
typedef double vdouble __attribute__((vector_size(VECTOR), aligned(8), may_alias));

// Elements whose sum is made in their type; independent sums.
enum { SUM_BLOCK = 4096, CHAINS = 8 };

// ADD_BLOCKS adds the blocks that begin at x, x + SUM_BLOCK and so on, side by side: CHAINS vectors of sums for each,
// which are added to the total one after the other. Of two blocks each is a stream of its own for what looks ahead in
// hardware, and nothing need be asked for, which takes time where few misses can wait.
#define ADD_BLOCKS(NAME, T, V, TOGETHER)                                                                               \
  {                                                                                                                    \
    const V none = -(V){0};                                                                                            \
    V s[TOGETHER * CHAINS];                                                                                            \
    _Pragma("GCC unroll 16") for (int c = 0; c < TOGETHER * CHAINS; c++) s[c] = none;                                  \
    for (int64_t i = 0; i < block; i += STEP) {                                                                        \
      _Pragma("GCC unroll 8") for (int c = 0; TOGETHER == 1 && c < (int)(CHAINS * sizeof(V)); c += 64)                 \
        __builtin_prefetch((const char *)(x + i) + AHEAD + c);                                                         \
      _Pragma("GCC unroll 16") for (int c = 0; c < TOGETHER * CHAINS; c++)                                             \
        s[c] += *(const V *)(x + c / CHAINS * SUM_BLOCK + i + c % CHAINS * LANES);                                     \
    }                                                                                                                  \
    _Pragma("GCC unroll 2") for (int t = 0; t < TOGETHER; t++) total = NAME##_added(s + t * CHAINS, total);            \
    x += TOGETHER * block;                                                                                             \
    n -= TOGETHER * block;                                                                                             \
  }

// SUM_BLOCKS defines the sum of a row, two blocks at a time if SUM_TWO, and of four rows, a piece of each by turns.
#if VECTOR == 32
enum { SUM_TWO = 1 };
#else
enum { SUM_TWO = 0 };
#endif
#define SUM_BLOCKS(NAME, T, V)                                                                                         \
  static inline double NAME##_added(const V *u, double total) {                                                        \
    const V v = ((u[0] + u[1]) + (u[2] + u[3])) + ((u[4] + u[5]) + (u[6] + u[7]));                                     \
    for (int l = 0; l < (int)(sizeof(V) / sizeof(T)); l++)                                                             \
      total += (double)v[l];                                                                                           \
    return total;                                                                                                      \
  }                                                                                                                    \
  static inline double NAME##_rest(const T *x, int64_t n, double total) {                                              \
    double a = -0.0, b = -0.0;                                                                                         \
    int64_t i = 0;                                                                                                     \
    for (; i + 2 <= n; i += 2) {                                                                                       \
      a += (double)x[i];                                                                                               \
      b += (double)x[i + 1];                                                                                           \
    }                                                                                                                  \
    if (i < n)                                                                                                         \
      a += (double)x[i];                                                                                               \
    return total + (a + b);                                                                                            \
  }                                                                                                                    \
  static double NAME(const T *x, int64_t n) {                                                                          \
    enum { LANES = sizeof(V) / sizeof(T), STEP = CHAINS * LANES };                                                     \
    double total = -0.0;                                                                                               \
    for (const int64_t block = SUM_BLOCK; SUM_TWO && n >= 2 * block;)                                                  \
      ADD_BLOCKS(NAME, T, V, 2)                                                                                        \
    while (n >= STEP) {                                                                                                \
      int64_t block = n < SUM_BLOCK ? n / STEP * STEP : SUM_BLOCK;                                                     \
      ADD_BLOCKS(NAME, T, V, 1)                                                                                        \
    }                                                                                                                  \
    return NAME##_rest(x, n, total);                                                                                   \
  }                                                                                                                    \
  static inline void NAME##_piece(const T *x, int64_t n, V *sums) {                                                    \
    enum { LANES = sizeof(V) / sizeof(T), STEP = CHAINS * LANES };                                                     \
    V s[CHAINS];                                                                                                       \
    _Pragma("GCC unroll 8") for (int c = 0; c < CHAINS; c++) s[c] = sums[c];                                           \
    for (int64_t i = 0; i < n; i += STEP)                                                                              \
      _Pragma("GCC unroll 8") for (int c = 0; c < CHAINS; c++) s[c] += *(const V *)(x + i + c * LANES);                \
    _Pragma("GCC unroll 8") for (int c = 0; c < CHAINS; c++) sums[c] = s[c];                                           \
  }                                                                                                                    \
  static void NAME##_four(const void *px, int64_t s, int64_t n, void *acc, int64_t each) {                             \
    enum { STEP = CHAINS * sizeof(V) / sizeof(T) };                                                                    \
    const T *x = px;                                                                                                   \
    double total[4] = {-0.0, -0.0, -0.0, -0.0};                                                                        \
    while (n >= STEP) {                                                                                                \
      const int64_t block = n < SUM_BLOCK ? n / STEP * STEP : SUM_BLOCK;                                               \
      V sums[4][CHAINS];                                                                                               \
      for (int c = 0; c < 4 * CHAINS; c++)                                                                             \
        sums[c / CHAINS][c % CHAINS] = -(V){0};                                                                        \
      for (int64_t i = 0; i < block; i += 4 * STEP)                                                                    \
        for (int r = 0; r < 4; r++)                                                                                    \
          NAME##_piece(x + r * s + i, block - i < 4 * STEP ? block - i : 4 * STEP, sums[r]);                           \
      for (int r = 0; r < 4; r++)                                                                                      \
        total[r] = NAME##_added(sums[r], total[r]);                                                                    \
      x += block, n -= block;                                                                                          \
    }                                                                                                                  \
    for (int r = 0; r < 4; r++)                                                                                        \
      ((double *)acc)[r * each] += NAME##_rest(x + r * s, n, total[r]);                                                \
  }
SUM_BLOCKS(sum_floats, float, vfloat)
SUM_BLOCKS(sum_doubles, double, vdouble)

// PRODUCT defines the product of a row, in F64.
#define PRODUCT(NAME, T, LOAD)                                                                                         \
  static double NAME(const T *x, int64_t n) {                                                                          \
    double s[16];                                                                                                      \
    for (int l = 0; l < 16; l++)                                                                                       \
      s[l] = 1;                                                                                                        \
    int64_t i = 0;                                                                                                     \
    for (; i + 16 <= n; i += 16)                                                                                       \
      for (int l = 0; l < 16; l++)                                                                                     \
        s[l] *= (double)LOAD(x[i + l]);                                                                                \
    for (; i < n; i++)                                                                                                 \
      s[0] *= (double)LOAD(x[i]);                                                                                      \
    for (int half = 8; half > 0; half /= 2)                                                                            \
      for (int l = 0; l < half; l++)                                                                                   \
        s[l] *= s[l + half];                                                                                           \
    return s[0];                                                                                                       \
  }
PRODUCT(product_f32, float, SAME)
PRODUCT(product_f64, double, SAME)
PRODUCT(product_bf16, uint16_t, from_bf16)
PRODUCT(product_f16, uint16_t, from_f16)

// NARROW defines the sum of a row of narrow floats, widened piece by piece.
#define NARROW(NAME, LOAD)                                                                                             \
  static double NAME(const uint16_t *x, int64_t n) {                                                                   \
    float wide[1024];                                                                                                  \
    double total = -0.0;                                                                                               \
    while (n > 0) {                                                                                                    \
      int64_t some = n < 1024 ? n : 1024;                                                                              \
      for (int64_t i = 0; i < some; i++)                                                                               \
        wide[i] = LOAD(x[i]);                                                                                          \
      total += sum_floats(wide, some);                                                                                 \
      x += some;                                                                                                       \
      n -= some;                                                                                                       \
    }                                                                                                                  \
    return total;                                                                                                      \
  }
NARROW(sum_bf16, from_bf16)
NARROW(sum_f16, from_f16)

// TAKE_EIGHT takes eight rows that are s elements apart into columns.
#define TAKE_EIGHT(C, LOAD, OP)                                                                                        \
  for (int64_t j = 0; j < n; j++) {                                                                                    \
    C p = OP((C)LOAD(x[j]), (C)LOAD(x[j + s])), q = OP((C)LOAD(x[j + 2 * s]), (C)LOAD(x[j + 3 * s]));                  \
    C u = OP((C)LOAD(x[j + 4 * s]), (C)LOAD(x[j + 5 * s])), v = OP((C)LOAD(x[j + 6 * s]), (C)LOAD(x[j + 7 * s]));      \
    a[j] = OP(a[j], (double)OP(OP(p, q), OP(u, v)));                                                                   \
  }

// SUM defines the loops: START is the op on nothing, OP the op, ROW the function of a row. Of eight rows the elements
// come together in the type C first.
#define SUM(NAME, T, LOAD, C, START, OP, ROW, STORE)                                                                   \
  GATHER(NAME, double, OP)                                                                                             \
  static void NAME##_start(void *acc, int64_t n) {                                                                     \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      ((double *)acc)[j] = START;                                                                                      \
  }                                                                                                                    \
  static void NAME##_row(const void *x, int64_t n, void *acc) {                                                        \
    *(double *)acc = OP(*(double *)acc, ROW(x, n));                                                                    \
  }                                                                                                                    \
  static void NAME##_rows(const void *R px, int64_t n, int64_t count, void *R acc) {                                   \
    const T *x = px;                                                                                                   \
    double *R a = acc;                                                                                                 \
    int64_t j = 0;                                                                                                     \
    for (; j + 4 <= count; j += 4, x += 4 * n) {                                                                       \
      double p = a[j], q = a[j + 1], u = a[j + 2], v = a[j + 3];                                                       \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        p = OP(p, (double)LOAD(x[i]));                                                                                 \
        q = OP(q, (double)LOAD(x[n + i]));                                                                             \
        u = OP(u, (double)LOAD(x[2 * n + i]));                                                                         \
        v = OP(v, (double)LOAD(x[3 * n + i]));                                                                         \
      }                                                                                                                \
      a[j] = p, a[j + 1] = q, a[j + 2] = u, a[j + 3] = v;                                                              \
    }                                                                                                                  \
    for (; j < count; j++, x += n)                                                                                     \
      for (int64_t i = 0; i < n; i++)                                                                                  \
        a[j] = OP(a[j], (double)LOAD(x[i]));                                                                           \
  }                                                                                                                    \
  static __attribute__((noinline)) void NAME##_far(const T *R x, int64_t s, int64_t n, double *R a) {                  \
    TAKE_EIGHT(C, LOAD, OP)                                                                                            \
  }                                                                                                                    \
  static void NAME##_cols(const void *R px, int64_t s, int64_t rows, int64_t n, void *R acc) {                         \
    const T *x = px;                                                                                                   \
    double *R a = acc;                                                                                                 \
    int64_t r = 0;                                                                                                     \
    if (is_far(s, n, rows / 8, rows * n * (int64_t)sizeof(T))) {                                                       \
      for (const int64_t part = rows / 8; r < part; r++)                                                               \
        NAME##_far(x + r * s, part * s, n, a);                                                                         \
      r = rows / 8 * 8, x += r * s;                                                                                    \
    }                                                                                                                  \
    for (; r + 8 <= rows; r += 8, x += 8 * s)                                                                          \
      TAKE_EIGHT(C, LOAD, OP)                                                                                          \
    for (; r < rows; r++, x += s)                                                                                      \
      for (int64_t j = 0; j < n; j++)                                                                                  \
        a[j] = OP(a[j], (double)LOAD(x[j]));                                                                           \
  }                                                                                                                    \
  static void NAME##_merge(void *acc, const void *other, int64_t n) {                                                  \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      ((double *)acc)[j] = OP(((double *)acc)[j], ((const double *)other)[j]);                                         \
  }                                                                                                                    \
  static void NAME##_finish(const void *acc, const void *init, void *out, int64_t n, int32_t bits) {                   \
    double first = (double)LOAD(*(const T *)init);                                                                     \
    (void)bits;                                                                                                        \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      ((T *)out)[j] = STORE(OP(((const double *)acc)[j], first));                                                      \
  }
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
SUM(sumf32, float, SAME, float, -0.0, PLUS, sum_floats, (float))
SUM(sumf64, double, SAME, double, -0.0, PLUS, sum_doubles, SAME)
SUM(sumbf16, uint16_t, from_bf16, float, -0.0, PLUS, sum_bf16, bf16_of)
SUM(sumf16, uint16_t, from_f16, float, -0.0, PLUS, sum_f16, f16_of)
SUM(mulf32, float, SAME, double, 1, TIMES, product_f32, (float))
SUM(mulf64, double, SAME, double, 1, TIMES, product_f64, SAME)
SUM(mulbf16, uint16_t, from_bf16, double, 1, TIMES, product_bf16, bf16_of)
SUM(mulf16, uint16_t, from_f16, double, 1, TIMES, product_f16, f16_of)

#define SUM_ROW(NAME, T, FOUR)                                                                                         \
  {sizeof(T), 8, sizeof(T), 0, NAME##_start, NAME##_row, NAME##_rows,                                                  \
   NAME##_cols, NAME##_merge, NAME##_finish, NAME##_gather, FOUR}
