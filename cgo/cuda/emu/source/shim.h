// The words of CUDA C++ for g++: what a kernel finds when the emulator compiles it. Kernels include nothing else.
// __CUDA_ARCH__ is not defined: assembly is not for g++.
#include "emu.h"
#define HALO_CUDA_EMU 1

typedef __SIZE_TYPE__ size_t;
extern "C" __attribute__((visibility("default"))) halo_emu_state *halo_emu;
halo_emu_state *halo_emu;

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__
#define __shared__ static __attribute__((section("halo_shared")))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define threadIdx (halo_emu->thread)
#define blockIdx (halo_emu->block)
#define blockDim (halo_emu->block_dim)
#define gridDim (halo_emu->grid_dim)
#define warpSize 32

#define __syncthreads() ((void)halo_emu->barrier(__LINE__, 0))
#define __syncthreads_count(p) (halo_emu->barrier(__LINE__, (p) != 0))
#define __syncthreads_or(p) (halo_emu->barrier(__LINE__, (p) != 0) != 0)
#define __syncthreads_and(p) (halo_emu->barrier(__LINE__, !(p)) == 0)

// Warps.
template <class T> struct halo_emu_bits {
  static unsigned long long of(T v) {
    unsigned long long w = 0;
    __builtin_memcpy(&w, &v, sizeof v);
    return w;
  }
  static T from(unsigned long long w) {
    T v;
    __builtin_memcpy(&v, &w, sizeof v);
    return v;
  }
};
template <class T> inline T halo_emu_shuffle(unsigned mask, int line, T v, int kind, int by, int width) {
  const unsigned long long *all = halo_emu->exchange(mask, line, halo_emu_bits<T>::of(v));
  const int lane = halo_emu->lane, first = lane / width * width;
  int from = kind == 0 ? first + (by & (width - 1)) : kind == 1 ? lane ^ by : kind == 2 ? lane - by : lane + by;
  if (kind == 1 && from >= first + width) from = lane;
  if (kind >= 2 && (from < first || from >= first + width)) from = lane;
  return halo_emu_bits<T>::from(all[from]);
}
inline int halo_emu_width() { return 32; }
inline int halo_emu_width(int w) { return w; }
#define __shfl_sync(m, v, l, ...) halo_emu_shuffle(m, __LINE__, v, 0, l, halo_emu_width(__VA_ARGS__))
#define __shfl_xor_sync(m, v, l, ...) halo_emu_shuffle(m, __LINE__, v, 1, l, halo_emu_width(__VA_ARGS__))
#define __shfl_up_sync(m, v, l, ...) halo_emu_shuffle(m, __LINE__, v, 2, l, halo_emu_width(__VA_ARGS__))
#define __shfl_down_sync(m, v, l, ...) halo_emu_shuffle(m, __LINE__, v, 3, l, halo_emu_width(__VA_ARGS__))
inline unsigned halo_emu_ballot(unsigned mask, int line, bool p) {
  const unsigned long long *all = halo_emu->exchange(mask, line, p);
  unsigned out = 0;
  for (int i = 0; i < 32; i++)
    if (mask >> i & 1 && all[i]) out |= 1u << i;
  return out;
}
#define __ballot_sync(m, p) halo_emu_ballot(m, __LINE__, (p) != 0)
#define __any_sync(m, p) (halo_emu_ballot(m, __LINE__, (p) != 0) != 0)
#define __all_sync(m, p) (halo_emu_ballot(m, __LINE__, !(p)) == 0)
#define __syncwarp(...) ((void)halo_emu_ballot(halo_emu_mask(__VA_ARGS__), __LINE__, 0))
inline unsigned halo_emu_mask() { return ~0u; }
inline unsigned halo_emu_mask(unsigned m) { return m; }

// Fences and reads past the cache: one thread runs at a time.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
template <class T> inline T __ldg(const T *p) { return *p; }
template <class T> inline T __ldcs(const T *p) { return *p; }
template <class T> inline T __ldcg(const T *p) { return *p; }
template <class T> inline void __stcs(T *p, T v) { *p = v; }

// Conditional nodes.
inline void cudaGraphSetConditional(unsigned long long handle, unsigned value) { halo_emu->condition(handle, value); }

// Atomics.
template <class T> struct halo_emu_same { typedef T type; };
#define HALO_EMU_ATOMIC(name, expression) \
  template <class T> inline T name(T *p, typename halo_emu_same<T>::type v) { \
    const T old = *p; \
    *p = expression; \
    return old; \
  }
