// get loads LANES neighbours from memory, and put stores them: after complex_impl.h.
#if LANES == 1
INLINE cx NAME(get)(const pair *s) { return (cx){s->re, s->im}; }
INLINE void NAME(put)(pair *d, cx v) { *d = (pair){v.re, v.im}; }
#else
#include "../run/cross_impl.h"
#define ivec NAME(places_of)

INLINE cx NAME(get)(const pair *s) {
  ivec even, odd;
#pragma GCC unroll 16
  for (int l = 0; l < LANES; l++) even[l] = 2 * l, odd[l] = 2 * l + 1;
  const vec a = *(const uvec *)s, b = *(const uvec *)(s + LANES / 2);
  return (cx){__builtin_shuffle(a, b, even), __builtin_shuffle(a, b, odd)};
}

INLINE void NAME(put)(pair *d, cx v) {
  ivec low, high;
#pragma GCC unroll 16
  for (int l = 0; l < LANES; l++) low[l] = l / 2 + l % 2 * LANES, high[l] = low[l] + LANES / 2;
  *(uvec *)d = __builtin_shuffle(v.re, v.im, low);
  *(uvec *)(d + LANES / 2) = __builtin_shuffle(v.re, v.im, high);
}
#endif
