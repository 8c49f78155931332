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

// row_of is row i of rows that follow each other, or null if there is none.
INLINE const char *row_of(const halo_staggered *t, const char *rows, int64_t i) {
  return i >= 0 && i < t->rows ? rows + i * t->blocks * 8 * VB : 0;
}

#ifdef LIMIT32
// BELOW2 stands for DIFFER1 where no number is negative or 2: one bit of the exponents tells.
#define BELOW2 (VI)((VU)(a0 & a1 & a2 & a3 & a4 & a5 & a6 & a7) << 1)

INLINE VI most_of(const char *x, VI most) {
  const int64_t at = 0;
  REDUCED_BLOCK(most, max_f, CHOSEN8, AS_IT_IS)
  return most;
}

INLINE VI exponentials(const char *x, char *q, VI y, VI sum) {
  const int64_t at = 0;
  const stage *s = 0;
  REDUCED_BLOCK(sum, add_f, ALL8, EXPONENTIAL)
  return sum;
}

INLINE void quotients(const char *x, char *q, VF y, VF z, int normal, int past) {
  const int64_t at = 0;
  VI a0, a1, a2, a3, a4, a5, a6, a7;
  EACH(TAKEN)
  QUOTIENTS_IF(normal && all_differ(BELOW2))
  if (past) {
    EACH(PAST1)
  } else {
    EACH(AT1)
  }
}

static void s_staggered_softmax(const halo_staggered *t) {
  const int64_t bytes = t->blocks * 8 * VB;
  const int near = bytes <= NEAR, past = t->past;
  VI most = samei(0);
  VF total = same(1), inverse = same(1);
  for (int64_t i = -1; i <= t->rows && !*t->cancel; i++) {
    const char *ahead = row_of(t, t->in, i + 1 + AHEAD_ROWS), *first = row_of(t, t->in, i + 1);
    const char *second = row_of(t, t->in, i), *third = row_of(t, t->out, i - 1);
    char *exps = t->rooms + (i & 1) * bytes, *before = t->rooms + (~i & 1) * bytes;
    const int normal = divides(total);
    VI next = I(same(-INFINITY)), sum = samei(SIGN);
    for (int64_t at = 0; at < bytes; at += 8 * VB) {
      if (first)
        next = most_of(first + at, next);
      if (third)
        quotients(before + at, (char *)third + at, total, inverse, normal, past);
      if (ahead)
        ask_block(ahead + at, near);
      if (second)
        sum = exponentials(second + at, exps + at, most, sum);
    }
    CHOSEN_FOLD(max_f, next)
    FOLD(add_f, sum)
    most = next, total = F(sum), inverse = 1 / total;
  }
}
#endif
