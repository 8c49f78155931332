// The loops of one ISA level. The including file sets LEVEL, the table's name, and VB, the bytes of a vector.
#include <string.h>

#include "move.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define INLINE static inline __attribute__((always_inline))

// Elements, which may lie anywhere.
typedef uint8_t element_1 __attribute__((may_alias));
typedef uint16_t element_2 __attribute__((aligned(1), may_alias));
typedef uint32_t element_4 __attribute__((aligned(1), may_alias));
typedef uint64_t element_8 __attribute__((aligned(1), may_alias));
typedef struct __attribute__((packed, may_alias)) {
  uint64_t half[2];
} element_16;
typedef element_16 u128;

// ---- contiguous stretches

typedef uint8_t vbytes __attribute__((vector_size(VB), aligned(1), may_alias));
typedef uint8_t valigned __attribute__((vector_size(VB), aligned(VB), may_alias));

INLINE void small(char *d, const char *s, int64_t n) {
  if (n >= 8) {
    uint64_t a, b;
    memcpy(&a, s, 8), memcpy(&b, s + n - 8, 8);
    memcpy(d, &a, 8), memcpy(d + n - 8, &b, 8);
  } else if (n >= 4) {
    uint32_t a, b;
    memcpy(&a, s, 4), memcpy(&b, s + n - 4, 4);
    memcpy(d, &a, 4), memcpy(d + n - 4, &b, 4);
  } else {
    for (int64_t i = 0; i < n; i++) d[i] = s[i];
  }
}

// ahead copies n > VB bytes by vectors, which begin where those of the destination do.
INLINE void ahead(char *d, const char *s, int64_t n) {
  const vbytes tail = *(const vbytes *)(s + n - VB);
  int64_t i = VB - ((uintptr_t)d & (VB - 1));
  *(vbytes *)d = *(const vbytes *)s;
  for (; i + VB <= n; i += VB) *(valigned *)(d + i) = *(const vbytes *)(s + i);
  *(vbytes *)(d + n - VB) = tail;
}

// lags reports whether a destination begins, within a page, less than a line behind its source. The C library copies
// such bytes by an instruction that takes ten times as long for them on AMD's processors.
INLINE int lags(const char *d, const char *s) { return ((d - s - 1) & 4095) < 63; }

// run copies n bytes; long ones are the C library's.
INLINE void run(char *d, const char *s, int64_t n) {
  typedef uint8_t v16 __attribute__((vector_size(16), aligned(1), may_alias));
  if (n < 16) {
    small(d, s, n);
  } else if (n <= 256) {
    v16 tail = *(const v16 *)(s + n - 16);
    for (int64_t i = 0; i < n - 16; i += 16) *(v16 *)(d + i) = *(const v16 *)(s + i);
    *(v16 *)(d + n - 16) = tail;
  } else if (lags(d, s)) {
    ahead(d, s, n);
  } else {
    memcpy(d, s, n);
  }
}

// OVER copies rows of at most WIDE bytes that follow each other in the destination, WIDE bytes at a time: what is too
// much is written over by the next row. It returns how many rows it was, since the last ones have no room for that.
#define OVER(T, WIDE)                                                                                        \
  INLINE int64_t over_##WIDE(char *d, const char *s, const move_axis *rows, int64_t n) {                     \
    const int64_t all = rows->n, fit = all - (WIDE + n - 1) / n;                                             \
    const int64_t read = rows->src < n ? 0 : all - (WIDE - n + rows->src - 1) / rows->src;                   \
    const int64_t count = fit < read ? fit : read;                                                           \
    int64_t i = 0;                                                                                           \
    for (; i < count; i++, d += n, s += rows->src) memcpy(d, s, sizeof(T));                                  \
    return i;                                                                                                \
  }
OVER(element_4, 4)
OVER(element_8, 8)
OVER(element_16, 16)

static void runs(char *d, const char *s, const move_axis *rows, const move_axis *cols) {
  const int64_t n = cols->n;
  int64_t i = 0;
  if (rows->dst == n && n < 16) i = (n < 4 ? over_4 : n < 8 ? over_8 : over_16)(d, s, rows, n);
  for (; i < rows->n; i++) run(d + i * rows->dst, s + i * rows->src, cols->n);
}

