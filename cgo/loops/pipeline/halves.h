// halves.h: lanes of f16 and f16 of lanes by the machine's own vectors, for memory_impl.h: a subnormal f16 costs it no
// more than another. What is left of a vector goes number by number.
#if defined(__x86_64__) && LANE == 32 && VB == 64
#define WIDEN_HALVES(d, q) _mm512_storeu_ps(d, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(q))))
#define NARROW_HALVES(d, q) _mm256_storeu_si256((__m256i *)(d), _mm512_cvtps_ph(_mm512_loadu_ps(q), 8))
#elif defined(__x86_64__) && LANE == 32 && VB == 32
#define WIDEN_HALVES(d, q) _mm256_storeu_ps((float *)(d), _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(q))))
#define NARROW_HALVES(d, q) _mm_storeu_si128((__m128i *)(d), _mm256_cvtps_ph(_mm256_loadu_ps((const float *)(q)), 8))
#endif

#ifdef WIDEN_HALVES
#define BINARY16(name, T, load, store)                                                                                 \
  CONVERT(name##_each, T, load, store)                                                                                 \
  static void load_##name(void *restrict dst, const void *restrict src, const halo_stream *st, int64_t n) {            \
    I *d = dst;                                                                                                        \
    const T *q = src;                                                                                                  \
    int64_t i = 0;                                                                                                     \
    for (; i + N <= n; i += N)                                                                                         \
      WIDEN_HALVES(d + i, q + i);                                                                                      \
    load_##name##_each(d + i, q + i, st, n - i);                                                                       \
  }                                                                                                                    \
  static void store_##name(void *restrict dst, const void *restrict src, const halo_stream *st, int64_t n) {           \
    T *d = dst;                                                                                                        \
    const I *q = src;                                                                                                  \
    int64_t i = 0;                                                                                                     \
    for (; i + N <= n; i += N)                                                                                         \
      NARROW_HALVES(d + i, q + i);                                                                                     \
    store_##name##_each(d + i, q + i, st, n - i);                                                                      \
  }
#endif
