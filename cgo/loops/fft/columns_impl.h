// Columns of arrays, and short contiguous lines that become columns: after square_impl.h.

// columns transforms columns [first, first + LANES) of the o-th array of n by inner. If there are fewer, they are
// copied to where there is room for all.
static void NAME(columns)(const swift_job *j, char *work, int64_t o, int64_t first) {
  const swift_record *r = j->r;
  const int64_t at = o * r->n * r->inner + first, left = r->inner - first;
  flow f = NAME(flow_of)(r);
  f.from = (const pair *)j->src + at, f.to = (pair *)j->dst + at, f.from_step = f.to_step = r->inner;
  if (left >= LANES) {
    NAME(transform)(j->data, r->root, &f, (cx *)work);
    return;
  }
  pair *some = (pair *)((cx *)work + 2 * r->n);
  NAME(copied)(some, LANES, f.from, r->inner, r->n, left);
  pair *to = f.to;
  f.from = f.to = some, f.from_step = f.to_step = LANES;
  NAME(transform)(j->data, r->root, &f, (cx *)work);
  NAME(copied)(to, r->inner, some, LANES, r->n, left);
}

// halves_of goes between the transform of m pairs of reals and the half spectrum of the 2 m reals, in place. What goes
// back is conjugated.
static void NAME(halves_of)(cx *v, const pair *turns, int64_t m, int64_t forward) {
  const T sign = forward ? 1 : -1;
  const cx first = v[0];
  for (int64_t k = 1; k <= m / 2; k++) {
    const cx a = v[k], b = v[m - k];
    const cx even = {(a.re + b.re) * (T)0.5, (a.im - b.im) * (T)0.5};
    const cx odd = NAME(turned)((cx){a.re - b.re, a.im + b.im}, (pair){turns[k].re, turns[k].im * sign});
    v[k] = (cx){even.re + odd.re, (even.im + odd.im) * sign};
    v[m - k] = (cx){even.re - odd.re, (odd.im - even.im) * sign};
  }
  if (forward)
    v[0] = (cx){first.re + first.im, (vec){0}}, v[m] = (cx){first.re - first.im, (vec){0}};
  else
    v[0] = (cx){(first.re + v[m].re) * (T)0.5, (v[m].re - first.re) * (T)0.5};
}

// short_lines transforms lines [first, first + LANES), of which those there are get copied if they are fewer.
static void NAME(short_lines)(const swift_job *j, char *memory, int64_t first) {
  const swift_record *r = j->r;
  const swift_line *p = (const swift_line *)(j->data + r->root);
  const int64_t left = r->outer - first, count = left < LANES ? left : LANES, real = r->kind != FFT_COMPLEX;
  const int64_t m = p->b, in = m + (r->kind == FFT_INVERSE_REAL), out = m + (r->kind == FFT_FORWARD_REAL);
  const pair *src = (const pair *)j->src + first * in, *turns = (const pair *)(j->data + p->halves);
  pair *dst = (pair *)j->dst + first * out;
  cx *work = (cx *)memory, *v = work + 2 * m;
  pair *some = (pair *)(v + m + 1);
  if (count < LANES) NAME(copied)(some, in, src, in, count, in), src = some;
  flow f = NAME(flow_of)(r);
  for (int64_t i = 0; i < NAME(groups)(2 * in); i++) {
    const int64_t at = NAME(start)(2 * in, i);
    NAME(crossed)((T *)v + at * LANES, LANES, (const T *)src + at, 2 * in, real ? 1 : f.sign);
  }
  if (r->kind == FFT_INVERSE_REAL) NAME(halves_of)(v, turns, m, 0);
  f.in = v;
  v = NAME(transform)(j->data, p->rows, &f, work);
  if (r->kind == FFT_FORWARD_REAL) NAME(halves_of)(v, turns, m, 1);
  pair *to = count < LANES ? some : dst;
  for (int64_t i = 0; i < NAME(groups)(2 * out); i++) {
    const int64_t at = NAME(start)(2 * out, i);
    NAME(crossed)((T *)to + at, 2 * out, (const T *)v + at * LANES, LANES, 1);
  }
  if (count < LANES) NAME(copied)(dst, out, some, out, count, out);
}

#undef vec
#undef uvec
#undef ivec
#undef cx
#undef pair
#undef flow
#undef turn
#undef step
#undef whole
#undef task
