// Floats narrower than 32 bits are held in 32. E and M are the bits of exponent and mantissa, B the bias, K the kind of
// NaN: 0 none, 1 that of IEEE 754, 2 all ones, 3 the pattern of -0.
template <int E, int M, int B, int K> FN u32 encode(f32 v) {
  const u32 all = (1u << (E + M)) - 1, inf = ((1u << E) - 1) << M;
  const u32 last = K == 1 ? inf - 1 : K == 2 ? all - 1 : all;
  const u32 over = K == 0 ? all : K == 1 ? inf : K == 2 ? all : all + 1;
  const u32 quiet = K == 1 ? inf | (1u << M >> 1) : over;
  u32 b = bits(v), sign = b >> 31 << (E + M), abs = b & 0x7fffffffu;
  if (abs > 0x7f800000u) {
    if (K == 0) return sign ^ (1u << (E + M));
    return sign | quiet | (E + M == 15 ? abs >> (23 - M) & ((1u << M) - 1) : 0);
  }
  if (abs == 0x7f800000u) return sign | over;
  s32 e = (s32)(abs >> 23) - 127, shift = 23 - M;
  u32 m = abs & 0x7fffffu, base = 0, mag = 0;
  if (e < -126) e = -126; else m |= 0x800000u;
  if (e >= 1 - B) base = (u32)(e - (1 - B)) << M; else shift += 1 - B - e;
  if (shift < 26) mag = base + ((m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift);
  if (mag > last) mag = over;
  return K == 3 && mag == 0 ? 0 : sign | mag;
}
template <int E, int M, int B, int K> FN f32 decode(u32 b) {
  const u32 all = (1u << (E + M)) - 1, inf = ((1u << E) - 1) << M;
  u32 abs = b & all, sign = (b >> (E + M) & 1) << 31;
  if (K == 3 && sign && !abs) return float_of(0xffc00000u);
  if (K == 2 && abs == all) return float_of(sign | 0x7fc00000u);
  if (K == 1 && abs >= inf) return float_of(sign | 0x7f800000u | abs << (23 - M));
  return float_of(sign | bits(float_of(abs << (23 - M)) * float_of((u32)(254 - B) << 23)));
}
#define FORMAT(name, E, M, B, K) \
  FN u8 to_##name(f32 v) { return (u8)encode<E, M, B, K>(v); } \
  FN f32 from_##name(u32 b) { return decode<E, M, B, K>(b); } \
  FN f32 round_##name(f32 v) { return from_##name(to_##name(v)); }
FORMAT(f8e5m2, 5, 2, 15, 1)
FORMAT(f8e4m3, 4, 3, 7, 1)
FORMAT(f8e3m4, 3, 4, 3, 1)
FORMAT(f8e4m3fn, 4, 3, 7, 2)
FORMAT(f8e4m3b11fnuz, 4, 3, 11, 3)
FORMAT(f8e5m2fnuz, 5, 2, 16, 3)
FORMAT(f8e4m3fnuz, 4, 3, 8, 3)
FORMAT(f4e2m1fn, 2, 1, 1, 0)
FORMAT(f6e3m2fn, 3, 2, 3, 0)
FORMAT(f6e2m3fn, 2, 3, 1, 0)

// Powers of two: no sign, no zero; a tie goes up.
FN u8 to_f8e8m0fnu(f32 v) {
  u32 b = bits(v), e = b >> 23;
  if (b == 0 || b >= 0x7f800000u) return 0xff;
  if (e == 0) return b >= 0x600000u;
  return (u8)(e + (b >> 22 & 1));
}
FN f32 from_f8e8m0fnu(u32 b) {
  return float_of(b == 0xff ? 0x7fc00000u : b == 0 ? 0x400000u : b << 23);
}
FN f32 round_f8e8m0fnu(f32 v) { return from_f8e8m0fnu(to_f8e8m0fnu(v)); }

#ifdef __CUDA_ARCH__
FN f32 from_f16(u32 b) {
  f32 v;
  asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"((u16)b));
  return v;
}
FN u16 to_f16(f32 v) {
  u16 b;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(b) : "f"(v));
  return b;
}
#else
FN f32 from_f16(u32 b) { return decode<5, 10, 15, 1>(b); }
FN u16 to_f16(f32 v) { return (u16)encode<5, 10, 15, 1>(v); }
#endif
FN f32 round_f16(f32 v) { return from_f16(to_f16(v)); }

FN f32 from_bf16(u32 b) { return float_of(b << 16); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
FN u16 to_bf16(f32 v) {
  u16 b;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(v));
  return b;
}
#else
FN u16 to_bf16(f32 v) {
  u32 b = bits(v);
  return (u16)(v != v ? b >> 16 | 0x40 : (b + 0x7fff + (b >> 16 & 1)) >> 16);
}
#endif
FN f32 round_bf16(f32 v) { return from_bf16(to_bf16(v)); }
