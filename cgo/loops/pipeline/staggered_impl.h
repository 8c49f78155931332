// staggered_impl.h: programs over rows whose sweeps are one loop. Sweep q goes over a row while sweep q-1 goes over the
// next one: so what waits for the memory, what computes and what stores past the caches run side by side, which a
// processor cannot make of loops that follow each other. Included by stages_impl.h.
//
// Results have the bits of the sweeps one after the other.

// AHEAD_ROWS is how far ahead of the first sweep rows are asked for: into the nearest cache if they have at most NEAR
// bytes, so that it holds all that are in the making.
enum { AHEAD_ROWS = 2, NEAR = 4096 };

INLINE void ask_block(const char *x, int near) {
  for (int64_t line = 0; line < 8 * VB; line += 64)
    if (near)
      __builtin_prefetch(x + line, 0, 3);
    else
      __builtin_prefetch(x + line, 0, 2);
}

// trio is what a round works on: the rows of the three sweeps and the one that is asked for; null: there is none. The
// third sweep makes of row before, or of what the second has made of it, the row third.
typedef struct {
  const char *ahead, *first, *second, *before;
  char *third;
} trio;

INLINE trio round_of(const halo_staggered *t, int64_t i) {
  const int64_t bytes = t->blocks * 8 * VB + t->rest, left = t->rows - i;
  const char *first = t->in + ((i + 1) & t->reads) * bytes;
  if (t->widen && left > 1)
    t->widen(t->of, i + 1, (char *)first);
  return (trio){left > 1 + AHEAD_ROWS && !t->widen ? first + AHEAD_ROWS * bytes : 0, left > 1 ? first : 0,
      i >= 0 && left > 0 ? t->in + (i & t->reads) * bytes : 0, t->in + ((i - 1) & t->reads) * bytes,
      i > 0 ? t->out + ((i - 1) & t->makes) * bytes : 0};
}

// ended ends round i.
INLINE void ended(const halo_staggered *t, int64_t i, const trio *r) {
  if (t->narrow && r->third)
    t->narrow(t->of, i - 1, r->third);
}

// ROUNDS goes through the rows, and through the blocks of each.
#define ROUNDS for (int64_t i = -1; i <= t->rows && !*t->cancel; i++)
#define ROUND(first_sweep, second_sweep, third_sweep)                                                                  \
  for (int64_t at = 0; at < bytes; at += 8 * VB) {                                                                     \
    if (r.first)                                                                                                       \
      first_sweep;                                                                                                     \
    if (r.third)                                                                                                       \
      third_sweep;                                                                                                     \
    if (r.ahead)                                                                                                       \
      ask_block(r.ahead + at, bytes <= NEAR);                                                                          \
    if (r.second)                                                                                                      \
      second_sweep;                                                                                                    \
  }

// LEAVE stores a block, past the caches or not.
#define LEAVE                                                                                                          \
  if (past) {                                                                                                          \
    EACH(PAST1)                                                                                                        \
  } else {                                                                                                             \
    EACH(AT1)                                                                                                          \
  }

#ifdef LIMIT32
// BELOW2 stands for DIFFER1 where no number is negative or 2: one bit of the exponents tells.
#define BELOW2 (VI)((VU)(a0 & a1 & a2 & a3 & a4 & a5 & a6 & a7) << 1)

// element is what a softmax is of: a vector of a row, or its product with a factor, rounded before all else.
INLINE VI element(const char *x, VI factor, int scales) {
  const VI v = LOAD(x, 0);
  return scales ? I(rounded(F(v) * F(factor))) : v;
}

#define MOST1(b, k) b = element(x + k * VB, factor, scales);
#define EXPONENTIAL1(b, k)                                                                                             \
  b = I(f_expf(F(element(x + k * VB, factor, scales)) - F(y)));                                                        \
  *(VIm *)(q + k * VB) = b;

#ifdef NEAR_EXP
// The sign of a greatest 0 does not change its distances' exponentials, and a NaN that is passed over has one, by which
// the sum is one: so any maximum does, and no distance is above 0 where all are numbers. One test of a block is enough.
#define GREATEST8(name, acc) LARGER(acc, PAIRS(LARGER))
#define GREATEST_FOLD(name, x) STEPS(LARGER, x)
#define NEAR_EXPONENTIAL1(b, k)                                                                                        \
  {                                                                                                                    \
    VI power;                                                                                                          \
    const VF d = F(element(x + k * VB, factor, scales)) - F(y);                                                        \
    b = I(near_exp32(d, &power));                                                                                      \
    if (nulls) {                                                                                                       \
      const VI none = (VI)LESS(d, same(NO_EXP));                                                                       \
      b &= ~none, power &= ~none;                                                                                      \
    }                                                                                                                  \
    far = larger_u(far, power);                                                                                        \
    *(VIm *)(q + k * VB) = b;                                                                                          \
  }

