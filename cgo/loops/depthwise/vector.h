/* Vectors of VB bytes, which the including file defines, and what is done to sums of products. */
#include "depthwise.h"

#define INLINE static inline __attribute__((always_inline))

enum { VL = VB / sizeof(float) };

typedef float vec __attribute__((vector_size(VB), aligned(sizeof(float)), may_alias));
typedef int32_t bits __attribute__((vector_size(VB)));

/* V_floor is 0 where a sum is not above it, -0 too, and V_cap most where it is more. NaN stays. */
INLINE vec vec_floor(vec s) { return (vec)((bits)s & ~(bits)(s <= 0)); }
INLINE vec vec_cap(vec s, float most) {
  const bits over = (bits)(s >= most);
  return (vec)((bits)s & ~over | (bits)(most - (vec){0}) & over);
}

/* LOADED keeps the compiler from loading a value again for each use. */
#if defined(__x86_64__)
#define LOADED(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define LOADED(v) __asm__("" : "+w"(v))
#else
#define LOADED(v)
#endif

/* apart is a pointer of which the compiler knows no other: so few registers hold the addresses of many places. */
INLINE const char *apart(const char *p, int64_t bytes) {
  p += bytes;
  __asm__("" : "+r"(p));
  return p;
}
