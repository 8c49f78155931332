// plain_int.h: integers. A part of plain_impl.h.

#define ADD(a, b) (a + b)
#define MUL(a, b) (a * b)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define AND(a, b) (a & b)
#define OR(a, b) (a | b)
#define XOR(a, b) (a ^ b)

// Bytes hold the narrower integers too, cut in the end.
static inline int8_t cut_signed(int8_t v, int32_t bits) {
  return (int8_t)((int8_t)(uint8_t)((uint8_t)v << (8 - bits)) >> (8 - bits));
}
static inline uint8_t cut_unsigned(uint8_t v, int32_t bits) { return (uint8_t)(v & (0xFF >> (8 - bits))); }
#define WHOLE ((void)bits, v)

INT(add8, int8_t, 0, (int8_t)ADD, cut_signed(v, bits))
INT(addu8, uint8_t, 0, (uint8_t)ADD, cut_unsigned(v, bits))
INT(add16, uint16_t, 0, (uint16_t)ADD, WHOLE)
INT(add32, uint32_t, 0, ADD, WHOLE)
INT(add64, uint64_t, 0, ADD, WHOLE)
INT(mul8, int8_t, 1, (int8_t)MUL, cut_signed(v, bits))
INT(mulu8, uint8_t, 1, (uint8_t)MUL, cut_unsigned(v, bits))
#define MUL16(a, b) ((uint16_t)((uint32_t)(a) * (uint32_t)(b)))
INT(mul16, uint16_t, 1, MUL16, WHOLE)
INT(mul32, uint32_t, 1, MUL, WHOLE)
INT(mul64, uint64_t, 1, MUL, WHOLE)

#define LEAST_AND_MOST(TAG, T, LOW, HIGH)                                                                              \
  INT(min##TAG, T, HIGH, MIN, WHOLE)                                                                                   \
  INT(max##TAG, T, LOW, MAX, WHOLE)
LEAST_AND_MOST(s8, int8_t, INT8_MIN, INT8_MAX)
LEAST_AND_MOST(s16, int16_t, INT16_MIN, INT16_MAX)
LEAST_AND_MOST(s32, int32_t, INT32_MIN, INT32_MAX)
LEAST_AND_MOST(s64, int64_t, INT64_MIN, INT64_MAX)
LEAST_AND_MOST(u8, uint8_t, 0, UINT8_MAX)
LEAST_AND_MOST(u16, uint16_t, 0, UINT16_MAX)
LEAST_AND_MOST(u32, uint32_t, 0, UINT32_MAX)
LEAST_AND_MOST(u64, uint64_t, 0, UINT64_MAX)

#define BITWISE(TAG, T)                                                                                                \
  INT(and##TAG, T, (T)~(T)0, AND, WHOLE)                                                                               \
  INT(or##TAG, T, 0, OR, WHOLE)                                                                                        \
  INT(xor##TAG, T, 0, XOR, WHOLE)
BITWISE(8, uint8_t)
BITWISE(16, uint16_t)
BITWISE(32, uint32_t)
BITWISE(64, uint64_t)

#define BITS(OP)                                                                                                       \
  {                                                                                                                    \
    [PLAIN_S8] = INT_ROW(OP##8, uint8_t), [PLAIN_S16] = INT_ROW(OP##16, uint16_t),                                     \
    [PLAIN_S32] = INT_ROW(OP##32, uint32_t), [PLAIN_S64] = INT_ROW(OP##64, uint64_t)                                   \
  }
