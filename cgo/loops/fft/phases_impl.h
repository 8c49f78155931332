// Contiguous lines in phases: after line_impl.h.

// A line of n numbers, and what lies between its phases: the numbers, if those of the line are reals or half a
// spectrum, and those of a convolution.
typedef struct {
  whole w;
  flow f; // of its numbers
  int64_t n, kind, folded, reals;
  const pair *src;
  pair *dst, *between, *wide;
  pair *stage; // a copy of the complex numbers of a line, if it is staged; else 0
  const pair *turns, *wave, *kernel;
} NAME(task);
#define task NAME(task)

// task_of is a task on lines, with memory for itself and memory for the line.
static task NAME(task_of)(const swift_job *j, char *work, char *shared) {
  const swift_record *r = j->r;
  const swift_line *p = (const swift_line *)(j->data + r->root);
  cx *middle = (cx *)shared;
  task t = {.n = p->n, .kind = r->kind, .folded = p->halves != 0, .reals = r->n, .f = NAME(flow_of)(r),
            .turns = (const pair *)(j->data + p->halves),
            .w = {.data = j->data, .p = p, .middle = middle, .work = (cx *)work}};
  t.between = (pair *)(middle + NAME(groups)(p->a) * p->b);
  t.wide = t.kind == FFT_COMPLEX ? t.between : t.between + t.n;
  if (p->wave) t.wave = (const pair *)(j->data + p->wave), t.kernel = (const pair *)(j->data + p->kernel);
  t.w.f = p->wave ? (flow){.sign = 1, .re = 1, .im = 1} : t.f;
  return t;
}

// from and to are between what the complex numbers of a line are transformed.
INLINE const pair *NAME(from)(const task *t) {
  return t->kind == FFT_COMPLEX || (t->kind == FFT_FORWARD_REAL && t->folded) ? t->src : t->between;
}

INLINE pair *NAME(to)(const task *t) {
  return t->kind == FFT_COMPLEX || (t->kind == FFT_INVERSE_REAL && t->folded) ? t->dst : t->between;
}

// at moves a task to line o.
static void NAME(at)(task *t, const swift_job *j, int64_t o) {
  const int64_t spectrum = 2 * (t->reals / 2 + 1), in = t->kind == FFT_INVERSE_REAL ? spectrum : t->reals;
  const int64_t out = t->kind == FFT_FORWARD_REAL ? spectrum : t->reals;
  const int64_t complex = t->kind == FFT_COMPLEX ? 2 : 1;
  t->src = (const pair *)((const T *)j->src + o * in * complex);
  t->dst = (pair *)((T *)j->dst + o * out * complex);
  t->w.from = t->wave ? t->wide : NAME(from)(t);
  t->w.to = t->wave ? t->wide : NAME(to)(t);
}

// sweep multiplies numbers, whose imaginary parts change their sign or not, with those of a table and then their parts
// with re and im, in groups [begin, end).
static void NAME(sweep)(pair *to, const pair *from, const pair *table, int64_t n, flow f, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) {
    const int64_t k = NAME(start)(n, i);
    cx v = NAME(get)(from + k);
    v.im *= f.sign;
    v = NAME(times)(v, NAME(get)(table + k));
    NAME(put)(to + k, (cx){v.re * f.re, v.im * f.im});
  }
}

// widened takes reals for complex numbers, or completes the spectrum of an odd number of reals.
static void NAME(widened)(const task *t, int64_t begin, int64_t end) {
  const T *src = (const T *)t->src;
  for (int64_t k = begin; k < end && t->kind == FFT_FORWARD_REAL; k++) t->between[k] = (pair){src[k], 0};
  if (t->kind == FFT_FORWARD_REAL) return;
  if (begin == 0) t->between[0] = (pair){src[0], 0};
  for (int64_t k = begin ? begin : 1; k < end; k++)
    t->between[k] = t->src[k], t->between[t->n - k] = (pair){src[2 * k], -src[2 * k + 1]};
}

