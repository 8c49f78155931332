// Types, and the operations on predicates, integers and floats. Integers narrower than 32 bits are held in 32, extended
// by their sign or by zeros; the emitter wraps results. No header is needed.
#ifdef __CUDACC__
#pragma nv_diag_suppress 177 // what is declared and not used
#endif
typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define FN static __device__ __forceinline__

// Elements that are loaded and stored at once.
template <class T, int N> struct alignas(sizeof(T) * N) pack { T v[N]; };

template <class T> struct unsigned_of { typedef T type; };
template <> struct unsigned_of<s32> { typedef u32 type; };
template <> struct unsigned_of<s64> { typedef u64 type; };
#define UNSIGNED(T) typename unsigned_of<T>::type

FN u32 bits(f32 v) { return __float_as_uint(v); }
FN u64 bits(f64 v) { return (u64)__double_as_longlong(v); }
FN f32 float_of(u32 v) { return __uint_as_float(v); }
FN f64 float_of(u64 v) { return __longlong_as_double((s64)v); }

template <class T> FN T x_add(T a, T b) { return (T)((UNSIGNED(T))a + (UNSIGNED(T))b); }
template <class T> FN T x_sub(T a, T b) { return (T)((UNSIGNED(T))a - (UNSIGNED(T))b); }
template <class T> FN T x_mul(T a, T b) { return (T)((UNSIGNED(T))a * (UNSIGNED(T))b); }
template <class T> FN T x_neg(T a) { return (T)(0 - (UNSIGNED(T))a); }
template <class T> FN T x_abs(T a) { return a < 0 ? x_neg(a) : a; }
template <class T> FN T x_sign(T a) { return (T)((a > 0) - (a < 0)); }
template <class T> FN T x_max(T a, T b) { return a > b ? a : b; }
template <class T> FN T x_min(T a, T b) { return a < b ? a : b; }
template <class T> FN T x_and(T a, T b) { return a & b; }
template <class T> FN T x_or(T a, T b) { return a | b; }
template <class T> FN T x_xor(T a, T b) { return a ^ b; }
template <class T> FN T x_not(T a) { return ~a; }

FN bool x_add(bool a, bool b) { return a || b; }
FN bool x_mul(bool a, bool b) { return a && b; }
FN bool x_max(bool a, bool b) { return a || b; }
FN bool x_min(bool a, bool b) { return a && b; }
FN bool x_and(bool a, bool b) { return a && b; }
FN bool x_or(bool a, bool b) { return a || b; }
FN bool x_xor(bool a, bool b) { return a != b; }
FN bool x_not(bool a) { return !a; }

