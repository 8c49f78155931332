// stages_impl.h: the stages of stages.def for the level and lane of lanes.h. Included once by each stages*_*.c.
#include "lanes.h"

#if LANE == 32
#define FMOD fmodf
#else
#define FMOD fmod
#endif

#include "floats.h"
#include "smallround.h"

// Integer helpers on one lane.
#if LANE == 32
static inline I high_s(I x, I y) { return (I)(((int64_t)x * y) >> 32); }
static inline U high_u(U x, U y) { return (U)(((uint64_t)x * y) >> 32); }
#else
static inline I high_s(I x, I y) { return (I)(((__int128)x * y) >> 64); }
static inline U high_u(U x, U y) { return (U)(((unsigned __int128)x * y) >> 64); }
static double logistic(double x) {
  double e = exp(-fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
static double cube_root(double x) {
  double y = cbrt(x);
  if (y == 0 || y - y != 0)
    return y;
  return y - (double)(((long double)y * y * y - x) / (3 * (long double)y * y));
}
#endif

// inverse_erf is Giles's polynomials in -log(1-x^2), with the square rounded to a float as the ops of f32 have it.
static __attribute__((unused)) double inverse_erf(double x) {
  static const float near[] = {2.81022636e-8f, 3.43273939e-7f, -3.5233877e-6f, -4.39150654e-6f, 0.00021858087f,
      -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f};
  static const float far[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
      -0.0076224613f, 0.00943887047f, 1.00167406f, 2.83297682f};
  double w = -log1p(-(double)(float)(x * x)), y = w < 5 ? w - 2.5 : sqrt(w) - 3, p = 0;
  for (int i = 0; i < 9; i++)
    p = p * y + (double)(w < 5 ? near : far)[i];
  return fabs(x) == 1 ? x * INFINITY : p * x;
}

#include "angles.h"
#include "math64.h"
#include "products.h"
#include "integers.h"
#if LANE == 32 && (VB > 16 || defined(__aarch64__))
#include "math32.h"
#endif
#include "exp64.h"
#include "sums64.h"
#if LANE == 64
#include "functions64.h"
#endif

#include "forms.h"
#include "functions.h"
#include "complex.h"
#include "narrow.h"

// AHEAD moves each lane by w places, or within its half of a vector once both are alike, which takes less time.
#define L4(w, i) ((w) + (i)) % N, ((w) + (i) + 1) % N, ((w) + (i) + 2) % N, ((w) + (i) + 3) % N
#if VB * 8 / LANE == 16
#define AHEAD(x, w) __builtin_shufflevector(x, x, L4(w, 0), L4(w, 4), L4(w, 8), L4(w, 12))
#elif defined(__x86_64__) && VB == 32 && LANE == 32
#define OF_HALF(w, i) ((w) < 4 ? (i) / 4 * 4 + ((w) + (i)) % 4 : ((w) + (i)) % N)
#define H4(w, i) OF_HALF(w, i), OF_HALF(w, (i) + 1), OF_HALF(w, (i) + 2), OF_HALF(w, (i) + 3)
#define AHEAD(x, w) __builtin_shufflevector(x, x, H4(w, 0), H4(w, 4))
#elif VB * 8 / LANE == 8
#define AHEAD(x, w) __builtin_shufflevector(x, x, L4(w, 0), L4(w, 4))
#elif VB * 8 / LANE == 4
#define AHEAD(x, w) __builtin_shufflevector(x, x, L4(w, 0))
#else
#define AHEAD(x, w) __builtin_shufflevector(x, x, 1, 0)
#endif

// put puts lane t of x, whose lanes are alike, where that is in a block. Vectors are read and written, since a vector
// that was written number by number could only be read when all that is in the cache.
INLINE void put(char *to, int64_t t, VI x) {
  VI lanes;
  for (int i = 0; i < N; i++)
    lanes[i] = i;
  VIm *v = (VIm *)to + t / N;
  *v = pick(lanes == (I)(t % N), x, *v);
}

// Accumulators begin with what changes nothing: of sums -0, since 0 would make a 0 of it.
#define REDUCE_BY(name, e, none, all, fold)                                                                            \
  INLINE VI r_##name(VI x, VI y) { return e; }                                                                         \
  static void s_acc_##name(ARGS) {                                                                                     \
    TAKE                                                                                                               \
    VIm *acc = (VIm *)p[s->a];                                                                                         \
    const char *w = p[s->b];                                                                                           \
    VI b0 = a0, b1 = a1, b2 = a2, b3 = a3, b4 = a4, b5 = a5, b6 = a6, b7 = a7;                                         \
    if (!((const I *)w)[BLOCK - 1]) {                                                                                  \
      const VI unchanged = none;                                                                                       \
      COUNTED(b0, 0) COUNTED(b1, 1) COUNTED(b2, 2) COUNTED(b3, 3)                                                      \
      COUNTED(b4, 4) COUNTED(b5, 5) COUNTED(b6, 6) COUNTED(b7, 7)                                                      \
    }                                                                                                                  \
    *acc = all(name, *acc);                                                                                            \
    FINISH;                                                                                                            \
  }                                                                                                                    \
  static void clear_##name(char *acc) { *(VIm *)acc = none; }                                                          \
  static void join_##name(char *acc, const char *other) { *(VIm *)acc = r_##name(LOAD(acc, 0), LOAD(other, 0)); }      \
  static void fold_##name(char *acc, char *to, int64_t t) {                                                            \
    VI x = LOAD(acc, 0);                                                                                               \
    fold(name, x)                                                                                                      \
    put(to, t, x);                                                                                                     \
    clear_##name(acc);                                                                                                 \
  }