// half_of copies numbers of a spectrum that is there, or whose first half of each row is.
static void NAME(half_of)(const task *t, int64_t begin, int64_t end) {
  const int64_t row = t->wave ? t->n : t->w.p->a;
  for (int64_t k = begin, stop; k < end; k = stop) {
    const int64_t at = k % row, first = k - at;
    stop = first + (at <= row / 2 ? row / 2 + 1 : row);
    if (stop > end) stop = end;
    for (int64_t i = k; i < stop && at <= row / 2; i++) t->dst[i] = t->between[i];
    for (int64_t i = k; i < stop && at > row / 2; i++)
      t->dst[i] = (pair){t->between[t->n - i].re, -t->between[t->n - i].im};
  }
}

// narrowed is widened reversed.
static void NAME(narrowed)(const task *t, int64_t begin, int64_t end) {
  T *dst = (T *)t->dst;
  if (t->kind == FFT_FORWARD_REAL) {
    NAME(half_of)(t, begin, end);
    if (begin == 0) dst[1] = 0;
    return;
  }
  for (int64_t k = begin; k < end; k++) dst[k] = t->between[k].re;
}

static void NAME(all_halves)(const task *t, int64_t begin, int64_t end) {
  const int forward = t->kind == FFT_FORWARD_REAL;
  const pair *from = forward ? t->between : t->src;
  pair *to = forward ? t->dst : t->between;
  if (begin == 0) NAME(ends)(to, from, t->n, forward);
  NAME(halves)(to, from, t->turns, t->n, forward, begin, end);
}

// outer is how many elements LOAD or STORE goes through.
INLINE int64_t NAME(outer)(const task *t, int64_t phase) {
  if (t->kind == FFT_COMPLEX) return 0;
  const int inverse = t->kind == FFT_INVERSE_REAL, load = phase == SWIFT_LOAD;
  if (t->folded) return inverse == load ? t->n / 2 : 0;
  return inverse == load ? t->n / 2 + 1 : t->n;
}

// mirrored says that of the columns of the last phase only the first half is there: the other is that of the spectrum
// of reals.
INLINE int NAME(mirrored)(const task *t) { return t->kind == FFT_FORWARD_REAL && !t->folded && !t->wave; }

// groups_of is how many groups of lanes there are in a phase.
static int64_t NAME(groups_of)(const task *t, int64_t phase) {
  const swift_line *p = t->w.p;
  switch (phase) {
  case SWIFT_LOAD: case SWIFT_STORE: return NAME(groups)(NAME(outer)(t, phase));
  case SWIFT_DOWN: return NAME(groups)(p->b);
  case SWIFT_ACROSS: return NAME(groups)(NAME(mirrored)(t) ? p->a / 2 + 1 : p->a);
  }
  if (!t->wave) return 0;
  switch (phase) {
  case SWIFT_KERNEL: return NAME(groups)(p->a * p->b);
  case SWIFT_DOWN_AGAIN: return NAME(groups)(p->b);
  case SWIFT_ACROSS_AGAIN: return NAME(groups)(p->a);
  default: return NAME(groups)(t->n);
  }
}

// outside does groups [begin, end) of LOAD or STORE.
static void NAME(outside)(const task *t, int64_t phase, int64_t begin, int64_t end) {
  if (begin == end) return;
  if (t->folded) {
    NAME(all_halves)(t, begin, end);
    return;
  }
  const int64_t all = NAME(outer)(t, phase), last = end * LANES < all ? end * LANES : all;
  (phase == SWIFT_LOAD ? NAME(widened) : NAME(narrowed))(t, begin * LANES, last);
}

