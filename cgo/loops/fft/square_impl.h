// Squares of numbers, transposed: after passes_impl.h.

// pieces loads 16 bytes of each of so many rows, which are apart.
INLINE vec NAME(pieces)(const T *p, int64_t apart) {
#if VB == 64
  __m512 r = _mm512_castps128_ps512(_mm_loadu_ps((const float *)p));
  r = _mm512_mask_broadcast_f32x4(r, 0x00f0, _mm_loadu_ps((const float *)(p + apart)));
  r = _mm512_mask_broadcast_f32x4(r, 0x0f00, _mm_loadu_ps((const float *)(p + 2 * apart)));
  return (vec)_mm512_mask_broadcast_f32x4(r, 0xf000, _mm_loadu_ps((const float *)(p + 3 * apart)));
#elif VB == 32
  const __m128 high = _mm_loadu_ps((const float *)(p + apart));
  return (vec)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((const float *)p)), high, 1);
#else
  return *(const uvec *)p;
#endif
}

// crossed stores LANES rows of LANES numbers as columns, every other one, from the second on, multiplied by odd.
INLINE void NAME(crossed)(T *to, int64_t to_apart, const T *from, int64_t from_apart, const T odd) {
  enum { QUAD = 16 / sizeof(T) };
  vec r[LANES];
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++)
    r[k] = NAME(pieces)(from + k % QUAD * from_apart + k / QUAD * QUAD, QUAD * from_apart);
  NAME(exchange)(r, 1);
  if (QUAD > 2) NAME(exchange)(r, 2);
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++) *(uvec *)(to + k * to_apart) = k % 2 ? r[k] * odd : r[k];
}

INLINE int64_t NAME(groups)(int64_t n) { return (n + LANES - 1) / LANES; }

// start is where group i of LANES of n begins: the last ends with them.
INLINE int64_t NAME(start)(int64_t n, int64_t i) { return i * LANES < n - LANES ? i * LANES : n - LANES; }

INLINE flow NAME(flow_of)(const swift_record *r) {
  const T scale = (T)r->scale;
  return (flow){.sign = r->forward ? 1 : -1, .re = scale, .im = r->forward ? scale : -scale};
}

// copied copies n pieces of count numbers, which are steps apart.
static void NAME(copied)(pair *to, int64_t to_step, const pair *from, int64_t from_step, int64_t n, int64_t count) {
  for (int64_t e = 0; e < n; e++) memcpy(to + e * to_step, from + e * from_step, count * sizeof(pair));
}
