// few_impl.h: transposes of planes, and of what is left of planes, that have sides too short for squares of vectors: by
// squares of four elements, of which the last ones lie over those before.

typedef uint8_t bytes16 __attribute__((vector_size(16), may_alias));
typedef uint16_t words8 __attribute__((vector_size(16), may_alias));
typedef uint32_t longs4 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t pairs2 __attribute__((vector_size(16), aligned(1), may_alias));

// quad_NAME moves a square of four.
INLINE void quad_1(char *d, int64_t ds, const char *s, int64_t ss) {
  const longs4 r = {*(element_4 *)s, *(element_4 *)(s + ss), *(element_4 *)(s + 2 * ss), *(element_4 *)(s + 3 * ss)};
  const bytes16 b = (bytes16)r;
  const longs4 t =
      (longs4)__builtin_shufflevector(b, b, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (int i = 0; i < 4; i++) *(element_4 *)(d + i * ds) = t[i];
}

INLINE void quad_2(char *d, int64_t ds, const char *s, int64_t ss) {
  words8 r[4];
  for (int j = 0; j < 4; j++) r[j] = (words8)(pairs2){*(element_8 *)(s + j * ss), 0};
  const words8 a = LO8(r[0], r[2]), b = LO8(r[1], r[3]);
  const pairs2 t[2] = {(pairs2)LO8(a, b), (pairs2)HI8(a, b)};
  for (int i = 0; i < 4; i++) *(element_8 *)(d + i * ds) = t[i / 2][i % 2];
}

#define QUAD(T, name)                                                                                        \
  typedef T CAT(four_, name) __attribute__((vector_size(4 * sizeof(T)), aligned(1), may_alias));             \
  INLINE void CAT(quad_, name)(char *d, int64_t ds, const char *s, int64_t ss) {                             \
    CAT(four_, name) r[4], t[4];                                                                             \
    for (int j = 0; j < 4; j++) r[j] = *(const CAT(four_, name) *)(s + j * ss);                              \
    for (int j = 0; j < 2; j++) t[2 * j] = LO4(r[j], r[j + 2]), t[2 * j + 1] = HI4(r[j], r[j + 2]);          \
    for (int j = 0; j < 2; j++) r[2 * j] = LO4(t[j], t[j + 2]), r[2 * j + 1] = HI4(t[j], t[j + 2]);          \
    for (int i = 0; i < 4; i++) *(CAT(four_, name) *)(d + i * ds) = r[i];                                    \
  }
QUAD(uint32_t, 4)
QUAD(uint64_t, 8)

// pair_NAME moves two rows of four elements.
INLINE void pair_1(char *d, int64_t ds, const char *s, int64_t ss) {
  const words8 r = {*(element_2 *)s, *(element_2 *)(s + ss), *(element_2 *)(s + 2 * ss), *(element_2 *)(s + 3 * ss)};
  const bytes16 b = (bytes16)r;
  const longs4 t = (longs4)__builtin_shufflevector(b, b, 0, 2, 4, 6, 1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7);
  *(element_4 *)d = t[0], *(element_4 *)(d + ds) = t[1];
}

INLINE void pair_2(char *d, int64_t ds, const char *s, int64_t ss) {
  const longs4 r = {*(element_4 *)s, *(element_4 *)(s + ss), *(element_4 *)(s + 2 * ss), *(element_4 *)(s + 3 * ss)};
  const words8 w = (words8)r;
  const pairs2 t = (pairs2)__builtin_shufflevector(w, w, 0, 2, 4, 6, 1, 3, 5, 7);
  *(element_8 *)d = t[0], *(element_8 *)(d + ds) = t[1];
}

INLINE void pair_4(char *d, int64_t ds, const char *s, int64_t ss) {
  const longs4 a = (longs4)(pairs2){*(element_8 *)s, *(element_8 *)(s + ss)};
  const longs4 b = (longs4)(pairs2){*(element_8 *)(s + 2 * ss), *(element_8 *)(s + 3 * ss)};
  *(longs4 *)d = __builtin_shufflevector(a, b, 0, 2, 4, 6);
  *(longs4 *)(d + ds) = __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

INLINE void pair_8(char *d, int64_t ds, const char *s, int64_t ss) {
  for (int j = 0; j < 4; j += 2) {
    const pairs2 a = *(const pairs2 *)(s + j * ss), b = *(const pairs2 *)(s + (j + 1) * ss);
    *(pairs2 *)(d + 8 * j) = LO2(a, b), *(pairs2 *)(d + ds + 8 * j) = HI2(a, b);
  }
}

// EACH moves a block of A rows of B elements one by one.
#define EACH(T, block, A, B)                                                                                 \
  INLINE void block(char *d, int64_t ds, const char *s, int64_t ss) {                                        \
    for (int i = 0; i < A; i++)                                                                              \
      for (int j = 0; j < B; j++)                                                                            \
        memcpy(d + i * ds + j * (int64_t)sizeof(T), s + i * (int64_t)sizeof(T) + j * ss, sizeof(T));         \
  }
EACH(u128, quad_16, 4, 4)
EACH(u128, pair_16, 2, 4)

// BLOCKS moves m rows of n elements by blocks of A by B, of which the last ones lie over those before.
#define BLOCKS(T, blocks, block, A, B)                                                                       \
  INLINE void blocks(char *d, int64_t ds, const char *s, int64_t ss, int64_t m, int64_t n) {                 \
    const int64_t w = sizeof(T);                                                                             \
    for (int64_t i = 0; i < m; i += A) {                                                                     \
      const int64_t y = i + A < m ? i : m - A;                                                               \
      for (int64_t j = 0; j < n; j += B) {                                                                   \
        const int64_t x = j + B < n ? j : n - B;                                                             \
        block(d + y * ds + x * w, ds, s + y * w + x * ss, ss);                                               \
      }                                                                                                      \
    }                                                                                                        \
  }
// FEW moves m rows of n elements by the largest blocks that there is room for.
#define FEW(T, name)                                                                                         \
  EACH(T, CAT(short_, name), 4, 2)                                                                           \
  EACH(T, CAT(one_, name), 1, 1)                                                                             \
  BLOCKS(T, CAT(quads_, name), CAT(quad_, name), 4, 4)                                                       \
  BLOCKS(T, CAT(pairs_, name), CAT(pair_, name), 2, 4)                                                       \
  BLOCKS(T, CAT(shorts_, name), CAT(short_, name), 4, 2)                                                     \
  BLOCKS(T, CAT(ones_, name), CAT(one_, name), 1, 1)                                                         \
  static void CAT(few_, name)(char *d, int64_t ds, const char *s, int64_t ss, int64_t m, int64_t n) {        \
    if (m >= 4 && n >= 4) CAT(quads_, name)(d, ds, s, ss, m, n);                                             \
    else if (m >= 2 && n >= 4) CAT(pairs_, name)(d, ds, s, ss, m, n);                                        \
    else if (m >= 4 && n >= 2) CAT(shorts_, name)(d, ds, s, ss, m, n);                                       \
    else CAT(ones_, name)(d, ds, s, ss, m, n);                                                               \
  }
FEW(uint8_t, 1)
FEW(uint16_t, 2)
FEW(uint32_t, 4)
FEW(uint64_t, 8)
FEW(u128, 16)
