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

// A line, and between its parts the other form of a real line.
typedef struct {
  whole w;
  int64_t m, kind; // m pairs of reals or m numbers
  const pair *src;
  pair *dst, *between;
  const pair *turns;
} NAME(task);
#define task NAME(task)

// task_of is a task on lines, with memory for itself and memory for the line.
static task NAME(task_of)(const swift_job *j, char *work, char *shared) {
  const swift_record *r = j->r;
  const swift_line *p = (const swift_line *)(j->data + r->root);
  cx *middle = (cx *)shared;
  return (task){.m = p->a * p->b, .kind = r->kind, .between = (pair *)(middle + NAME(groups)(p->a) * p->b),
                .turns = (const pair *)(j->data + p->halves),
                .w = {.data = j->data, .p = p, .middle = middle, .work = (cx *)work, .f = NAME(flow_of)(r)}};
}

// at moves a task to line o.
INLINE void NAME(at)(task *t, const swift_job *j, int64_t o) {
  t->src = (const pair *)j->src + o * (t->m + (t->kind == FFT_INVERSE_REAL));
  t->dst = (pair *)j->dst + o * (t->m + (t->kind == FFT_FORWARD_REAL));
  t->w.from = t->kind == FFT_INVERSE_REAL ? t->between : t->src;
  t->w.to = t->kind == FFT_FORWARD_REAL ? t->between : t->dst;
}

static void NAME(all_halves)(const task *t, int64_t begin, int64_t end) {
  const int forward = t->kind == FFT_FORWARD_REAL;
  const pair *from = forward ? t->between : t->src;
  pair *to = forward ? t->dst : t->between;
  if (begin == 0) NAME(ends)(to, from, t->m, forward);
  NAME(halves)(to, from, t->turns, t->m, forward, begin, end);
}

static void NAME(lines)(const swift_job *j, char *work, int64_t first, int64_t end) {
  const swift_line *p = (const swift_line *)(j->data + j->r->root);
  const int64_t lanes = 2 * (p->a > p->b ? p->a : p->b);
  task t = NAME(task_of)(j, work, work + lanes * sizeof(cx));
  for (int64_t o = first; o < end; o++) {
    NAME(at)(&t, j, o);
    t.w.next = o + 1 < end ? t.m : 0, t.w.room = t.kind == FFT_FORWARD_REAL ? t.dst : 0;
    if (t.kind == FFT_INVERSE_REAL) NAME(all_halves)(&t, 0, NAME(groups)(t.m / 2));
    for (int64_t i = 0; i < NAME(groups)(p->b) && !STOPPED; i++) NAME(down_columns)(&t.w, i);
    for (int64_t i = 0; i < NAME(groups)(p->a) && !STOPPED; i++) NAME(across)(&t.w, i);
    if (STOPPED) return;
    if (t.kind == FFT_FORWARD_REAL) NAME(all_halves)(&t, 0, NAME(groups)(t.m / 2));
  }
}

// The phases of a long line: halves of an inverse, columns, the other columns, halves.
#undef SOME
#define SOME 512 // vectors of halves to a part

static int64_t NAME(parts)(const swift_job *j) {
  const swift_line *p = (const swift_line *)(j->data + j->r->root);
  const int64_t halves = (NAME(groups)(p->a * p->b / 2) + SOME - 1) / SOME;
  switch (j->phase) {
  case 0: return j->r->kind == FFT_INVERSE_REAL ? halves : 0;
  case 1: return NAME(groups)(p->b);
  case 2: return NAME(groups)(p->a);
  default: return j->r->kind == FFT_FORWARD_REAL ? halves : 0;
  }
}

static void NAME(part)(const swift_job *j, char *work, int64_t i) {
  task t = NAME(task_of)(j, work, j->work);
  NAME(at)(&t, j, j->line);
  const int64_t all = NAME(groups)(t.m / 2), end = (i + 1) * SOME;
  switch (j->phase) {
  case 1: NAME(down_columns)(&t.w, i); break;
  case 2: NAME(across)(&t.w, i); break;
  default: NAME(all_halves)(&t, i * SOME, end < all ? end : all);
  }
}