// phase does groups [begin, end) of one.
static void NAME(phase)(const task *t, int64_t phase, int64_t begin, int64_t end) {
  const flow in = {.sign = t->f.sign, .re = 1, .im = 1}, middle = {.sign = 1, .re = 1, .im = -1};
  const flow out = {.sign = -1, .re = t->f.re, .im = t->f.im};
  switch (phase) {
  case SWIFT_LOAD: case SWIFT_STORE: NAME(outside)(t, phase, begin, end); break;
  case SWIFT_WAVE: NAME(sweep)(t->wide, NAME(from)(t), t->wave, t->n, in, begin, end); break;
  case SWIFT_KERNEL: NAME(sweep)(t->wide, t->wide, t->kernel, t->w.p->a * t->w.p->b, middle, begin, end); break;
  case SWIFT_WAVE_AGAIN: NAME(sweep)(NAME(to)(t), t->wide, t->wave, t->n, out, begin, end); break;
  case SWIFT_DOWN: case SWIFT_DOWN_AGAIN:
    for (int64_t i = begin; i < end && !STOPPED; i++) NAME(down_columns)(&t->w, i);
    break;
  default:
    for (int64_t i = begin; i < end && !STOPPED; i++) NAME(across)(&t->w, i);
  }
}

// filled puts zeros behind the numbers of a convolution.
static void NAME(filled)(const task *t) {
  if (t->wave) memset(t->wide + t->n, 0, (t->w.p->a * t->w.p->b - t->n) * sizeof(pair));
}

// enter copies a line, before it is transformed, to its stage, and leave what goes from there to memory. A copy walks
// through memory as the hardware sees it coming, what a transform reads and writes are steps.
static void NAME(enter)(task *t) {
  if (t->w.from == t->src) t->w.from = memcpy(t->stage, t->src, t->n * sizeof(pair)), t->w.next = 0;
  if (t->w.to == t->dst) t->w.to = t->stage;
}

static void NAME(leave)(const task *t) {
  if (t->w.to == t->stage) past((char *)t->dst, (const char *)t->stage, t->n * sizeof(pair));
}

static void NAME(lines)(const swift_job *j, char *work, int64_t first, int64_t end) {
  const swift_line *l = (const swift_line *)(j->data + j->r->root);
  task t = NAME(task_of)(j, work, work + 2 * (l->a > l->b ? l->a : l->b) * sizeof(cx));
  if (j->r->staged) t.stage = (pair *)(work + j->r->work_bytes) - NAME(groups)(t.n) * LANES;
  for (int64_t o = first; o < end; o++) {
    NAME(at)(&t, j, o);
    t.w.next = o + 1 < end && t.w.from == t.src ? t.n : 0;
    t.w.room = t.kind == FFT_FORWARD_REAL && t.folded && !t.wave ? t.dst : 0;
    if (t.stage) NAME(enter)(&t);
    NAME(filled)(&t);
    for (int64_t p = 0; p < SWIFT_PHASES; p++) {
      NAME(phase)(&t, p, 0, NAME(groups_of)(&t, p));
      if (STOPPED) return;
    }
    if (t.stage) NAME(leave)(&t);
  }
}

#undef SOME
#define SOME 512 // vectors of a part of what goes through a line

INLINE int64_t NAME(part_of)(int64_t phase) {
  const int columns = phase == SWIFT_DOWN || phase == SWIFT_DOWN_AGAIN;
  return columns || phase == SWIFT_ACROSS || phase == SWIFT_ACROSS_AGAIN ? 1 : SOME;
}

static int64_t NAME(parts)(const swift_job *j) {
  task t = NAME(task_of)(j, 0, j->work);
  const int64_t part = NAME(part_of)(j->phase);
  return (NAME(groups_of)(&t, j->phase) + part - 1) / part;
}

static void NAME(part)(const swift_job *j, char *work, int64_t i) {
  task t = NAME(task_of)(j, work, j->work);
  NAME(at)(&t, j, j->line);
  const int64_t all = NAME(groups_of)(&t, j->phase), part = NAME(part_of)(j->phase), end = (i + 1) * part;
  if (j->phase == SWIFT_WAVE && i == 0) NAME(filled)(&t);
  NAME(phase)(&t, j->phase, i * part, end < all ? end : all);
}
