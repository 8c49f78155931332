// Stores past the caches, by vectors of VB bytes.
#include <string.h>

#if !defined(__x86_64__)
#define PAST(d, s) memcpy(d, s, VB)
#elif VB == 64
#define PAST(d, s) _mm512_stream_ps((float *)(d), _mm512_loadu_ps((const float *)(s)))
#elif VB == 32
#define PAST(d, s) _mm256_stream_ps((float *)(d), _mm256_loadu_ps((const float *)(s)))
#else
#define PAST(d, s) _mm_stream_ps((float *)(d), _mm_loadu_ps((const float *)(s)))
#endif

// past copies n bytes, VB at least.
static void past(char *d, const char *s, int64_t n) {
  int64_t i = -(uintptr_t)d & (VB - 1);
  memcpy(d, s, i);
  for (; i + VB <= n; i += VB) PAST(d + i, s + i);
  memcpy(d + i, s + i, n - i);
}
