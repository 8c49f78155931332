/* widen.h: vectors of f32 from narrower floats. The including file defines VB, bytes of a vector, PREFIX, CAT, INLINE
 * and, if there is an instruction, FROM_F16(from). */

typedef float CAT(PREFIX, f32, vector) __attribute__((vector_size(VB)));
typedef uint32_t CAT(PREFIX, u32, vector) __attribute__((vector_size(VB)));
typedef uint16_t CAT(PREFIX, u16, vector) __attribute__((vector_size(VB / 2), aligned(2), may_alias));

INLINE CAT(PREFIX, f32, vector) CAT(PREFIX, bf16, vector)(const void *from) {
  const CAT(PREFIX, u16, vector) v = *(const CAT(PREFIX, u16, vector) *)from;
  return (CAT(PREFIX, f32, vector))(__builtin_convertvector(v, CAT(PREFIX, u32, vector)) << 16);
}

#ifndef FROM_F16
INLINE CAT(PREFIX, f32, vector) CAT(PREFIX, f16, vector)(const _Float16 *from) {
  CAT(PREFIX, f32, vector) v;
  for (int i = 0; i < VB / 4; i++) v[i] = from[i];
  return v;
}
#define FROM_F16(from) CAT(PREFIX, f16, vector)((const _Float16 *)(from))
#endif
