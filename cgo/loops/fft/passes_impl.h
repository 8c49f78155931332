// The transform of LANES lines in passes, between memory and vectors: after butterfly_impl.h.
#include <string.h>

#include "neighbours_impl.h"

typedef struct {
  uvec re, im;
} NAME(turn);
#define turn NAME(turn)

// flow says where a transform reads and writes: vectors, or memory where the elements are steps apart. The imaginary
// parts of what is read from memory are multiplied by sign, results by turns if there are any, else by re and im.
typedef struct {
  const cx *in;
  cx *out;
  const pair *from;
  pair *to;
  int64_t from_step, to_step;
  T sign, re, im;
  const turn *turns;
  int64_t products; // turns are as in a swift_line
  const pair *room; // what is written next where results are, which is asked for; or 0
  const pair *waves; // of the pass, if it is of a prime
  int64_t next;     // pairs from what is read and turned to what is read next, which is asked for
} NAME(flow);
#define flow NAME(flow)

// What results are multiplied by: the scale, in memory or vectors, the roots of their column, turns, products of turns.
enum { NAME(SCALE), NAME(PLAIN), NAME(ROOTS), NAME(TURNS), NAME(PRODUCTS) };

// step is one butterfly of a pass: of column i of row k.
typedef struct {
  flow f;
  const pair *roots;
  int64_t at, apart, to, to_apart, k, done;
} NAME(step);
#define step NAME(step)

INLINE cx NAME(take)(const step *s, const int64_t j, const int memory, const int by) {
  const flow *f = &s->f;
  if (!memory) return f->in[s->at + j * s->apart];
  if (by == NAME(TURNS) || by == NAME(PRODUCTS)) {
    const pair *next = f->from + f->next + (s->at + j * s->apart) * f->from_step;
    __builtin_prefetch(next);
    if (sizeof(vec) > 32) __builtin_prefetch(next + LANES / 2);
  }
  cx v = NAME(get)(f->from + (s->at + j * s->apart) * f->from_step);
  v.im *= f->sign;
  return v;
}

INLINE cx NAME(turn_at)(const turn *w) { return (cx){w->re, w->im}; }

INLINE void NAME(give)(const step *s, const int64_t j, cx v, const int by) {
  const flow *f = &s->f;
  const int64_t at = s->to + j * s->to_apart;
  if (by == NAME(SCALE)) {
    if (f->room) {
      __builtin_prefetch(f->room + at * f->to_step, 1);
      if (sizeof(vec) > 32) __builtin_prefetch(f->room + at * f->to_step + LANES / 2, 1);
    }
    NAME(put)(f->to + at * f->to_step, (cx){v.re * f->re, v.im * f->im});
    return;
  }
  if (by == NAME(PLAIN)) v = (cx){v.re * f->re, v.im * f->im};
  if (by == NAME(ROOTS) && j > 0) v = NAME(turned)(v, s->roots[j - 1]);
  if (by == NAME(TURNS)) v = NAME(times)(v, NAME(turn_at)(f->turns + s->k + s->done * j));
  if (by == NAME(PRODUCTS)) {
    cx w = NAME(turn_at)(f->turns + s->k);
    if (j > 0) w = NAME(times)(w, NAME(turn_at)(f->turns + s->done + j));
    v = NAME(times)(v, w);
  }
  f->out[at] = v;
}

// fly_by is a butterfly from where its elements are to where its results go.
INLINE void NAME(fly_by)(const int radix, const step *s, const int memory, const int by) {
  cx v[16];
#pragma GCC unroll 16
  for (int j = 0; j < radix; j++) v[j] = NAME(take)(s, j, memory, by);
  NAME(fly)(radix, v);
#pragma GCC unroll 16
  for (int j = 0; j < radix; j++) NAME(give)(s, j, v[j], by);
}

// fly16_by takes and gives what few registers hold at once: four by four.
INLINE void NAME(fly16_by)(const step *s, const int memory, const int by) {
  cx v[16];
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) {
#pragma GCC unroll 4
    for (int m = 0; m < 4; m++) v[k + 4 * m] = NAME(take)(s, k + 4 * m, memory, by);
    NAME(four)(v + k, 4);
#pragma GCC unroll 4
    for (int m = 1; m < 4; m++) v[k + 4 * m] = NAME(by16)(v[k + 4 * m], k * m);
  }
#pragma GCC unroll 4
  for (int m = 0; m < 4; m++) {
    NAME(four)(v + 4 * m, 1);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) NAME(give)(s, m + 4 * p, v[4 * m + p], by);
  }
}

#undef FAR
#define FAR 256 // pairs: hardware does not look ahead so far

// ahead asks for LANES pairs of each of so many elements, which are apart.
static __attribute__((noinline)) void NAME(ahead)(int64_t count, const pair *p, int64_t apart) {
  for (int64_t j = 0; j < count; j++, p += apart) {
    __builtin_prefetch(p, 0);
    if (sizeof(vec) > 32) __builtin_prefetch(p + LANES / 2, 0);
  }
}

// pass is the loop of a pass. Only the last has no roots, and columns of one.
INLINE void NAME(pass)(const int radix, const swift_pass *p, const pair *roots, const flow *f, const int memory,
                       const int by) {
  const int64_t rest = by == NAME(ROOTS) ? p->rest : 1, done = p->done;
  for (int64_t k = 0; k < done; k++)
    for (int64_t i = 0; i < rest; i++) {
      const step s = {*f, roots + i * (radix - 1), i + rest * radix * k, rest, i + rest * k, done * rest, k, done};
      if (memory && f->from_step >= FAR)
        NAME(ahead)(radix, f->from + (i + 2) * f->from_step, rest * f->from_step);
      if (radix == 16)
        NAME(fly16_by)(&s, memory, by);
      else
        NAME(fly_by)(radix, &s, memory, by);
    }
}