HALO_EMU_ATOMIC(atomicAdd, old + v)
HALO_EMU_ATOMIC(atomicSub, old - v)
HALO_EMU_ATOMIC(atomicExch, v)
HALO_EMU_ATOMIC(atomicMin, v < old ? v : old)
HALO_EMU_ATOMIC(atomicMax, v > old ? v : old)
HALO_EMU_ATOMIC(atomicAnd, old & v)
HALO_EMU_ATOMIC(atomicOr, old | v)
HALO_EMU_ATOMIC(atomicXor, old ^ v)
HALO_EMU_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
template <class T>
inline T atomicCAS(T *p, typename halo_emu_same<T>::type is, typename halo_emu_same<T>::type v) {
  const T old = *p;
  if (old == is) *p = v;
  return old;
}

// Bits.
#define HALO_EMU_CAST(name, to, from) \
  inline to name(from v) { \
    to w; \
    __builtin_memcpy(&w, &v, sizeof w); \
    return w; \
  }
HALO_EMU_CAST(__float_as_int, int, float)
HALO_EMU_CAST(__float_as_uint, unsigned, float)
HALO_EMU_CAST(__int_as_float, float, int)
HALO_EMU_CAST(__uint_as_float, float, unsigned)
HALO_EMU_CAST(__double_as_longlong, long long, double)
HALO_EMU_CAST(__longlong_as_double, double, long long)
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned long long __brevll(unsigned long long v) {
  unsigned long long r = 0;
  for (int i = 0; i < 64; i++) r |= (v >> i & 1) << (63 - i);
  return r;
}
inline unsigned __brev(unsigned v) { return __brevll(v) >> 32; }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return n & 31 ? hi << (n & 31) | lo >> (32 - (n & 31)) : hi;
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return n & 31 ? lo >> (n & 31) | hi << (32 - (n & 31)) : lo;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
  return r;
}

// Mathematics: the host's.
#define HALO_EMU_MATH(X1, X2) \
  X1(acos) X1(acosh) X1(asin) X1(asinh) X1(atan) X1(atanh) X1(cbrt) X1(ceil) X1(cos) X1(cosh) X1(erf) X1(erfc) X1(exp) \
  X1(exp2) X1(expm1) X1(fabs) X1(floor) X1(lgamma) X1(log) X1(log10) X1(log1p) X1(log2) X1(logb) X1(nearbyint) \
  X1(rint) X1(round) X1(sin) X1(sinh) X1(sqrt) X1(tan) X1(tanh) X1(tgamma) X1(trunc) X2(atan2) X2(copysign) X2(fdim) \
  X2(fmax) X2(fmin) X2(fmod) X2(hypot) X2(nextafter) X2(pow) X2(remainder)
