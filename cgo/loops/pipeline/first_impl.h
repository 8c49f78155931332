// first_impl.h: programs over rows that find the first place of the least or greatest element, in one loop over each
// row. Included by stages_impl.h.
//
// A NaN is found before all else. Where a row has none, each lane keeps the best element it has seen and where that
// was; an equal one that comes later changes nothing.
#ifdef LIMIT32

// Elements are made of the rows x, and of o, which is the same for all rows.
enum { ROW, ROW_PLUS, ROW_MINUS, MINUS_ROW };

INLINE VI made_of(const char *x, const char *o, int how) {
  switch (how) {
  case ROW_PLUS: return I(F(LOAD(x, 0)) + F(LOAD(o, 0)));
  case ROW_MINUS: return I(F(LOAD(x, 0)) - F(LOAD(o, 0)));
  case MINUS_ROW: return I(F(LOAD(o, 0)) - F(LOAD(x, 0)));
  }
  return LOAD(x, 0);
}

// where is x in lanes whose mask is set, else y.
INLINE VI where(VI m, VI x, VI y) {
#if defined(__x86_64__) && VB == 32
  return (VI)_mm256_blendv_ps((__m256)y, (__m256)x, (__m256)m);
#else
  return pick(m, x, y);
#endif
}

// best is the best elements of some vectors, lane by lane, and the first place of each vector that has them. A lane of
// other is not 0 where there were NaN.
typedef struct {
  VI value, at, other;
} best;

INLINE VI stands(VI x, VI y, int least) { return least ? F(x) <= F(y) : F(x) >= F(y); }

INLINE void take(best *b, VI x, VI at, int least) {
  const VI m = stands(b->value, x, least);
  b->value = where(m, b->value, x);
  b->at = where(m, b->at, at);
  b->other |= F(x) != F(x);
}

// join_best is the better one of two in each lane, of equal ones the one before.
INLINE best join_best(best a, best b, int least) {
  const VI before = (F(a.value) == F(b.value)) & (a.at <= b.at), better = stands(a.value, b.value, least);
  const VI m = before | (better & (F(a.value) != F(b.value)));
  return (best){where(m, a.value, b.value), where(m, a.at, b.at), a.other | b.other};
}

// best_of goes over a row of at least a vector. Four vectors at a time do not wait for each other; the last one begins
// where a whole one fits.
INLINE best best_of(const char *x, const char *o, int64_t bytes, int how, int least) {
  enum { TOGETHER = 4 };
  const best first = {made_of(x, o, how), samei(0), samei(0)};
  best b[TOGETHER] = {first, first, first, first};
  VI at = samei(0);
  int64_t i = 0;
  for (; i + TOGETHER * VB <= bytes; i += TOGETHER * VB, at += TOGETHER * N)
#pragma GCC unroll 4
    for (int k = 0; k < TOGETHER; k++)
      take(&b[k], made_of(x + i + k * VB, o + i + k * VB, how), at + k * N, least);
  for (; i + VB <= bytes; i += VB, at += N)
    take(&b[0], made_of(x + i, o + i, how), at, least);
  if (i < bytes) {
    i = bytes - VB;
    take(&b[1], made_of(x + i, o + i, how), samei((I)(i / (int64_t)sizeof(I))), least);
  }
  return join_best(join_best(b[0], b[1], least), join_best(b[2], b[3], least), least);
}

#define LEAST2(x, y) where(F(x) < F(y), x, y)
#define MOST2(x, y) where(F(x) > F(y), x, y)

// first_nan is the place of a row's first NaN, of which there is one.
INLINE I first_nan(const char *x, const char *o, int how) {
  for (I at = 0;; at++, x += sizeof(I), o += sizeof(I)) {
    F v, w = 0;
    __builtin_memcpy(&v, x, sizeof v);
    if (how != ROW)
      __builtin_memcpy(&w, o, sizeof w);
    const F e = how == ROW_PLUS ? v + w : how == ROW_MINUS ? v - w : how == MINUS_ROW ? w - v : v;
    if (e != e)
      return at;
  }
}

// found is the place of a row's first element that is best, or start if init is better, the lesser one if it is equal.
INLINE I found(const halo_staggered *t, const char *x, int64_t bytes, int how, int least) {
  const best b = best_of(x, t->offset, bytes, how, least);
  if (some(b.other))
    return first_nan(x, t->offset, how);
  VI value = b.value, lanes;
  for (int i = 0; i < N; i++)
    lanes[i] = i;
  if (least) {
    STEPS(LEAST2, value)
  } else {
    STEPS(MOST2, value)
  }
  VI at = where(F(value) == F(b.value), b.at + lanes, samei(ALLBUTSIGN));
  STEPS(r_min_s, at)
  const I start = (I)t->start;
  const VI init = samei((I)t->init), equal = F(init) == F(value), better = stands(init, value, least);
  return equal[0] ? (start < at[0] ? start : at[0]) : better[0] ? start : at[0];
}

INLINE void first_places(const halo_staggered *t, int how, int least) {
  const int64_t bytes = t->blocks * 8 * VB + t->rest;
  for (int64_t i = 0; i < t->rows && !*t->cancel; i++)
    ((I *)t->out)[i] = found(t, t->in + i * bytes, bytes, how, least);
}

#define FIRST_PLACES(name, how)                                                                                        \
  static void s_staggered_least##name(const halo_staggered *t) { first_places(t, how, 1); }                            \
  static void s_staggered_most##name(const halo_staggered *t) { first_places(t, how, 0); }
FIRST_PLACES(, ROW)
FIRST_PLACES(_plus, ROW_PLUS)
FIRST_PLACES(_minus, ROW_MINUS)
FIRST_PLACES(_from, MINUS_ROW)
#endif