#include "prime_impl.h"

typedef void (*NAME(pass_by))(const swift_pass *, const pair *, const flow *);

// The ways of a pass: from memory or not, and what results are multiplied by.
#define WAYS(X) \
  X(0, SCALE) X(0, PLAIN) X(0, ROOTS) X(1, ROOTS) X(0, TURNS) X(1, TURNS) X(0, PRODUCTS) X(1, PRODUCTS)
#define PASS(radix, memory, by) \
  static __attribute__((noinline)) void NAME(pass##radix##memory##by)(const swift_pass *p, const pair *roots, \
                                                                      const flow *f) { \
    if (radix == PRIME) \
      NAME(prime_pass)(p, roots, f, memory, NAME(by)); \
    else \
      NAME(pass)(radix, p, roots, f, memory, NAME(by)); \
  }
#define RADICES(memory, by) \
  PASS(2, memory, by) PASS(3, memory, by) PASS(4, memory, by) PASS(5, memory, by) PASS(7, memory, by) \
  PASS(8, memory, by) PASS(9, memory, by) PASS(16, memory, by) PASS(1, memory, by)
#undef PRIME
#define PRIME 1 // stands for all primes that have no butterfly
WAYS(RADICES)
PASS(1, 1, SCALE) // others are of shorter columns than come here
#undef RADICES
#undef PASS
#define ENTRY(radix, memory, by) [memory][NAME(by)][radix] = NAME(pass##radix##memory##by),
#define RADICES(memory, by) \
  ENTRY(2, memory, by) ENTRY(3, memory, by) ENTRY(4, memory, by) ENTRY(5, memory, by) ENTRY(7, memory, by) \
  ENTRY(8, memory, by) ENTRY(9, memory, by) ENTRY(16, memory, by) ENTRY(1, memory, by)
static const NAME(pass_by) NAME(passes)[2][5][17] = {WAYS(RADICES) ENTRY(1, 1, SCALE)};
#undef RADICES
#undef ENTRY
#undef WAYS

// last_by is what the results of the last pass are multiplied by.
INLINE int NAME(last_by)(const flow *f) {
  if (f->to) return NAME(SCALE);
  if (!f->turns) return NAME(PLAIN);
  return f->products ? NAME(PRODUCTS) : NAME(TURNS);
}

// in_passes does LANES lines as f says, which it changes, and returns the results, if not in memory. work has room for
// two of them.
static cx *NAME(in_passes)(const char *data, const swift_plan *p, flow *f, cx *work) {
  const swift_pass *s = (const swift_pass *)(data + p->list), *last = s + p->passes - 1;
  int64_t memory = 1 - (f->from == 0);
  cx *out = work, *done = work;
  for (; s <= last && !STOPPED; s++, memory = 0) {
    const int by = s < last ? NAME(ROOTS) : NAME(last_by)(f);
    f->out = out, f->waves = (const pair *)(data + s->waves);
    NAME(passes)[memory][by][s->waves ? PRIME : s->radix](s, (const pair *)(data + s->roots), f);
    f->in = done = out, out = out == work ? work + p->n : work;
  }
  return done;
}

// convolve does LANES lines whose results have no turns: times w, by transforms of more elements, and times w again.
static cx *NAME(convolve)(const char *data, const swift_plan *p, const flow *f, cx *work) {
  const swift_chirp *c = (const swift_chirp *)(data + p->chirp);
  const swift_plan *inner = (const swift_plan *)(data + c->plan);
  const pair *wave = (const pair *)(data + c->wave), *kernel = (const pair *)(data + c->kernel);
  const step s = {*f, 0, 0, 1, 0, 1, 0, 1};
  cx *v = work;
  for (int64_t k = 0; k < p->n; k++)
    v[k] = NAME(turned)(f->from ? NAME(take)(&s, k, 1, NAME(SCALE)) : f->in[k], wave[k]);
  memset(v + p->n, 0, (c->m - p->n) * sizeof(cx));
  flow g = {.in = v, .re = 1, .im = 1};
  const cx *t = NAME(in_passes)(data, inner, &g, work + c->m);
  for (int64_t k = 0; k < c->m; k++) {
    const cx a = NAME(turned)(t[k], kernel[k]);
    v[k] = (cx){a.re, -a.im};
  }
  g = (flow){.in = v, .re = 1, .im = 1};
  t = NAME(in_passes)(data, inner, &g, work + c->m);
  for (int64_t k = 0; k < p->n; k++) {
    v[k] = NAME(turned)((cx){t[k].re, -t[k].im}, wave[k]);
    if (f->to) NAME(give)(&s, k, v[k], NAME(SCALE));
    else v[k] = (cx){v[k].re * f->re, v[k].im * f->im};
  }
  return v;
}

// transform does LANES lines in passes or by a convolution. work is as package fourier says.
static cx *NAME(transform)(const char *data, int64_t plan, flow *f, cx *work) {
  const swift_plan *p = (const swift_plan *)(data + plan);
  return p->chirp ? NAME(convolve)(data, p, f, work) : NAME(in_passes)(data, p, f, work);
}
