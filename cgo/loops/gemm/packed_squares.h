/* Transposing vectors within each 16 bytes. The including file defines T, the type of words, VB, bytes of a vector,
 * INLINE and NAME. */

typedef T NAME(vec) __attribute__((vector_size(VB)));
typedef T NAME(quarter) __attribute__((vector_size(16)));
typedef __typeof__((NAME(vec)){0} == (NAME(vec)){0}) NAME(places);
enum { NAME(LANES) = VB / sizeof(T), NAME(SIDE) = 16 / sizeof(T) };

/* zip takes stretches of some words from two vectors in turns: the first half of each 16 bytes, and the second. */
INLINE void NAME(zip)(NAME(vec) *a, NAME(vec) *b, const int some) {
  NAME(places) low, high;
#pragma GCC unroll 16
  for (int l = 0; l < NAME(LANES); l++) {
    const int within = l % NAME(SIDE), at = l - within + within / (2 * some) * some + within % some;
    low[l] = at + (within / some % 2 ? NAME(LANES) : 0), high[l] = low[l] + NAME(SIDE) / 2;
  }
  const NAME(vec) left = *a, right = *b;
  *a = __builtin_shuffle(left, right, low), *b = __builtin_shuffle(left, right, high);
}

/* squares transposes SIDE vectors within each 16 bytes, so that those of vector j are of word 16 bytes times i plus
 * j. */
INLINE void NAME(squares)(NAME(vec) *r) {
  if (NAME(SIDE) == 2) {
    NAME(zip)(r, r + 1, 1);
    return;
  }
  NAME(zip)(r, r + 1, 1), NAME(zip)(r + 2, r + 3, 1);
  NAME(zip)(r, r + 2, 2), NAME(zip)(r + 1, r + 3, 2);
  const NAME(vec) third = r[1];
  r[1] = r[2], r[2] = third;
}
