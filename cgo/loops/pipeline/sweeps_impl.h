// sweeps_impl.h: the sweeps of sweeps.def, which run the stages of a whole phase on all blocks of the loop. Included by
// stages_impl.h.
//
// A sweep stands in the place of the first stage of its phase. Operands are those of the stages it stands for, s[0] and
// on, and results have the bits of those; where a sweep cannot do it, it goes on with them.

// spread is an operand that is one lane.
INLINE VI spread(char *const *p, const stage *s) { return samei(*(const Im *)p[s->a]); }

// partial reports whether the mask leaves out some lanes.
INLINE int partial(const char *mask) { return !((const I *)mask)[BLOCK - 1]; }

#define PLAIN(name) return s_##name(p, s, a0, a1, a2, a3, a4, a5, a6, a7)
#define LOOP halo_loop *l = (halo_loop *)p[HALO_LOOP]
#define BLOCKS for (int64_t at = 0, end = l->left * 8 * VB; at < end; at += 8 * VB, ask(l))
#define FROM (p[s->from - 1])

// REDUCED_BLOCK adds what compute makes of a block to sum, REDUCED that of all blocks to the accumulator of stage last.
#define REDUCED_BLOCK(sum, name, with, compute)                                                                        \
  {                                                                                                                    \
    VI b0, b1, b2, b3, b4, b5, b6, b7;                                                                                 \
    compute(b0, 0) compute(b1, 1) compute(b2, 2) compute(b3, 3)                                                        \
    compute(b4, 4) compute(b5, 5) compute(b6, 6) compute(b7, 7)                                                        \
    sum = with(name, sum);                                                                                             \
  }
#define REDUCED(name, first, last, with, compute)                                                                      \
  if (partial(p[s[last].b]))                                                                                           \
    PLAIN(first);                                                                                                      \
  const char *x = FROM;                                                                                                \
  VI sum = *(VIm *)p[s[last].a];                                                                                       \
  BLOCKS REDUCED_BLOCK(sum, name, with, compute)                                                                       \
  *(VIm *)p[s[last].a] = sum;                                                                                          \
  over(p, l);

#define AS_IT_IS(b, k) b = LOAD(x + at, k);
static void s_sweep_max(ARGS) {
  LOOP;
  REDUCED(max_f, acc_max_f, 0, CHOSEN8, AS_IT_IS)
}
static void s_sweep_sum(ARGS) {
  LOOP;
  REDUCED(add_f, acc_add_f, 0, ALL8, AS_IT_IS)
}

#define SQUARED(b, k) b = I(rounded(F(f_square_f(f_sub_f(LOAD(x + at, k), y, s), 0))));
static void s_sweep_squares(ARGS) {
  LOOP;
  const VI y = spread(p, s);
  REDUCED(add_f, sub_f, 2, ALL8, SQUARED)
}

#ifdef LIMIT32
#define EXPONENTIAL(b, k)                                                                                              \
  b = I(f_expf(F(f_sub_f(LOAD(x + at, k), y, s))));                                                                    \
  *(VIm *)(q + at + k * VB) = b;
static void s_sweep_exp(ARGS) {
  LOOP;
  const VI y = spread(p, s);
  char *q = p[s[2].a];
  REDUCED(add_f, sub_f, 3, ALL8, EXPONENTIAL)
}
#endif

// MADE stores what compute makes of a block of x, past the caches if stage last does.
#define AT1(a, k) *(VIm *)(q + at + k * VB) = a;
#define PAST1(a, k) STREAM_AT(q + at + k * VB, a)
#define MADE(last, compute)                                                                                            \
  const char *x = FROM;                                                                                                \
  char *q = p[s[last].a];                                                                                              \
  if (s[last].fn == (void (*)(void))s_stream)                                                                          \
    BLOCKS {                                                                                                           \
      compute EACH(PAST1)                                                                                              \
    }                                                                                                                  \
  else                                                                                                                 \
    BLOCKS {                                                                                                           \
      compute EACH(AT1)                                                                                                \
    }                                                                                                                  \
  over(p, l);