// stream_bytes copies n bytes past the cache.
INLINE void stream_bytes(char *d, const char *s, int64_t n) {
  int64_t head = -(uintptr_t)d & (VB - 1);
  if (n < 2 * VB) {
    run(d, s, n);
    return;
  }
  run(d, s, head);
  int64_t i = head;
  for (; i + VB <= n; i += VB) STREAM(d + i, *(const vbytes *)(s + i));
  run(d + i, s + i, n - i);
}

static void runs_stream(char *d, const char *s, const move_axis *rows, const move_axis *cols) {
  for (int64_t i = 0; i < rows->n; i++) stream_bytes(d + i * rows->dst, s + i * rows->src, cols->n);
}

// ---- one element many times

// SPREAD fills rows of n bytes, fewer than a vector has, that follow each other: a vector at a time, of which the next
// row writes over what is too much. It returns how many rows it was, since the last ones have no room for that.
#define SPREAD(T, name)                                                                                      \
  typedef T CAT(spread_of_, name) __attribute__((vector_size(VB), aligned(1), may_alias));                   \
  INLINE int64_t CAT(spread_, name)(char *d, const char *s, const move_axis *rows, int64_t n) {              \
    const int64_t count = rows->dst == n && n < VB ? rows->n - (VB + n - 1) / n : 0;                         \
    int64_t i = 0;                                                                                           \
    for (; i < count; i++, d += n, s += rows->src)                                                           \
      *(CAT(spread_of_, name) *)d = (CAT(spread_of_, name)){0} + *(const CAT(element_, name) *)s;            \
    return i;                                                                                                \
  }
SPREAD(uint8_t, 1)
SPREAD(uint16_t, 2)
SPREAD(uint32_t, 4)
SPREAD(uint64_t, 8)
#define spread_16(d, s, rows, n) 0

// repeat fills rows of n bytes that follow each other, as the elements of w bytes do that they are made of, where a
// vector holds some of them: it permutes what it reads. It returns how many rows it was.
INLINE int64_t repeat(char *d, const char *s, const move_axis *rows, int64_t n, int64_t w) {
  int64_t i = 0;
  if (n <= w || n >= VB || VB % n || rows->dst != n || rows->src != w) return 0;
#ifdef PERMUTE
  typedef uint32_t words __attribute__((vector_size(VB), aligned(1), may_alias));
  if (w == 4 || w == 8) {
    const int pairs = w == 8;
    const words at = (ORDER >> (__builtin_ctzll(n) - 2) << pairs) + (ORDER & pairs);
    for (; i + VB / w <= rows->n; i += VB / n) *(words *)(d + i * n) = PERMUTE(*(const words *)(s + i * w), at);
  }
#endif
#ifdef SHUFFLE
  if (w < 4) {
    vbytes at;
    for (int k = 0; k < VB; k++) at[k] = (uint8_t)(k / n * w + k % w);
    for (; i + 16 / w <= rows->n; i += VB / n) *(vbytes *)(d + i * n) = SHUFFLE(s + i * w, at);
  }
#endif
  return i;
}

#define FILL(T, name)                                                                                        \
  static void CAT(fill_, name)(char *d, const char *s, const move_axis *all, const move_axis *cols) {        \
    const int64_t bytes = cols->n * sizeof(T), done = repeat(d, s, all, bytes, sizeof(T));                   \
    const move_axis left = {.n = all->n - done, .dst = all->dst, .src = all->src}, *rows = &left;            \
    d += done * all->dst, s += done * all->src;                                                              \
    for (int64_t i = CAT(spread_, name)(d, s, rows, bytes); i < rows->n; i++) {                              \
      const T v = *(const T *)(s + i * rows->src);                                                           \
      T *line = (T *)(d + i * rows->dst);                                                                    \
      const int64_t n = cols->n;                                                                             \
      if (n * (int64_t)sizeof(T) >= 64)                                                                      \
        for (int64_t j = 0; j < n; j++) line[j] = v;                                                         \
      else                                                                                                   \
        for (int64_t j = 0; j < n; j++) memcpy(line + j, &v, sizeof v);                                      \
    }                                                                                                        \
  }