// Division by 0 gives all ones, and the remainder of it the dividend; the least number by -1 gives itself.
FN s32 x_div(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? x_neg(a) : a / b; }
FN s64 x_div(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? x_neg(a) : a / b; }
FN u32 x_div(u32 a, u32 b) { return b == 0 ? ~0u : a / b; }
FN u64 x_div(u64 a, u64 b) { return b == 0 ? ~0ull : a / b; }
FN s32 x_rem(s32 a, s32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
FN s64 x_rem(s64 a, s64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
FN u32 x_rem(u32 a, u32 b) { return b == 0 ? a : a % b; }
FN u64 x_rem(u64 a, u64 b) { return b == 0 ? a : a % b; }

template <class T> FN T power_of(T a, T n) {
  T p = 1;
  for (; n > 0; n >>= 1, a *= a)
    if (n & 1) p *= a;
  return p;
}
FN u32 x_pow(u32 a, u32 n) { return power_of(a, n); }
FN u64 x_pow(u64 a, u64 n) { return power_of(a, n); }
FN s32 x_pow(s32 a, s32 n) { return n < 0 ? a == 1 : (s32)power_of((u32)a, (u32)n); }
FN s64 x_pow(s64 a, s64 n) { return n < 0 ? a == 1 : (s64)power_of((u64)a, (u64)n); }

// What depends on the width w of the type. The amount of a shift is read as unsigned.
template <class T> FN bool past(T n, int w) { return (UNSIGNED(T))n >= (UNSIGNED(T))w; }
template <class T> FN T x_shl(T a, T n, int w) { return past(n, w) ? (T)0 : (T)((UNSIGNED(T))a << (int)n); }
FN u32 low(u32 a, int w) { return a << (32 - w) >> (32 - w); }
FN u64 low(u64 a, int w) { return a << (64 - w) >> (64 - w); }
FN s32 extend(u32 a, int w) { return (s32)(a << (32 - w)) >> (32 - w); }
FN s64 extend(u64 a, int w) { return (s64)(a << (64 - w)) >> (64 - w); }
template <class T> FN T x_shr(T a, T n, int w) {
  return past(n, w) ? (T)0 : (T)(low((UNSIGNED(T))a, w) >> (int)n);
}
template <class T> FN T x_sar(T a, T n, int w) {
  return (T)(extend((UNSIGNED(T))a, w) >> (past(n, w) ? w - 1 : (int)n));
}
FN s32 count(u32 a) { return __popc(a); }
FN s32 count(u64 a) { return __popcll((s64)a); }
FN s32 zeros(u32 a) { return __clz((s32)a); }
FN s32 zeros(u64 a) { return __clzll((s64)a); }
template <class T> FN T x_popc(T a, int w) { return (T)count(low((UNSIGNED(T))a, w)); }
template <class T> FN T x_clz(T a, int w) { return (T)(zeros(low((UNSIGNED(T))a, w)) - (int)(8 * sizeof(T)) + w); }
FN s32 x_mulhi(s32 a, s32 b, int w) { return (s32)((s64)a * b >> w); }
FN u32 x_mulhi(u32 a, u32 b, int w) { return (u32)((u64)a * b >> w); }
FN s64 x_mulhi(s64 a, s64 b, int) { return __mul64hi(a, b); }
FN u64 x_mulhi(u64 a, u64 b, int) { return __umul64hi(a, b); }

#define FLOAT_OPS(T) \
  FN T x_add(T a, T b) { return a + b; } \
  FN T x_sub(T a, T b) { return a - b; } \
  FN T x_mul(T a, T b) { return a * b; } \
  FN T x_div(T a, T b) { return a / b; } \
  FN T x_neg(T a) { return -a; } \
  FN T x_sign(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a; } \
  FN T x_max(T a, T b) { return a > b ? a : b > a ? b : a != b ? a + b : float_of(bits(a) & bits(b)); } \
  FN T x_min(T a, T b) { return a < b ? a : b < a ? b : a != b ? a + b : float_of(bits(a) | bits(b)); } \
  FN bool x_finite(T a) { return a - a == 0; }
FLOAT_OPS(f32)
FLOAT_OPS(f64)
FN f32 x_abs(f32 a) { return fabsf(a); }
FN f64 x_abs(f64 a) { return fabs(a); }

#define MATH1(name, fn) \
  FN f32 x_##name(f32 a) { return fn##f(a); } \
  FN f64 x_##name(f64 a) { return fn(a); }
MATH1(acos, acos)
MATH1(acosh, acosh)
MATH1(asin, asin)
MATH1(asinh, asinh)
MATH1(atan, atan)
MATH1(atanh, atanh)
MATH1(cbrt, cbrt)
MATH1(ceil, ceil)
MATH1(cos, cos)
MATH1(cosh, cosh)
MATH1(erf, erf)
MATH1(exp, exp)
MATH1(expm1, expm1)
MATH1(floor, floor)
MATH1(log, log)
MATH1(log1p, log1p)
MATH1(rint, rint)
MATH1(round, round)
MATH1(sin, sin)
MATH1(sinh, sinh)
MATH1(sqrt, sqrt)
MATH1(tan, tan)
MATH1(tanh, tanh)
FN f32 x_atan2(f32 a, f32 b) { return atan2f(a, b); }
FN f64 x_atan2(f64 a, f64 b) { return atan2(a, b); }
FN f32 x_rem(f32 a, f32 b) { return fmodf(a, b); }
FN f64 x_rem(f64 a, f64 b) { return fmod(a, b); }
FN f64 x_pow(f64 a, f64 b) { return pow(a, b); }
FN f32 x_pow(f32 a, f32 b) { return (f32)pow((f64)a, (f64)b); }
FN f32 x_rsqrt(f32 a) { return 1 / sqrtf(a); }
FN f64 x_rsqrt(f64 a) { return 1 / sqrt(a); }
template <class T> FN T x_logistic(T a) {
  T e = x_exp(-x_abs(a));
  return a >= 0 ? 1 / (1 + e) : a != a ? a : e / (1 + e);
}

// The key by which floats are totally ordered: their bits, those of negative numbers turned round.
FN s32 total(u32 b, int w) { s32 s = extend(b, w); return s ^ (s32)((u32)(s >> 31) >> 1); }
FN s64 total(u64 b, int) { s64 s = (s64)b; return s ^ (s64)((u64)(s >> 63) >> 1); }

// Floats to integers of w bits: the fraction goes, what is beyond becomes the last number, NaN becomes 0.
template <class T> FN s64 to_signed(T v, int w) {
  T limit = (T)(1ull << (w - 1));
  if (v != v) return 0;
  if (v >= limit) return (s64)((1ull << (w - 1)) - 1);
  return v < -limit ? -1 - (s64)((1ull << (w - 1)) - 1) : (s64)v;
}
template <class T> FN u64 to_unsigned(T v, int w) {
  T limit = (T)(1ull << (w - 1)) * 2;
  if (!(v > 0)) return 0;
  return v >= limit ? ~0ull >> (64 - w) : (u64)v;
}
// A float of 32 bits that, rounded to a narrower type, gives what rounding v itself gives: inexact ones are odd.
FN f32 odd(f32 v) { return v; }
FN f32 odd(f64 v) {
  f32 r = __double2float_rz(v);
  return (f64)r == v || v != v || x_abs(v) > 3.4028234663852886e38 ? (f32)v : float_of(bits(r) | 1u);
}
FN f32 odd(u64 v) {
  if (v >> 53) v = (v & ~0x7ffull) | ((v & 0x7ff) ? 0x800 : 0);
  return odd((f64)v);
}
FN f32 odd(s64 v) { return v < 0 ? -odd((u64)0 - (u64)v) : odd((u64)v); }
FN f32 odd(s32 v) { return odd((f64)v); }
FN f32 odd(u32 v) { return odd((f64)v); }

// Rounds the bits of a float of width bits, man of them mantissa, to exp2 and man2 bits.
FN u64 reduce_precision(u64 b, int width, int man, int exp2, int man2) {
  u64 sign = b >> (width - 1) << (width - 1), abs = b ^ sign;
  int exp = width - 1 - man, drop = man - man2;
  u64 inf = ((1ull << exp) - 1) << man;
  if (abs > inf) return b;
  if (drop > 0) {
    abs += (abs >> drop & 1) + (1ull << (drop - 1)) - 1;
    abs = abs >> drop << drop;
  }
  if (exp2 >= exp) return sign | abs;
  u64 bias = (1ull << (exp - 1)) - 1, bias2 = (1ull << (exp2 - 1)) - 1, e = abs >> man;
  return e > bias + bias2 ? sign | inf : e <= bias - bias2 ? sign : sign | abs;
}

// The start of a slice, moved so that it lies in the array.
template <class T> FN s64 clamp_start(T start, s64 last) {
  return start < 0 ? 0 : (u64)start > (u64)last ? last : (s64)start;
}
template <class T> FN bool inside(T start, s64 last) { return !(start < 0) && (u64)start <= (u64)last && last >= 0; }

// Elements from i on, of n; where there are no more, the last one again.
template <class P, class T> FN bool aligned(const T* p) { return (u64)p % sizeof(P) == 0; }
template <class T, int V, class I> FN pack<T, V> fetch(const T* p, I i, I n) {
  if (i + V <= n && aligned<pack<T, V>>(p + i)) return *(const pack<T, V>*)(p + i);
  pack<T, V> x;
#pragma unroll
  for (int k = 0; k < V; k++) x.v[k] = p[i + k < n ? i + k : n - 1];
  return x;
}
template <class T, int V, class I> FN void put(T* p, I i, I n, const pack<T, V>& x) {
  if (i + V <= n && aligned<pack<T, V>>(p + i)) {
    *(pack<T, V>*)(p + i) = x;
    return;
  }
#pragma unroll
  for (int k = 0; k < V; k++)
    if (i + k < n) p[i + k] = x.v[k];
}
// v with 10 bits of mantissa.
FN f32 round_tf32(f32 v) {
  const u32 b = bits(v);
  return x_finite(v) ? float_of((b + 0xfffu + (b >> 13 & 1)) & ~0x1fffu) : v;
}

// What another lane of the warp has: the one whose number differs by some bits, one some numbers further, and the first
// of each width lanes. All lanes of the warp take part.
template <class T> FN T lane_xor(T v, int by) { return __shfl_xor_sync(~0u, v, by); }
template <class T> FN T lane_down(T v, int by) { return __shfl_down_sync(~0u, v, by); }
template <class T> FN T lane_first(T v, int width) { return __shfl_sync(~0u, v, 0, width); }
FN bool lane_xor(bool v, int by) { return __shfl_xor_sync(~0u, (s32)v, by) != 0; }
FN bool lane_down(bool v, int by) { return __shfl_down_sync(~0u, (s32)v, by) != 0; }
FN bool lane_first(bool v, int width) { return __shfl_sync(~0u, (s32)v, 0, width) != 0; }