#define NORMED(a, k)                                                                                                   \
  a = f_mul_f(f_mul_f(f_sub_f(LOAD(x + at, k), y, s), z, s), LOAD(g + at, k), s);                                      \
  a = f_add_f(I(rounded(F(a))), LOAD(b + at, k), s);
static void s_sweep_norm(ARGS) {
  LOOP;
  const VI y = spread(p, s), z = spread(p, s + 1);
  const char *g = p[s[2].a], *b = p[s[3].a];
  MADE(4, EACH(NORMED))
}

#ifdef QUOTIENTS
#define TAKEN(a, k) a = LOAD(x + at, k);
static void s_sweep_quotient(ARGS) {
  LOOP;
  const VF y = F(spread(p, s)), z = F(samei(*(const Im *)p[s->b]));
  const int normal = divides(y);
  MADE(1, EACH(TAKEN) QUOTIENTS)
}
#endif

#ifdef LIMIT32
// A value for which another stage makes room stays in its register.
#define GELU1(a, k)                                                                                                    \
  {                                                                                                                    \
    const VI v = LOAD(x + at, k);                                                                                      \
    a = f_mul_f(I(f_gelu_erfcf(F(f_mul_f(f_neg_f(v, 0), z, s)))), f_mul_f(v, y, s), s);                                \
  }
#ifdef NEAR_ERFC
#define NEAR_GELU1(a, k)                                                                                               \
  {                                                                                                                    \
    const VI v = LOAD(x + at, k);                                                                                      \
    a = f_mul_f(I(near_gelu32(F(f_mul_f(v, z, s)), &most)), f_mul_f(v, y, s), s);                                      \
  }
#define IF_FAR(a, k)                                                                                                   \
  if (!is_near_gelu32(I(magnitude(F(f_mul_f(LOAD(x + at, k), z, s))))))                                                \
    GELU1(a, k)
#define GELU                                                                                                           \
  VI most = {0};                                                                                                       \
  EACH(NEAR_GELU1)                                                                                                     \
  if (__builtin_expect(!is_near_gelu32(most), 0)) {                                                                    \
    EACH(IF_FAR)                                                                                                       \
  }
#else
#define GELU EACH(GELU1)
#endif
static void s_sweep_gelu(ARGS) {
  LOOP;
  const VI y = spread(p, s), z = spread(p, s + 3);
  MADE(6, GELU)
}
#endif

#define STENCIL1(a, k)                                                                                                 \
  a = f_add_f(f_add_add_f(LOAD(x + at, k), LOAD(b + at, k), LOAD(c + at, k)), LOAD(d + at, k), s);                     \
  a = f_mul_add_f(f_sub_mul_f(a, LOAD(e + at, k), y), LOAD(f + at, k), z);
static void s_sweep_stencil(ARGS) {
  LOOP;
  const char *b = p[s->a], *c = p[s->b], *d = p[s[1].a], *e = p[s[2].a], *f = p[s[3].a];
  const VI y = LOAD(p[s[2].b], 0), z = LOAD(p[s[3].b], 0);
  MADE(4, EACH(STENCIL1))
}

// A made function does what the stages behind s + 2 do, a of them, of which the last b store results: that of s[1] in
// the caches, that of s[2] past them. Where they do not store in one way, the stages run.
static void s_sweep_made(ARGS) {
  const stage *first = s + 3;
  const halo_made made = halo_made_of((halo_made)s[1].fn, (halo_made)s[2].fn, first + s->a, s->b);
  if (!made)
    return ((stage_fn)first->fn)(p, first, a0, a1, a2, a3, a4, a5, a6, a7);
  LOOP;
  made(p, l->left * BLOCK);
  over(p, l);
}