// ---- single elements, the usual distances known to the compiler

#define LINE(T, name)                                                                                        \
  INLINE void CAT(line_, name)(char *d, const char *s, int64_t n, int64_t dd, int64_t ss) {                  \
    for (int64_t j = 0; j < n; j++) memcpy(d + j * dd, s + j * ss, sizeof(T));                               \
  }

#define LINES(T, name)                                                                                       \
  static void CAT(lines_, name)(char *d, const char *s, const move_axis *rows, const move_axis *cols) {      \
    const int64_t w = sizeof(T), n = cols->n, dd = cols->dst, ss = cols->src;                                \
    for (int64_t i = 0; i < rows->n; i++, d += rows->dst, s += rows->src) {                                  \
      if (dd == w && ss == -w) CAT(line_, name)(d, s, n, w, -w);                                             \
      else if (dd == w && ss == 2 * w) CAT(line_, name)(d, s, n, w, 2 * w);                                  \
      else if (dd == w && ss == 3 * w) CAT(line_, name)(d, s, n, w, 3 * w);                                  \
      else if (dd == w && ss == 4 * w) CAT(line_, name)(d, s, n, w, 4 * w);                                  \
      else if (dd == 2 * w && ss == w) CAT(line_, name)(d, s, n, 2 * w, w);                                  \
      else CAT(line_, name)(d, s, n, dd, ss);                                                                \
    }                                                                                                        \
  }

// ---- the elements of several arrays in turn

// IN_TURN writes n elements of each of k arrays, step bytes apart: most often all or none.
#define IN_TURN(T, name)                                                                                     \
  INLINE void CAT(turn_, name)(const int k, char *d, const char *const *s, const int64_t *step, int64_t n) { \
    T *restrict to = (T *)d;                                                                                 \
    const T *a = (const T *)s[0], *b = (const T *)s[1], *c = (const T *)s[k > 2 ? 2 : 0],                    \
            *e = (const T *)s[k - 1];                                                                        \
    const T first = *a, second = *b;                                                                         \
    if (k == 2 && step[0] == 0 && step[1] == sizeof(T))                                                      \
      for (int64_t j = 0; j < n; j++) to[2 * j] = first, to[2 * j + 1] = b[j];                               \
    else if (k == 2 && step[1] == 0 && step[0] == sizeof(T))                                                 \
      for (int64_t j = 0; j < n; j++) to[2 * j] = a[j], to[2 * j + 1] = second;                              \
    else                                                                                                     \
      for (int64_t j = 0; j < n; j++) {                                                                      \
        to[k * j] = a[j], to[k * j + 1] = b[j];                                                              \
        if (k > 2) to[k * j + 2] = c[j];                                                                     \
        if (k > 3) to[k * j + 3] = e[j];                                                                     \
      }                                                                                                      \
  }                                                                                                          \
  static void CAT(turns_, name)(char *d, const char *const *s, const int64_t *step, int64_t n, int64_t k) {  \
    int64_t known = 0;                                                                                       \
    while (known < k && (step[known] == sizeof(T) || k == 2 && step[known] == 0 && step[!known])) known++;   \
    if (n == 0) return;                                                                                      \
    if (known == k)                                                                                          \
      (k == 2 ? CAT(turn_, name)(2, d, s, step, n)                                                           \
       : k == 3 ? CAT(turn_, name)(3, d, s, step, n) : CAT(turn_, name)(4, d, s, step, n));                  \
    else                                                                                                     \
      for (int64_t j = 0; j < n; j++, d += k * sizeof(T))                                                    \
        for (int64_t q = 0; q < k; q++) memcpy(d + q * sizeof(T), s[q] + j * step[q], sizeof(T));            \
  }

// ---- planes