// near_exponentials reports whether all of a block are near, or, if it looks for nulls, so far that they are 0.
INLINE int near_exponentials(const char *x, VI factor, int scales, char *q, VI y, VI *sum, int nulls) {
  VI far = {}, near = *sum;
  REDUCED_BLOCK(near, add_f, ALL8, NEAR_EXPONENTIAL1)
  if (__builtin_expect(!ALL((VU)far <= (VU)samei(NEAR_POWER)), 0))
    return 0;
  *sum = near;
  return 1;
}
#else
#define GREATEST8 CHOSEN8
#define GREATEST_FOLD CHOSEN_FOLD
#endif

INLINE VI most_of(const char *x, VI factor, int scales, VI most) {
  REDUCED_BLOCK(most, max_f, GREATEST8, MOST1)
  return most;
}

// exponentials looks for nulls at once if there may be many, as where there is a mask.
INLINE VI exponentials(const char *x, VI factor, int scales, char *q, VI y, VI sum, int nulls) {
#ifdef NEAR_EXP
  if (!nulls && near_exponentials(x, factor, scales, q, y, &sum, 0))
    return sum;
  if (near_exponentials(x, factor, scales, q, y, &sum, 1))
    return sum;
#endif
  REDUCED_BLOCK(sum, add_f, ALL8, EXPONENTIAL1)
  return sum;
}

#define LOG1(a, k) a = I(F(element(x + k * VB, factor, scales)) - F(y) - z);
INLINE void logarithms(const char *x, VI factor, int scales, char *q, VI y, VF z, int past) {
  const int64_t at = 0;
  VI a0, a1, a2, a3, a4, a5, a6, a7;
  EACH(LOG1)
  LEAVE
}

INLINE void quotients(const char *x, char *q, VF y, VF z, int normal, int past) {
  const int64_t at = 0;
  VI a0, a1, a2, a3, a4, a5, a6, a7;
  EACH(TAKEN)
  QUOTIENTS_IF(normal && all_differ(BELOW2))
  LEAVE
}

// What a softmax makes of elements first: nothing or a product, anew in each sweep; or more, once, and that is kept: a
// quotient, or by choices or addends beside the row what a mask is.
enum { AS_READ, SCALED, DIVIDED, CHOSEN, ADDED };

// making is how elements become what is kept: factor is a divisor if they are divided.
typedef struct {
  int how, divides;
  VI factor, other, refuses;
} making;

// holds are the bytes of choices k vectors on as masks.
INLINE VI holds(const char *choices, int k) {
#if defined(__x86_64__) && VB == 64
  return (VI)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i_u *)(choices + k * N))) != 0;
#elif defined(__x86_64__) && VB == 32
  return (VI)_mm256_cvtepu8_epi32(_mm_loadu_si64(choices + k * N)) != 0;
#else
  VI m;
  for (int i = 0; i < N; i++)
    m[i] = -(choices[k * N + i] != 0);
  return m;
#endif
}

INLINE VI made(const char *x, const char *beside, int k, const making *m, int divides) {
  const VF v = F(LOAD(x, k)), w = rounded(divides ? v / F(m->factor) : v * F(m->factor));
  if (m->how == CHOSEN)
    return pick(holds(beside, k) ^ m->refuses, I(w), m->other);
  return I(m->how == ADDED ? w + F(LOAD(beside, k)) : w);
}

#define MAKE1(b, k)                                                                                                    \
  b = made(x, beside, k, m, 0);                                                                                        \
  *(VIm *)(q + k * VB) = b;
#define DIVIDE_MAKE1(b, k)                                                                                             \
  b = made(x, beside, k, m, 1);                                                                                        \
  *(VIm *)(q + k * VB) = b;
INLINE VI make(const char *x, const char *beside, const making *m, char *q, VI most) {
  if (m->divides)
    REDUCED_BLOCK(most, max_f, GREATEST8, DIVIDE_MAKE1)
  else
    REDUCED_BLOCK(most, max_f, GREATEST8, MAKE1)
  return most;
}

