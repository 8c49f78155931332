// Contiguous lines as two sets of columns: after square_impl.h.

// whole is a line that is transformed: of b columns of a numbers, then of a columns of b.
typedef struct {
  const char *data;
  const swift_line *p;
  const pair *from;
  pair *to;
  cx *middle; // [(a+LANES-1)/LANES][b], each the results of all columns of LANES results
  cx *work;
  flow f;
  const pair *room; // as in a flow, of results and of what is read
  int64_t next;
} NAME(whole);
#define whole NAME(whole)

// down_columns transforms group i of the b columns, and stores each LANES results of LANES columns as columns.
static void NAME(down_columns)(const whole *w, int64_t i) {
  const swift_line *p = w->p;
  const int64_t first = NAME(start)(p->b, i), blocks = NAME(groups)(p->a);
  flow f = w->f;
  f.from = w->from + first, f.to = 0, f.from_step = p->b, f.next = w->next;
  f.turns = (const turn *)(w->data + p->turns) + i * p->count, f.products = p->products;
  const cx *v = NAME(transform)(w->data, p->columns, &f, w->work);
  for (int64_t k = 0; k < blocks; k++) {
    const cx *from = v + NAME(start)(p->a, k);
    cx *to = w->middle + k * p->b + first;
    NAME(crossed)((T *)&to->re, 2 * LANES, (const T *)&from->re, 2 * LANES, 1);
    NAME(crossed)((T *)&to->im, 2 * LANES, (const T *)&from->im, 2 * LANES, 1);
  }
}

// across transforms group i of the a columns of what down_columns has made.
static void NAME(across)(const whole *w, int64_t i) {
  const swift_line *p = w->p;
  flow f = w->f;
  f.in = w->middle + i * p->b, f.from = 0, f.to = w->to + NAME(start)(p->a, i), f.to_step = p->a;
  if (w->room) f.room = w->room + NAME(start)(p->a, i);
  NAME(transform)(w->data, p->rows, &f, w->work);
}

// reversed loads LANES numbers that end with s, the last first.
INLINE cx NAME(reversed)(const pair *s) {
  const cx v = NAME(get)(s - (LANES - 1));
  ivec back;
#pragma GCC unroll 16
  for (int l = 0; l < LANES; l++) back[l] = LANES - 1 - l;
  return (cx){__builtin_shuffle(v.re, back), __builtin_shuffle(v.im, back)};
}

INLINE void NAME(put_reversed)(pair *d, cx v) {
  ivec back;
#pragma GCC unroll 16
  for (int l = 0; l < LANES; l++) back[l] = LANES - 1 - l;
  NAME(put)(d - (LANES - 1), (cx){__builtin_shuffle(v.re, back), __builtin_shuffle(v.im, back)});
}

// halves goes between the transform of m pairs of reals and the half spectrum of the 2 m reals: numbers k and m-k from
// those of both. k goes from 1 to m/2, in parts [begin, end) of vectors, the last of which ends with m/2.
static void NAME(halves)(pair *to, const pair *from, const pair *turns, int64_t m, int64_t forward, int64_t begin,
                         int64_t end) {
  const T sign = forward ? 1 : -1;
  for (int64_t i = begin; i < end; i++) {
    const int64_t k = 1 + NAME(start)(m / 2, i);
    const cx a = NAME(get)(from + k), b = NAME(reversed)(from + m - k);
    cx w = NAME(get)(turns + k);
    w.im *= sign;
    const cx even = {(a.re + b.re) * (T)0.5, (a.im - b.im) * (T)0.5};
    const cx odd = NAME(times)((cx){a.re - b.re, a.im + b.im}, w);
    NAME(put)(to + k, NAME(plus)(even, odd));
    NAME(put_reversed)(to + m - k, (cx){even.re - odd.re, odd.im - even.im});
  }
}

// ends are numbers 0 and, of the half spectrum, m.
static void NAME(ends)(pair *to, const pair *from, int64_t m, int64_t forward) {
  const pair a = from[0];
  if (forward)
    to[0] = (pair){a.re + a.im, 0}, to[m] = (pair){a.re - a.im, 0};
  else
    to[0] = (pair){(a.re + from[m].re) * (T)0.5, (a.re - from[m].re) * (T)0.5};
}

