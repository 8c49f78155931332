// Lines from and to memory: after real_impl.h.

// lanes are the places of the lines that are transformed together. columns: neighbours in memory.
typedef struct {
  int64_t at[LANES];
  int64_t count, columns;
} NAME(lanes);
#define lanes NAME(lanes)

INLINE lanes NAME(places)(const fft_record *r, const fft_lines *m, int64_t first, int64_t count) {
  lanes l = {.count = count, .columns = m->inner == 1 && first / r->inner == (first + count - 1) / r->inner};
  for (int64_t k = 0; k < LANES; k++) {
    const int64_t line = first + (k < count ? k : 0);
    l.at[k] = line / r->inner * m->outer + line % r->inner * m->inner;
  }
  return l;
}

#if LANES == 1
#define LANE(v, k) (v)
#else
#define LANE(v, k) (v)[k]
#endif

// BLOCKS goes through n elements in blocks [b, end) that stay in the first cache for all lanes.
#undef BLOCKS
#define BLOCKS(n) \
  for (int64_t b = 0, all = (n), end = 0; end = b + 16 < all ? b + 16 : all, b < all && !STOPPED; b += 16)

// get_pairs loads n complex numbers of each line. Lanes without a line get one that is there.
static void NAME(get_pairs)(cx *v, const pair *src, const lanes *l, int64_t n, int64_t step) {
  if (l->columns && l->count == LANES) {
    EACH(e, n) {
      const pair *s = src + l->at[0] + e * step;
      for (int k = 0; k < LANES; k++) LANE(v[e].re, k) = s[k].re, LANE(v[e].im, k) = s[k].im;
    }
    return;
  }
  BLOCKS(n)
  for (int k = 0; k < LANES; k++) {
    const pair *s = src + l->at[k];
    for (int64_t e = b; e < end; e++) LANE(v[e].re, k) = s[e * step].re, LANE(v[e].im, k) = s[e * step].im;
  }
}

static void NAME(put_pairs)(pair *dst, const cx *v, const lanes *l, int64_t n, int64_t step) {
  if (l->columns && l->count == LANES) {
    EACH(e, n) {
      pair *d = dst + l->at[0] + e * step;
      for (int k = 0; k < LANES; k++) d[k] = (pair){LANE(v[e].re, k), LANE(v[e].im, k)};
    }
    return;
  }
  BLOCKS(n)
  for (int64_t k = 0; k < l->count; k++) {
    pair *d = dst + l->at[k];
    for (int64_t e = b; e < end; e++) d[e * step] = (pair){LANE(v[e].re, k), LANE(v[e].im, k)};
  }
}

// get_half loads half spectra to the n numbers that stand for them, put_half does the reverse.
static void NAME(get_half)(vec *v, const pair *src, const lanes *l, int64_t n) {
  for (int k = 0; k < LANES; k++) LANE(v[0], k) = src[l->at[k]].re;
  BLOCKS(n / 2 + 1)
  for (int k = 0; k < LANES; k++) {
    const pair *s = src + l->at[k];
    for (int64_t e = b ? b : 1; e < end; e++) {
      LANE(v[2 * e - 1], k) = s[e].re;
      if (2 * e < n) LANE(v[2 * e], k) = s[e].im;
    }
  }
}

static void NAME(put_half)(pair *dst, const vec *v, const lanes *l, int64_t n) {
  for (int64_t k = 0; k < l->count; k++) dst[l->at[k]] = (pair){LANE(v[0], k), 0};
  BLOCKS(n / 2 + 1)
  for (int64_t k = 0; k < l->count; k++) {
    pair *d = dst + l->at[k];
    for (int64_t e = b ? b : 1; e < end; e++) d[e] = (pair){LANE(v[2 * e - 1], k), 2 * e < n ? LANE(v[2 * e], k) : 0};
  }
}

static void NAME(get_reals)(vec *v, const T *src, const lanes *l, int64_t n) {
  BLOCKS(n)
  for (int k = 0; k < LANES; k++)
    for (int64_t e = b; e < end; e++) LANE(v[e], k) = src[l->at[k] + e];
}

static void NAME(put_reals)(T *dst, const vec *v, const lanes *l, int64_t n) {
  BLOCKS(n)
  for (int64_t k = 0; k < l->count; k++)
    for (int64_t e = b; e < end; e++) dst[l->at[k] + e] = LANE(v[e], k);
}

// column_turns turns element j of the columns from first on: the table has one for each but column 0.
static void NAME(column_turns)(cx *v, const pair *turns, const fft_pass *p, int64_t first, int64_t count, int forward) {
  for (int64_t j = 1; j < p->radix; j++) {
    const pair *w = turns + (j - 1) * (p->rest - 1) + first - 1;
    const cx a = v[j];
    cx t = a;
    for (int64_t k = first == 0; k < count; k++) LANE(t.re, k) = w[k].re, LANE(t.im, k) = w[k].im;
    const cx b = forward ? (cx){a.re * t.re + a.im * t.im, a.im * t.re - a.re * t.im}
                         : (cx){a.re * t.re - a.im * t.im, a.re * t.im + a.im * t.re};
    v[j] = b;
    if (first == 0) LANE(v[j].re, 0) = LANE(a.re, 0), LANE(v[j].im, 0) = LANE(a.im, 0);
  }
}

static void NAME(complex_lines)(const fft_record *r, const char *data, char *dst, const char *src, cx *v,
                                const lanes *to, const lanes *from, int64_t first) {
  NAME(get_pairs)(v, (const pair *)src, from, r->n, r->from.step);
  if (r->kind == FFT_COLUMNS) {
    const fft_pass *p = (const fft_pass *)(data + r->root);
    NAME(fly)(data, p->kind, p->fly, v, v + r->n, r->forward);
    if (p->rest > 1) NAME(column_turns)(v, (const pair *)(data + p->turns), p, first, from->count, r->forward);
  } else {
    NAME(plan)(data, (const fft_plan *)(data + r->root), v, v + r->n, r->forward);
  }
  if (r->scale != 1)
    EACH(e, r->n) v[e] = NAME(scaled)(v[e], (T)r->scale);
  NAME(put_pairs)((pair *)dst, v, to, r->n, r->to.step);
}

// lines is the loop of a table.
static void NAME(lines)(const fft_record *r, const char *data, char *dst, const char *src, char *work, int64_t first,
                        int64_t count) {
  const lanes to = NAME(places)(r, &r->to, first, count), from = NAME(places)(r, &r->from, first, count);
  if (r->kind == FFT_COMPLEX || r->kind == FFT_COLUMNS) {
    NAME(complex_lines)(r, data, dst, src, (cx *)work, &to, &from, first);
    return;
  }
  const fft_real *p = (const fft_real *)(data + r->root);
  vec *v = (vec *)work;
  cx *rest = (cx *)work + (r->n + 1) / 2;
  if (r->kind == FFT_FORWARD_REAL) {
    NAME(get_reals)(v, (const T *)src, &from, r->n);
    NAME(real)(data, p, v, rest, 1);
    NAME(put_half)((pair *)dst, v, &to, r->n);
    return;
  }
  NAME(get_half)(v, (const pair *)src, &from, r->n);
  NAME(real)(data, p, v, rest, 0);
  if (r->scale != 1)
    EACH(e, r->n) v[e] = v[e] * (T)r->scale;
  NAME(put_reals)((T *)dst, v, &to, r->n);
}

#undef vec
#undef cx
#undef pair
#undef real_job
#undef lanes
#undef LANE