// beside_at is what lies beside the place at, in bytes of lanes, of a row.
INLINE const char *beside_at(const making *m, const char *beside, int64_t at) {
  return beside + (m->how == CHOSEN ? at / (int64_t)sizeof(I) : at);
}

// ends are blocks for what is behind the whole ones of a row: of the row that is read first and of the one before, each
// followed by numbers without exponentials; of what is beside the first; of ones, which quotients are quickly made of;
// and of results.
typedef struct {
  char pads[2][8 * VB], beside[8 * VB], ones[8 * VB], out[8 * VB];
} ends;

INLINE void fill_ends(ends *e, const making *m) {
  const int chosen = !m->refuses[0];
  __builtin_memset(e->beside, m->how == CHOSEN ? chosen : 0, 8 * VB);
  for (int64_t at = 0; at < 8 * VB; at += VB) {
    *(VIm *)(e->pads[0] + at) = *(VIm *)(e->pads[1] + at) = I(same(-INFINITY));
    *(VIm *)(e->ones + at) = I(same(1));
  }
}

// staggered_softmax takes factors greater than 0. Logarithms are made of elements as they are read.
INLINE void staggered_softmax(const halo_staggered *t, int how, int logs) {
  const int64_t bytes = t->blocks * 8 * VB, pitch = bytes + 8 * VB, rest = t->rest;
  const int scales = how == SCALED, keeps = how > SCALED, nulls = how > DIVIDED;
  const making m = {how, t->divides, samei((I)t->factor), samei((I)t->other), samei(-t->refuses)};
  VI most = samei(0), greatest = samei(0);
  VF total = same(1), other = same(1);
  ends e __attribute__((aligned(64)));
  fill_ends(&e, &m);
  ROUNDS {
    const trio r = round_of(t, i);
    char *exps = t->rooms + (i & 1) * pitch, *before = t->rooms + (~i & 1) * pitch;
    char *kept = exps + 2 * pitch, *to = before + 2 * pitch;
    const char *second = keeps ? kept : r.second, *beside = nulls && r.first ? t->beside(t->of, i + 1) : r.first;
    const int normal = divides(total);
    VI next = I(same(-INFINITY)), sum = samei(SIGN);
    ROUND(next = keeps ? make(r.first + at, beside_at(&m, beside, at), &m, to + at, next)
                       : most_of(r.first + at, m.factor, scales, next),
        sum = exponentials(second + at, m.factor, scales, exps + at, most, sum, nulls),
        logs ? logarithms(r.before + at, m.factor, scales, r.third + at, greatest, other, t->past)
             : quotients(before + at, r.third + at, total, other, normal, t->past))
    if (rest && r.third) {
      if (logs)
        logarithms(e.pads[~i & 1], m.factor, scales, e.out, greatest, other, 0);
      else
        quotients(before + bytes, e.out, total, other, normal, 0);
      __builtin_memcpy(r.third + bytes, e.out, rest);
    }
    if (rest && r.first) {
      __builtin_memcpy(e.pads[~i & 1], r.first + bytes, rest);
      if (nulls)
        __builtin_memcpy(e.beside, beside_at(&m, beside, bytes), how == CHOSEN ? rest / (int64_t)sizeof(I) : rest);
      next = keeps ? make(e.pads[~i & 1], e.beside, &m, to + bytes, next)
                   : most_of(e.pads[~i & 1], m.factor, scales, next);
    }
    if (rest && r.second) {
      const char *end = keeps ? kept + bytes : e.pads[i & 1];
      sum = exponentials(end, m.factor, scales, exps + bytes, most, sum, 1);
      __builtin_memcpy(exps + bytes + rest, e.ones, 8 * VB - rest);
    }
    GREATEST_FOLD(max_f, next)
    FOLD(add_f, sum)
    greatest = most, most = next, total = F(sum), other = logs ? f_logf(total) : 1 / total;
    ended(t, i, &r);
  }
}

static void s_staggered_softmax(const halo_staggered *t) { staggered_softmax(t, AS_READ, 0); }
static void s_staggered_softmax_scaled(const halo_staggered *t) { staggered_softmax(t, SCALED, 0); }
static void s_staggered_softmax_divided(const halo_staggered *t) { staggered_softmax(t, DIVIDED, 0); }
static void s_staggered_softmax_chosen(const halo_staggered *t) { staggered_softmax(t, CHOSEN, 0); }
static void s_staggered_softmax_added(const halo_staggered *t) { staggered_softmax(t, ADDED, 0); }
static void s_staggered_softmax_log(const halo_staggered *t) { staggered_softmax(t, AS_READ, 1); }
static void s_staggered_softmax_log_scaled(const halo_staggered *t) { staggered_softmax(t, SCALED, 1); }
#endif

