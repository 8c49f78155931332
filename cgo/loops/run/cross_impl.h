/* Transposes in registers, of vectors vec of LANES elements. The including file defines NAME, INLINE, vec and LANES. */

typedef __typeof__((vec){0} == (vec){0}) NAME(places_of);

/* exchange swaps halves of squares of 2 s by 2 s. */
INLINE void NAME(exchange)(vec *r, const int s) {
  if (s >= LANES) return;
  NAME(places_of) low, high;
#pragma GCC unroll 16
  for (int l = 0; l < LANES; l++) low[l] = l & s ? LANES + l - s : l, high[l] = l & s ? LANES + l : l + s;
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++) {
    if (i & s) continue;
    const vec a = r[i], b = r[i + s];
    r[i] = __builtin_shuffle(a, b, low), r[i + s] = __builtin_shuffle(a, b, high);
  }
}

/* cross transposes LANES vectors. */
INLINE void NAME(cross)(vec *r) {
  NAME(exchange)(r, 1), NAME(exchange)(r, 2), NAME(exchange)(r, 4), NAME(exchange)(r, 8);
}
