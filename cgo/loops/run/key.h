// key.h: integers in the order of floats: NaN is beyond all, -0 below 0.
#include <stdint.h>

// KEY defines keys of type K of floats with the bits of it; U is K unsigned, INF the bits of infinity. As many keys as
// there are NaN of a sign are added to those for the least, and taken from those for the greatest, so that the NaN
// which lie at the other end come round to where the others are.
#define KEY(TAG, K, U, INF)                                                                                            \
  static inline K key##TAG(K s) { return (K)(s ^ (K)((U)(s >> (8 * sizeof(K) - 1)) >> 1)); }                           \
  static inline K least_key##TAG(K s) { return (K)((U)key##TAG(s) + NANS(U, INF)); }                                   \
  static inline K most_key##TAG(K s) { return (K)((U)key##TAG(s) - NANS(U, INF)); }                                    \
  static inline K unkey##TAG(K k) {                                                                                    \
    K high = (K)((U) ~(U)0 >> 1), s = key##TAG(k);                                                                     \
    return (K)(s & high) > (K)(INF) ? (K)((INF) | ((INF) >> 1)) : s;                                                   \
  }                                                                                                                    \
  static inline K unkey_least##TAG(K k) { return unkey##TAG((K)((U)k - NANS(U, INF))); }                               \
  static inline K unkey_most##TAG(K k) { return unkey##TAG((K)((U)k + NANS(U, INF))); }
#define NANS(U, INF) (U)(((U) ~(U)0 >> 1) - (INF))
KEY(32, int32_t, uint32_t, 0x7F800000)
KEY(64, int64_t, uint64_t, 0x7FF0000000000000)
KEY(b16, int16_t, uint16_t, 0x7F80)
KEY(h16, int16_t, uint16_t, 0x7C00)