INLINE VI sum_of(const char *x, VI sum) {
  const int64_t at = 0;
  REDUCED_BLOCK(sum, add_f, ALL8, AS_IT_IS)
  return sum;
}

INLINE VI squares_of(const char *x, VI y, VI sum) {
  const int64_t at = 0;
  const stage *s = 0;
  REDUCED_BLOCK(sum, add_f, ALL8, SQUARED)
  return sum;
}

INLINE void norms(const char *x, char *q, const char *g, const char *b, VI y, VI z, int past) {
  const int64_t at = 0;
  const stage *s = 0;
  VI a0, a1, a2, a3, a4, a5, a6, a7;
  EACH(NORMED)
  LEAVE
}

// mean_of makes the mean of what the lanes of a row come to, with its count or the inverse of that.
INLINE VI mean_of(VI sum, VF count, int divided) {
  FOLD(add_f, sum)
  const VF total = same(0) + F(sum);
  return I(rounded(divided ? total / count : total * count));
}

// borders are blocks for what is behind the whole ones of a row: of the row that is read first and of the one before,
// each followed by what a sum does not change by; which places that are; of what is the same for all rows; and of
// results.
typedef struct {
  char pads[2][8 * VB], counted[8 * VB], scale[8 * VB], offset[8 * VB], out[8 * VB];
} borders;

INLINE void fill_borders(borders *b, const halo_staggered *t, int64_t bytes) {
  for (int64_t at = 0; at < 8 * VB; at += VB)
    *(VIm *)(b->pads[0] + at) = *(VIm *)(b->pads[1] + at) = samei(SIGN);
  __builtin_memset(b->counted, 0, 8 * VB);
  __builtin_memset(b->counted, 0xff, t->rest);
  __builtin_memset(b->scale, 0, 8 * VB);
  __builtin_memset(b->offset, 0, 8 * VB);
  __builtin_memcpy(b->scale, t->scale + bytes, t->rest);
  __builtin_memcpy(b->offset, t->offset + bytes, t->rest);
}

#define COUNTED_SQUARE(b, k)                                                                                           \
  SQUARED(b, k)                                                                                                        \
  b = pick(LOAD(counted, k), b, samei(SIGN));
INLINE VI squares_at_border(const char *x, const char *counted, VI y, VI sum) {
  const int64_t at = 0;
  const stage *s = 0;
  REDUCED_BLOCK(sum, add_f, ALL8, COUNTED_SQUARE)
  return sum;
}

INLINE void staggered_norm(const halo_staggered *t, int divided) {
  const int64_t bytes = t->blocks * 8 * VB, rest = t->rest;
  const VF count = F(samei((I)t->count)), epsilon = F(samei((I)t->epsilon));
  VI mean = samei(0), before = samei(0), inverse = samei(0);
  borders b __attribute__((aligned(64)));
  if (rest)
    fill_borders(&b, t, bytes);
  ROUNDS {
    const trio r = round_of(t, i);
    char *pad = b.pads[~i & 1];
    VI next = samei(SIGN), sum = samei(SIGN);
    ROUND(next = sum_of(r.first + at, next), sum = squares_of(r.second + at, mean, sum),
        norms(r.before + at, r.third + at, t->scale + at, t->offset + at, before, inverse, t->past))
    if (rest && r.third) {
      norms(pad, b.out, b.scale, b.offset, before, inverse, 0);
      __builtin_memcpy(r.third + bytes, b.out, rest);
    }
    if (rest && r.first) {
      __builtin_memcpy(pad, r.first + bytes, rest);
      next = sum_of(pad, next);
    }
    if (rest && r.second)
      sum = squares_at_border(b.pads[i & 1], b.counted, mean, sum);
    inverse = I(1 / square_root(F(mean_of(sum, count, divided)) + epsilon));
    before = mean, mean = mean_of(next, count, divided);
    ended(t, i, &r);
  }
}

static void s_staggered_norm(const halo_staggered *t) { staggered_norm(t, 0); }
static void s_staggered_norm_div(const halo_staggered *t) { staggered_norm(t, 1); }
