// halves.h: lanes of f16 and f16 of lanes by the machine's own vectors, which round: WIDE_HALVES is a vector of what q
// points at, STORE_HALVES leaves one at d. A subnormal f16 costs no more than another.
#if defined(__x86_64__) && LANE == 32 && VB == 64
#define WIDE_HALVES(q) (VI)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(q)))
#define STORE_HALVES(d, v) _mm256_storeu_si256((__m256i *)(d), _mm512_cvtps_ph((__m512)(v), 8))
#elif defined(__x86_64__) && LANE == 32 && VB == 32
#define WIDE_HALVES(q) (VI)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(q)))
#define STORE_HALVES(d, v) _mm_storeu_si128((__m128i *)(d), _mm256_cvtps_ph((__m256)(v), 8))
#endif
