/* Matrices to and from lanes, for one instruction set and one type. The including file defines T, the type; BITS,
 * the integer of its size; ABS, the bits of a magnitude; LEAST, the least normal number; ROOT, a square root; VB, bytes
 * of a vector; and NAME(x), names of this set and type. */
#include "../gemm/packed_squares.h"

#define vec NAME(vec)
#define ivec NAME(ivec)
#define LANES NAME(LANES)
#define SIDE NAME(SIDE)

typedef BITS ivec __attribute__((vector_size(VB)));

/* pick is yes where which is all ones, else no. */
INLINE vec NAME(pick)(ivec which, vec yes, vec no) { return (vec)(((ivec)yes & which) | ((ivec)no & ~which)); }

INLINE vec NAME(size)(vec x) { return (vec)((ivec)x & ABS); }

INLINE int NAME(any)(ivec which) {
  BITS all = 0;
  for (int l = 0; l < LANES; l++) all |= which[l];
  return all != 0;
}

INLINE vec NAME(root)(vec x) {
  T s[LANES] __attribute__((aligned(VB)));
  memcpy(s, &x, VB);
  for (int l = 0; l < LANES; l++) s[l] = ROOT(s[l]);
  memcpy(&x, s, VB);
  return x;
}

/* over is x / d by its inverse, where that is a normal number. */
typedef struct {
  vec d, inverse;
  ivec safe;
  int all;
} NAME(divisor);

INLINE NAME(divisor) NAME(by)(vec d) {
  const vec many = NAME(size)(d);
  NAME(divisor) o = {.d = d, .inverse = 1 / d, .safe = (many >= LEAST) & (many <= 1 / LEAST)};
  o.all = !NAME(any)(~o.safe);
  return o;
}

INLINE vec NAME(over)(vec x, const NAME(divisor) *o) {
  return o->all ? x * o->inverse : NAME(pick)(o->safe, x * o->inverse, x / o->d);
}

/* quarters are words of 16 bytes that are so many elements apart. */
INLINE vec NAME(quarters)(const T *p, int64_t apart) {
#define AT(i) (*(const words4 *)(p + (i) * apart))
#define PAIR(i) __builtin_shufflevector(AT(i), AT((i) + 1), 0, 1, 2, 3, 4, 5, 6, 7)
#if VB == 64
  return (vec)__builtin_shufflevector(PAIR(0), PAIR(2), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif VB == 32
  return (vec)PAIR(0);
#else
  return (vec)AT(0);
#endif
#undef PAIR
#undef AT
}

/* into brings each of e elements of LANES matrices side by side. If e is less than SIDE, what follows is read, too, and
 * SIDE vectors are written. */
static void NAME(into)(vec *to, const T *from, int64_t e) {
  for (int64_t c = 0; c < e; c += SIDE) {
    const int64_t at = c + SIDE <= e || e < SIDE ? c : e - SIDE;
    vec r[SIDE];
#pragma GCC unroll 4
    for (int j = 0; j < SIDE; j++) r[j] = NAME(quarters)(from + at + j * e, SIDE * e);
    NAME(squares)(r);
#pragma GCC unroll 4
    for (int j = 0; j < SIDE; j++) to[at + j] = r[j];
  }
}

/* back is the other way; what a short matrix has too much is written over by the next, and behind the last. */
static void NAME(back)(T *to, const vec *from, int64_t e) {
  for (int64_t c = 0; c < e; c += SIDE) {
    const int64_t at = c + SIDE <= e || e < SIDE ? c : e - SIDE;
    vec r[SIDE];
#pragma GCC unroll 4
    for (int j = 0; j < SIDE; j++) r[j] = from[at + j];
    NAME(squares)(r);
#pragma GCC unroll 4
    for (int i = 0; i < LANES / SIDE; i++)
#pragma GCC unroll 4
      for (int j = 0; j < SIDE; j++)
        memcpy(to + (i * SIDE + j) * e + at, (NAME(quarter) *)&r[j] + i, sizeof(NAME(quarter)));
  }
}

/* line sums up some elements of a row of a product. */
INLINE void NAME(line)(const int some, const halo_batch_record *r, const vec *a, const vec *b, vec *c) {
  const int64_t next = r->columns[0], row = r->rows[1], column = r->columns[1];
  vec s[4] = {{0}};
  for (int64_t p = 0; p < r->k; p++, a += next, b += row) {
#pragma GCC unroll 4
    for (int j = 0; j < some; j++) s[j] += *a * b[j * column];
  }
#pragma GCC unroll 4
  for (int j = 0; j < some; j++) c[j * r->columns[2]] = s[j];
}

static void NAME(product)(const halo_batch_record *r, vec *const *x) {
  for (int64_t i = 0; i < r->m; i++)
    for (int64_t j = 0; j < r->n; j += 4) {
      const vec *a = x[0] + i * r->rows[0], *b = x[1] + j * r->columns[1];
      vec *c = x[2] + i * r->rows[2] + j * r->columns[2];
      if (r->n - j >= 4)
        NAME(line)(4, r, a, b, c);
      else if (r->n - j == 3)
        NAME(line)(3, r, a, b, c);
      else if (r->n - j == 2)
        NAME(line)(2, r, a, b, c);
      else
        NAME(line)(1, r, a, b, c);
    }
}

static void NAME(transpose)(const halo_batch_record *r, vec *const *x) {
  for (int64_t i = 0; i < r->m; i++)
    for (int64_t j = 0; j < r->n; j++) x[1][j * r->m + i] = x[0][i * r->n + j];
}
