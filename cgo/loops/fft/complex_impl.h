// Vectors of LANES numbers, and complex ones. The including file sets T, the type of parts, LANES, and NAME(x).
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif

#if LANES == 1
typedef T NAME(vec);
#else
typedef T NAME(vec) __attribute__((vector_size(LANES * sizeof(T))));
typedef T NAME(anywhere) __attribute__((vector_size(LANES * sizeof(T)), aligned(sizeof(T)), may_alias));
#define uvec NAME(anywhere)
#endif
#define vec NAME(vec)

typedef struct {
  vec re, im;
} NAME(cx);
#define cx NAME(cx)

typedef struct {
  T re, im;
} NAME(pair);
#define pair NAME(pair)

INLINE cx NAME(plus)(cx a, cx b) { return (cx){a.re + b.re, a.im + b.im}; }
INLINE cx NAME(minus)(cx a, cx b) { return (cx){a.re - b.re, a.im - b.im}; }