// TILE makes the transpose of one square of SIDE elements in registers, by SIDE/2 interleavings log2(SIDE) times: after
// the last one register i holds what was element i of every register.
#define TILE(T, name, SIDE, LOG, LO, HI)                                                                     \
  typedef T CAT(tile_, name) __attribute__((vector_size(SIDE * sizeof(T)), aligned(1), may_alias));          \
  INLINE void CAT(square_, name)(char *d, int64_t ds, const char *s, int64_t ss) {                           \
    CAT(tile_, name) r[SIDE], t[SIDE];                                                                       \
    for (int i = 0; i < SIDE; i++) r[i] = *(const CAT(tile_, name) *)(s + i * ss);                           \
    for (int k = 0; k < LOG; k++) {                                                                          \
      for (int i = 0; i < SIDE / 2; i++) {                                                                   \
        t[2 * i] = LO(r[i], r[i + SIDE / 2]);                                                                \
        t[2 * i + 1] = HI(r[i], r[i + SIDE / 2]);                                                            \
      }                                                                                                      \
      for (int i = 0; i < SIDE; i++) r[i] = t[i];                                                            \
    }                                                                                                        \
    for (int i = 0; i < SIDE; i++) *(CAT(tile_, name) *)(d + i * ds) = r[i];                                 \
  }                                                                                                          \
  PLANES(T, name, SIDE)

// WEAVE puts N lines that are ss apart together, element by element, or takes them apart to lines that are ds apart:
// the planes whose one side has N elements.
#define WEAVE(T, name, N)                                                                                    \
  INLINE void CAT(weave##N##_, name)(T *restrict d, const char *s, int64_t ss, int64_t n) {                  \
    const T *restrict x[N];                                                                                  \
    for (int k = 0; k < N; k++) x[k] = (const T *)(s + k * ss);                                              \
    for (int64_t i = 0; i < n; i++)                                                                          \
      for (int k = 0; k < N; k++) d[N * i + k] = x[k][i];                                                    \
  }                                                                                                          \
  INLINE void CAT(unweave##N##_, name)(char *d, int64_t ds, const T *restrict s, int64_t n) {                \
    T *restrict y[N];                                                                                        \
    for (int k = 0; k < N; k++) y[k] = (T *)(d + k * ds);                                                    \
    for (int64_t i = 0; i < n; i++)                                                                          \
      for (int k = 0; k < N; k++) y[k][i] = s[N * i + k];                                                    \
  }
#define NARROW(T, name)                                                                                      \
  WEAVE(T, name, 2)                                                                                          \
  WEAVE(T, name, 3)                                                                                          \
  WEAVE(T, name, 4)                                                                                          \
  static int CAT(narrow_, name)(char *d, const char *s, const move_axis *rows, const move_axis *cols) {      \
    const int64_t w = sizeof(T), r = rows->n, c = cols->n, ds = rows->dst, ss = cols->src;                   \
    const int woven = ds == c * w && c <= r, apart = ss == r * w && r < c;                                   \
    if (woven && c == 2) CAT(weave2_, name)((T *)d, s, ss, r);                                               \
    else if (woven && c == 3) CAT(weave3_, name)((T *)d, s, ss, r);                                          \
    else if (woven && c == 4) CAT(weave4_, name)((T *)d, s, ss, r);                                          \
    else if (apart && r == 2) CAT(unweave2_, name)(d, ds, (const T *)s, c);                                  \
    else if (apart && r == 3) CAT(unweave3_, name)(d, ds, (const T *)s, c);                                  \
    else if (apart && r == 4) CAT(unweave4_, name)(d, ds, (const T *)s, c);                                  \
    else return 0;                                                                                           \
    return 1;                                                                                                \
  }