#define HALO_EMU_1(name) \
  extern "C" float name##f(float) noexcept; \
  extern "C" double name(double) noexcept; \
  inline float name(float x) { return name##f(x); }
#define HALO_EMU_2(name) \
  extern "C" float name##f(float, float) noexcept; \
  extern "C" double name(double, double) noexcept; \
  inline float name(float x, float y) { return name##f(x, y); }
HALO_EMU_MATH(HALO_EMU_1, HALO_EMU_2)
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double fma(double, double, double) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float frexpf(float, int *) noexcept;
extern "C" double frexp(double, int *) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float exp10f(float x) { return (float)pow(10.0, (double)x); }
inline double exp10(double x) { return pow(10.0, x); }
inline double sinpi(double x) { return sin(3.14159265358979323846 * remainder(x, 2.0)); }
inline double cospi(double x) { return cos(3.14159265358979323846 * remainder(x, 2.0)); }
inline float sinpif(float x) { return (float)sinpi((double)x); }
inline float cospif(float x) { return (float)cospi((double)x); }
#define HALO_EMU_CLASS(T) \
  inline bool isnan(T x) { return x != x; } \
  inline bool isinf(T x) { return __builtin_isinf(x); } \
  inline bool isfinite(T x) { return __builtin_isfinite(x); } \
  inline bool signbit(T x) { return __builtin_signbit(x); }
HALO_EMU_CLASS(float)
HALO_EMU_CLASS(double)
#define HALO_EMU_RANGE(T) \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return b > a ? b : a; }
HALO_EMU_RANGE(int)
HALO_EMU_RANGE(unsigned)
HALO_EMU_RANGE(long long)
HALO_EMU_RANGE(unsigned long long)
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline int abs(int v) { return v < 0 ? -v : v; }
inline long long llabs(long long v) { return v < 0 ? -v : v; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x >= 0 ? x > 1 ? 1 : x : 0; }
#define HALO_EMU_ROUNDED(T, p, root, fused) \
  inline T __##p##add_rn(T a, T b) { return a + b; } \
  inline T __##p##sub_rn(T a, T b) { return a - b; } \
  inline T __##p##mul_rn(T a, T b) { return a * b; } \
  inline T __##p##div_rn(T a, T b) { return a / b; } \
  inline T __##p##rcp_rn(T a) { return 1 / a; } \
  inline T __##p##sqrt_rn(T a) { return root(a); }
HALO_EMU_ROUNDED(float, f, sqrtf, fmaf)
HALO_EMU_ROUNDED(double, d, sqrt, fma)
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

// Conversions: those to integers saturate, and make 0 of NaN.
template <class I, class F> inline I halo_emu_integer(F x, I least, I greatest) {
  return x != x ? 0 : x <= (F)least ? least : x >= (F)greatest ? greatest : (I)x;
}
inline int __float2int_rz(float x) { return halo_emu_integer<int>(x, -2147483647 - 1, 2147483647); }
inline int __double2int_rz(double x) { return halo_emu_integer<int>(x, -2147483647 - 1, 2147483647); }
inline unsigned __float2uint_rz(float x) { return halo_emu_integer<unsigned>(x, 0, ~0u); }
inline unsigned __double2uint_rz(double x) { return halo_emu_integer<unsigned>(x, 0, ~0u); }
inline long long __double2ll_rz(double x) { return halo_emu_integer<long long>(x, -1LL << 63, ~(1ULL << 63)); }
inline long long __float2ll_rz(float x) { return __double2ll_rz(x); }
inline unsigned long long __double2ull_rz(double x) { return halo_emu_integer<unsigned long long>(x, 0, ~0ULL); }
inline unsigned long long __float2ull_rz(float x) { return __double2ull_rz(x); }
inline int __float2int_rn(float x) { return __float2int_rz(rintf(x)); }
inline int __double2int_rn(double x) { return __double2int_rz(rint(x)); }
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __double2float_rn(double x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline double __ll2double_rn(long long x) { return (double)x; }
inline float __double2float_rz(double x) {
  const float y = (float)x;
  return fabs((double)y) > fabs(x) ? nextafterf(y, 0.0f) : y;
}

// Vectors.
#define HALO_EMU_VECTOR(T, name) \
  struct __align__(2 * sizeof(T)) name##2 { T x, y; }; \
  struct name##3 { T x, y, z; }; \
  struct __align__(sizeof(T) > 4 ? 16 : 4 * sizeof(T)) name##4 { T x, y, z, w; }; \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
HALO_EMU_VECTOR(signed char, char)
HALO_EMU_VECTOR(unsigned char, uchar)
HALO_EMU_VECTOR(short, short)
HALO_EMU_VECTOR(unsigned short, ushort)
HALO_EMU_VECTOR(int, int)
HALO_EMU_VECTOR(long long, longlong)
HALO_EMU_VECTOR(unsigned long long, ulonglong)
HALO_EMU_VECTOR(float, float)
HALO_EMU_VECTOR(double, double)
struct __align__(8) uint2 { unsigned x, y; };
struct __align__(16) uint4 { unsigned x, y, z, w; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// What the driver calls: a kernel with its parameters where the launch has them.
template <int... I> struct halo_emu_list {};
template <class... A, int... I>
inline void halo_emu_call(void (*f)(A...), void **params, halo_emu_list<I...>) {
  f(*(A *)params[I]...);
}
template <class... A> inline void halo_emu_launch(void (*f)(A...), void **params) {
  static_assert(((sizeof(A) == 8) && ...), "parameters of kernels take 64 bits each");
  halo_emu_call(f, params, halo_emu_list<__integer_pack(sizeof...(A))...>());
}
template <class... A> constexpr int halo_emu_count(void (*)(A...)) { return sizeof...(A); }
extern "C" {
extern char __start_halo_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_halo_shared[] __attribute__((weak, visibility("hidden")));
__global__ char *halo_emu_shared(size_t *bytes) {
  *bytes = (size_t)(__stop_halo_shared - __start_halo_shared);
  return __start_halo_shared;
}
}
#define HALO_EMU_KERNEL(name) \
  extern "C" __global__ void halo_emu_run_##name(void **params) { halo_emu_launch(name, params); } \
  extern "C" __global__ int halo_emu_params_##name() { return halo_emu_count(name); }
