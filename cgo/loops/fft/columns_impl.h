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
  pair *some = (pair *)(work + r->work_bytes) - LANES * r->n;
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

// spread makes complex numbers of what short lines of an odd number n of reals become, which is behind v: reals, or
// the half of a spectrum, whose numbers are conjugated already.
static void NAME(spread)(cx *v, int64_t n, int64_t forward) {
  const vec *x = (const vec *)v + n;
  for (int64_t k = 0; k < n && forward; k++) v[k] = (cx){x[k], (vec){0}};
  if (forward) return;
  v[0].im = (vec){0};
  for (int64_t k = 1; k <= n / 2; k++) v[n - k] = (cx){v[k].re, -v[k].im};
}

// before makes the complex numbers that are transformed of what crossed lines are.
static void NAME(before)(cx *v, const swift_record *r, const swift_line *p, const pair *turns) {
  if (r->kind == FFT_INVERSE_REAL && p->halves) NAME(halves_of)(v, turns, p->n, 0);
  if (r->kind != FFT_COMPLEX && !p->halves) NAME(spread)(v, p->n, r->kind == FFT_FORWARD_REAL);
}

// after makes what lines are of what has been transformed.
static void NAME(after)(cx *v, const swift_record *r, const swift_line *p, const pair *turns) {
  if (r->kind == FFT_FORWARD_REAL && p->halves) NAME(halves_of)(v, turns, p->n, 1);
  if (r->kind == FFT_COMPLEX || p->halves) return;
  v[0].im = r->kind == FFT_FORWARD_REAL ? (vec){0} : v[0].im;
  for (int64_t k = 0; k < p->n && r->kind == FFT_INVERSE_REAL; k++) ((vec *)v)[k] = v[k].re;
}

// short_lines transforms lines [first, first + LANES), of which those there are get copied if they are fewer.
static void NAME(short_lines)(const swift_job *j, char *work, int64_t first) {
  const swift_record *r = j->r;
  const swift_line *p = (const swift_line *)(j->data + r->root);
  const int64_t left = r->outer - first, count = left < LANES ? left : LANES, real = r->kind != FFT_COMPLEX;
  const int64_t half = 2 * (r->n / 2 + 1), whole = r->n * (2 - real); // parts of lines
  const int64_t in = r->kind == FFT_INVERSE_REAL ? half : whole, out = r->kind == FFT_FORWARD_REAL ? half : whole;
  const T *src = (const T *)j->src + first * in;
  const pair *turns = (const pair *)(j->data + p->halves);
  T *dst = (T *)j->dst + first * out, *some = (T *)(work + r->work_bytes) - LANES * (in > out ? in : out);
  cx *v = (cx *)some - (p->n + 1);
  if (count < LANES) memcpy(some, src, count * in * sizeof(T)), src = some;
  flow f = NAME(flow_of)(r);
  T *at = (T *)v + (r->kind == FFT_FORWARD_REAL && !p->halves ? p->n * LANES : 0);
  const T odd = real && p->halves ? 1 : f.sign;
  for (int64_t i = 0; i < NAME(groups)(in); i++) {
    const int64_t k = NAME(start)(in, i);
    NAME(crossed)(at + k * LANES, LANES, src + k, in, r->kind == FFT_FORWARD_REAL ? 1 : odd);
  }
  NAME(before)(v, r, p, turns);
  f.in = v;
  v = NAME(transform)(j->data, p->rows, &f, (cx *)work);
  NAME(after)(v, r, p, turns);
  T *to = count < LANES ? some : dst;
  for (int64_t i = 0; i < NAME(groups)(out); i++) {
    const int64_t k = NAME(start)(out, i);
    NAME(crossed)(to + k, out, (const T *)v + k * LANES, LANES, 1);
  }
  if (count < LANES) memcpy(dst, some, count * out * sizeof(T));
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