// PLANE goes through a plane in stripes of STRIPE bytes of the destination's rows, and through a stripe along the
// source's rows, which are so read in order. What is left at the edges, and a plane that is no more, moves by fours.
#define STRIPE(w) (w < 4 ? 64 * w : 256)
#define PLANE(T, name, plane, square, SIDE_I, SIDE_J)                                                        \
  static void plane(char *d, const char *s, const move_axis *rows, const move_axis *cols) {                  \
    const int64_t w = sizeof(T), stripe = STRIPE(w) / w, ds = rows->dst, ss = cols->src;                     \
    const int64_t m = rows->n / SIDE_I * SIDE_I, n = cols->n / SIDE_J * SIDE_J;                              \
    if (CAT(narrow_, name)(d, s, rows, cols)) return;                                                        \
    if (rows->n < 16 && cols->n < 16) {                                                                      \
      CAT(few_, name)(d, ds, s, ss, rows->n, cols->n);                                                       \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t j0 = 0; j0 < cols->n; j0 += stripe) {                                                       \
      const int64_t j1 = j0 + stripe < cols->n ? j0 + stripe : cols->n, jn = j1 < n ? j1 : n;                \
      for (int64_t i = 0; i < m; i += SIDE_I)                                                                \
        for (int64_t j = j0; j < jn; j += SIDE_J) square(d + i * ds + j * w, ds, s + i * w + j * ss, ss);    \
      const int64_t j = jn > j0 ? jn : j0;                                                                   \
      if (j < j1) CAT(few_, name)(d + j * w, ds, s + j * ss, ss, m, j1 - j);                                 \
      const int64_t rest = rows->n - m;                                                                      \
      if (rest > 0) CAT(few_, name)(d + m * ds + j0 * w, ds, s + m * w + j0 * ss, ss, rest, j1 - j0);        \
    }                                                                                                        \
  }

// look_ahead asks for what comes next on n rows of the source. Hardware on processors with AVX2 alone does not look
// ahead on as many rows at a time as a stripe has; on others it does.
#define LOOK_AHEAD 512
INLINE void look_ahead(const char *s, int64_t ss, int64_t n) {
  for (int64_t j = 0; VB == 32 && j < n; j++) __builtin_prefetch(s + j * ss + LOOK_AHEAD, 0, 2);
}

// PLANES has the plane of squares and the one that collects squares to whole cache lines on both sides, 64 bytes by 64
// bytes, and stores them past the cache.
#define PLANES(T, name, SIDE)                                                                                \
  PLANE(T, name, CAT(plane_, name), CAT(square_, name), SIDE, SIDE)                                          \
  INLINE void CAT(lines64_, name)(char *d, int64_t ds, const char *s, int64_t ss) {                          \
    char part[4096 / sizeof(T)] __attribute__((aligned(64)));                                                \
    const int64_t n = 64 / sizeof(T), w = sizeof(T);                                                         \
    look_ahead(s, ss, n);                                                                                    \
    for (int64_t i = 0; i < n; i += SIDE)                                                                    \
      for (int64_t j = 0; j < n; j += SIDE)                                                                  \
        CAT(square_, name)(part + i * 64 + j * w, 64, s + i * w + j * ss, ss);                               \
    for (int64_t i = 0; i < n; i++)                                                                          \
      for (int64_t b = 0; b < 64; b += VB) STREAM(d + i * ds + b, *(const vbytes *)(part + i * 64 + b));     \
  }                                                                                                          \
  PLANE(T, name, CAT(lines_stream_, name), CAT(lines64_, name), (int64_t)(64 / sizeof(T)),                   \
        (int64_t)(64 / sizeof(T)))                                                                           \
  SKEW(T, name, SIDE)                                                                                        \
  static void CAT(plane_stream_, name)(char *d, const char *s, const move_axis *rows, const move_axis *cols) { \
    const int64_t skewed = ((uintptr_t)d | (uintptr_t)rows->dst) & 63, wide = cols->n * (int64_t)sizeof(T);  \
    (!skewed ? CAT(lines_stream_, name) : wide < SKEW_LEAST ? CAT(plane_, name) : CAT(skew_, name))(d, s, rows, cols); \
  }