#define COUNTED(b, k) b = pick(LOAD(w, k), b, unchanged);
#define PAIRS(f) f(f(f(b0, b1), f(b2, b3)), f(f(b4, b5), f(b6, b7)))
#define ALL8(name, acc) r_##name(acc, PAIRS(r_##name))
#define STEP(f, x, w)                                                                                                  \
  if (N > w)                                                                                                           \
    x = f(x, AHEAD(x, w));
#define STEPS(f, x) STEP(f, x, 8) STEP(f, x, 4) STEP(f, x, 2) STEP(f, x, 1)
#define FOLD(name, x) STEPS(r_##name, x)
#define REDUCE(name, e, none) REDUCE_BY(name, e, none, ALL8, FOLD)
// CHOOSE is a maximum or minimum of floats, which is faster where no NaN is.
#ifdef UNORDERED
#define NUMBERS8(acc)                                                                                                  \
  !ANYWHERE(UNORDERED(acc, b0) | UNORDERED(b1, b2) | UNORDERED(b3, b4) | UNORDERED(b5, b6) | UNORDERED(b7, b7))
#define CHOSEN8(name, acc) NUMBERS8(acc) ? number_##name(acc, PAIRS(number_##name)) : ALL8(name, acc)
#define CHOSEN_FOLD(name, x)                                                                                           \
  if (ANYWHERE(UNORDERED(x, x))) {                                                                                     \
    STEPS(r_##name, x)                                                                                                 \
  } else {                                                                                                             \
    STEPS(number_##name, x)                                                                                            \
  }
#define CHOOSE(name, e, none) REDUCE_BY(name, e, none, CHOSEN8, CHOSEN_FOLD)
#else
#define CHOSEN8 ALL8
#define CHOSEN_FOLD FOLD
#define CHOOSE REDUCE
#endif

#include "reducers.def"
#include "stages.def"
#include "sweeps_impl.h"
#include "staggered_impl.h"
#include "first_impl.h"

#include "entries.h"

#define SWEEP(name) ROW(name)
#ifdef LIMIT32
#define SWEEP32 SWEEP
#else
#define SWEEP32(name) 0,
#endif
#include "called.h"
#if defined(__x86_64__) && VB >= 32
#define CALL(name) ROW(call_##name)
#else
#define CALL(name) 0,
#endif
#if LANE == 32
#define CALL32 CALL
#else
#define CALL32(name) 0,
#endif
static void (*const table[])(void) = {
#include "stages.def"
#include "reducers.def"
#include "memory.def"
#include "sweeps.def"
#include "calls.def"
};

#undef REDUCE
#define REDUCE(name, e, none) {clear_##name, join_##name, fold_##name},
static const halo_reducer reducers[] = {
#include "reducers.def"
};

#include "ends.h"

#undef CONVERT
#undef ROUNDED_STORE
#define ROUNDED_STORE(name) {(void (*)(void))s_store_##name, (void (*)(void))s_stream_##name},
#undef COMPLEX
#define COMPLEX ROUNDED_STORE
#define CONVERT(name, T, load, store) ROUNDED_STORE(name)
static const halo_way ways[] = {
    {(void (*)(void))s_store, (void (*)(void))s_stream},
#include "memory.def"
    {0},
};

const halo_lanes CAT3(halo_lanes, LANE, LEVEL) = {table, sizeof table / sizeof *table, reducers, blocks, fill, part,
    give, ways};
