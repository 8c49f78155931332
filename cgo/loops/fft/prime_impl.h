// Passes of primes that have no butterfly, summed by the formula: in passes_impl.h, after steps.

// sums are the elements of a step that mirror each other, together: element 0 aside.
typedef struct {
  cx first, sum[SWIFT_PRIME / 2], diff[SWIFT_PRIME / 2];
} NAME(sums);

// prime_some makes results k to k+count-1 and those that mirror them.
INLINE void NAME(prime_some)(const int count, const step *s, const NAME(sums) *v, int64_t radix, int64_t k,
                             const int memory, const int by) {
  const int64_t half = radix / 2;
  const pair *waves = s->f.waves + (k - 1) * half;
  cx even[4], odd[4];
#pragma GCC unroll 4
  for (int c = 0; c < count; c++) even[c] = v->first, odd[c] = (cx){0};
  for (int64_t j = 0; j < half; j++) {
    const cx sum = v->sum[j], diff = v->diff[j];
#pragma GCC unroll 4
    for (int c = 0; c < count; c++) {
      const pair w = waves[c * half + j];
      even[c].re += sum.re * w.re, even[c].im += sum.im * w.re;
      odd[c].re += diff.re * w.im, odd[c].im += diff.im * w.im;
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < count; c++) {
    NAME(give)(s, k + c, NAME(add_up)(even[c], odd[c]), by);
    NAME(give)(s, radix - k - c, NAME(add_down)(even[c], odd[c]), by);
  }
}

#undef SOME_RESULTS
#define SOME_RESULTS (LANES * sizeof(T) == 64 ? 4 : 2) // what registers hold

static void NAME(prime_by)(int64_t radix, const step *s, const int memory, const int by) __attribute__((always_inline));
static inline void NAME(prime_by)(int64_t radix, const step *s, const int memory, const int by) {
  NAME(sums) v;
  const int64_t half = radix / 2;
  cx total = v.first = NAME(take)(s, 0, memory, by);
  for (int64_t j = 1; j <= half; j++) {
    const cx a = NAME(take)(s, j, memory, by), b = NAME(take)(s, radix - j, memory, by);
    v.sum[j - 1] = NAME(plus)(a, b), v.diff[j - 1] = NAME(minus)(a, b);
    total = NAME(plus)(total, v.sum[j - 1]);
  }
  NAME(give)(s, 0, total, by);
  int64_t k = 1;
  for (; k + SOME_RESULTS - 1 <= half; k += SOME_RESULTS) NAME(prime_some)(SOME_RESULTS, s, &v, radix, k, memory, by);
  for (; k + 1 <= half; k += 2) NAME(prime_some)(2, s, &v, radix, k, memory, by);
  if (k == half) NAME(prime_some)(1, s, &v, radix, k, memory, by);
}

// prime_pass is the loop of a pass.
INLINE void NAME(prime_pass)(const swift_pass *p, const pair *roots, const flow *f, const int memory, const int by) {
  const int64_t radix = p->radix, rest = by == NAME(ROOTS) ? p->rest : 1, done = p->done;
  for (int64_t k = 0; k < done && !STOPPED; k++)
    for (int64_t i = 0; i < rest; i++) {
      const step s = {*f, roots + i * (radix - 1), i + rest * radix * k, rest, i + rest * k, done * rest, k, done};
      if (memory && f->from_step >= FAR)
        NAME(ahead)(radix, f->from + (i + 2) * f->from_step, rest * f->from_step);
      NAME(prime_by)(radix, &s, memory, by);
    }
}