// TILE_OF_HALVES is TILE for vectors of two halves, which are loaded each by itself: so all interleavings stay within
// halves, and those of one row of the source and of the one SIDE/2 rows on are made together.
#define TILE_OF_HALVES(T, name, SIDE, LOG, JOIN, LO, HI)                                                     \
  typedef T CAT(half_, name) __attribute__((vector_size(SIDE / 2 * sizeof(T)), aligned(1), may_alias));      \
  typedef T CAT(tile_, name) __attribute__((vector_size(SIDE * sizeof(T)), aligned(1), may_alias));          \
  INLINE void CAT(square_, name)(char *d, int64_t ds, const char *s, int64_t ss) {                           \
    enum { HALF = SIDE / 2 };                                                                                \
    CAT(tile_, name) r[2][HALF], t[HALF];                                                                    \
    for (int h = 0; h < 2; h++)                                                                              \
      for (int i = 0; i < HALF; i++) {                                                                       \
        const char *x = s + i * ss + h * (int64_t)(HALF * sizeof(T));                                        \
        r[h][i] = JOIN(*(const CAT(half_, name) *)x, *(const CAT(half_, name) *)(x + HALF * ss));            \
      }                                                                                                      \
    for (int h = 0; h < 2; h++)                                                                              \
      for (int k = 0; k < LOG; k++) {                                                                        \
        for (int i = 0; i < HALF / 2; i++) {                                                                 \
          t[2 * i] = LO(r[h][i], r[h][i + HALF / 2]);                                                        \
          t[2 * i + 1] = HI(r[h][i], r[h][i + HALF / 2]);                                                    \
        }                                                                                                    \
        for (int i = 0; i < HALF; i++) r[h][i] = t[i];                                                       \
      }                                                                                                      \
    for (int i = 0; i < SIDE; i++) *(CAT(tile_, name) *)(d + i * ds) = r[i / HALF][i % HALF];                \
  }                                                                                                          \
  PLANES(T, name, SIDE)

#define JOIN4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define JOIN2(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3)
#define LO_HALVES8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HI_HALVES8(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LO_HALVES4(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define HI_HALVES4(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define LO2(a, b) __builtin_shufflevector(a, b, 0, 2)
#define HI2(a, b) __builtin_shufflevector(a, b, 1, 3)
#define LO4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HI4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LO8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HI8(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LO16(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HI16(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

#include "few_impl.h"
#include "skew_impl.h"

FILL(element_1, 1)
FILL(element_2, 2)
FILL(element_4, 4)
FILL(element_8, 8)
FILL(element_16, 16)
LINE(uint8_t, 1)
LINE(uint16_t, 2)
LINE(uint32_t, 4)
LINE(uint64_t, 8)
LINE(u128, 16)
LINES(uint8_t, 1)
NARROW(element_1, 1)
LINES(uint16_t, 2)
NARROW(element_2, 2)
LINES(uint32_t, 4)
NARROW(element_4, 4)
LINES(uint64_t, 8)
NARROW(element_8, 8)
LINES(u128, 16)
NARROW(element_16, 16)

TILE(uint8_t, 1, 16, 4, LO16, HI16)
TILE(uint16_t, 2, 8, 3, LO8, HI8)
#if VB == 16
TILE(uint32_t, 4, 4, 2, LO4, HI4)
TILE(uint64_t, 8, 2, 1, LO2, HI2)
#elif VB == 32
TILE_OF_HALVES(uint32_t, 4, 8, 2, JOIN4, LO_HALVES8, HI_HALVES8)
TILE_OF_HALVES(uint64_t, 8, 4, 1, JOIN2, LO_HALVES4, HI_HALVES4)
#else
TILE(uint32_t, 4, 16, 4, LO16, HI16)
TILE(uint64_t, 8, 8, 3, LO8, HI8)
#endif
#define square_16(d, ds, s, ss) ((void)(ds), (void)(ss), memcpy(d, s, 16))
PLANES(u128, 16, 1)

IN_TURN(element_1, 1)
IN_TURN(element_2, 2)
IN_TURN(element_4, 4)
IN_TURN(element_8, 8)
IN_TURN(element_16, 16)

#define ROW(a) {a##1, a##2, a##4, a##8, a##16}
const move_table LEVEL = {
    .loop = {[MOVE_RUN] = {runs, runs, runs, runs, runs},
             [MOVE_FILL] = ROW(fill_),
             [MOVE_PLANE] = ROW(plane_),
             [MOVE_LINE] = ROW(lines_)},
    .stream = {[MOVE_RUN] = {runs_stream, runs_stream, runs_stream, runs_stream, runs_stream},
               [MOVE_FILL] = ROW(fill_),
               [MOVE_PLANE] = ROW(plane_stream_),
               [MOVE_LINE] = ROW(lines_)},
    .turns = ROW(turns_),
    .skews = VB == 32,
};
