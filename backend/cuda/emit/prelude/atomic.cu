// Updates of elements in any order: only operations whose results have the same bits in each.
#define ATOMIC(op, T, U, f) FN void meet_##op(T* p, T v) { f((U*)p, (U)v); }
#define ATOMICS(op, f) ATOMIC(op, s32, u32, f) ATOMIC(op, u32, u32, f) ATOMIC(op, s64, u64, f) ATOMIC(op, u64, u64, f)
ATOMICS(add, atomicAdd)
ATOMICS(and, atomicAnd)
ATOMICS(or, atomicOr)
ATOMICS(xor, atomicXor)
#define EXTREMES(T) ATOMIC(max, T, T, atomicMax) ATOMIC(min, T, T, atomicMin)
EXTREMES(s32)
EXTREMES(u32)
EXTREMES(s64)
EXTREMES(u64)
FN u32 bits(s32 v) { return (u32)v; }
FN u32 bits(u32 v) { return v; }
FN u64 bits(s64 v) { return (u64)v; }
FN u64 bits(u64 v) { return v; }
#define EXCHANGE(op, T, U, of) \
  FN void meet_##op(T* p, T v) { \
    U old = *(volatile U*)p; \
    for (U seen;; old = seen) { \
      const U next = bits(x_##op(of(old), v)); \
      if (next == old) return; \
      seen = atomicCAS((U*)p, old, next); \
      if (seen == old) return; \
    } \
  }
EXCHANGE(mul, s32, u32, (s32))
EXCHANGE(mul, u32, u32, (u32))
EXCHANGE(mul, s64, u64, (s64))
EXCHANGE(mul, u64, u64, (u64))
EXCHANGE(max, f32, u32, float_of)
EXCHANGE(min, f32, u32, float_of)
EXCHANGE(max, f64, u64, float_of)
EXCHANGE(min, f64, u64, float_of)
