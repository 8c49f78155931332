//go:build linux
// scatter.c: each task goes through all index vectors in order and folds the updates that are in its part of the array,
// or has strands of index vectors to itself whose places no others touch, so that no result depends on how many tasks
// there are.
#pragma GCC optimize("O3")
#include "ask.h"
#include "level.h"
#include "strands.h"

typedef struct {
  const scatter_body *body;
  halo_run *run;
  const scatter_axis *axes;
  const scatter_array *arrays;
  const halo_program *program; // NULL: a reducer
  fold fold;
  fold_line line;
  const index_level *level;
  int64_t parts;
  index_strand *strands; // as many of each part as the level says, room for MOST_STRANDS
} scattering;

// One task: its registers, and how it folds a line of the first array.
typedef struct {
  const scattering *x;
  halo_reg *registers;
  halo_stream *streams;
} worker;

// apply runs the program on n updates; to and from are places in the first array and its updates.
static void apply(const worker *w, int64_t to, int64_t from, int64_t n, int64_t to_step, int64_t from_step) {
  const scattering *x = w->x;
  const int64_t m = x->body->arrays, first = x->arrays[0].width;
  for (int64_t k = 0; k < m; k++) {
    const scatter_array *a = &x->arrays[k];
    char *d = (char *)HALO_AT(x->run, a->dst) + to / first * a->width;
    char *u = (char *)HALO_AT(x->run, a->updates) + from / first * a->width;
    w->streams[k] = w->streams[2 * m + k] = (halo_stream){d, to_step / first * a->width};
    w->streams[m + k] = (halo_stream){u, from_step / first * a->width};
  }
  x->program->run(x->program, w->registers, w->streams, n, x->run->cancel);
}

// window folds the axes of a window from number k on.
static void window(const worker *w, const scatter_axis *axes, int64_t k, int64_t to, int64_t from) {
  const scattering *x = w->x;
  const scatter_axis a = axes[k];
  if (k < x->body->axes - 1) {
    for (int64_t i = 0; i < a.n; i++) window(w, axes, k + 1, to + i * a.operand, from + i * a.windowed);
    return;
  }
  if (x->program) {
    apply(w, to, from, a.n, a.operand, a.windowed);
    return;
  }
  const fold_lines one = {&from, &to, 1, a.n, a.windowed, a.operand, 0, 0, 0};
  x->line(HALO_AT(x->run, x->arrays[0].dst), HALO_AT(x->run, x->arrays[0].updates), &one);
}

enum { SIGNED_WORDS = 10 }; // the types of 32 and 64 bits with a sign begin

enum { ALONG_BLOCK = 1 << 14 }; // updates between two looks at cancel

// along folds single updates that index vectors of one entry place, without finding all places first, which would make
// them wait for one another. It returns 0 if there is no loop for such integers.
static int along(const scattering *x) {
  const index_plan *p = &x->body->plan;
  if (x->program || x->body->elements != 1 || x->parts > 1) return 0;
  if (p->entries != 1 || (p->type & ~1) != SIGNED_WORDS) return 0;
  for (int64_t done = 0; done < p->count && !*x->run->cancel;) {
    const int64_t rest = p->count - done, n = rest < ALONG_BLOCK ? rest : ALONG_BLOCK;
    const index_stretch s = halo_index_stretch(p, x->run, done, n);
    x->fold.along[p->type & 1](HALO_AT(x->run, x->arrays[0].dst), HALO_AT(x->run, x->arrays[0].updates), s,
                               *index_entries(p));
    done += s.n;
  }
  return 1;
}

// find finds the places of n windows, of several parts those from low to high, and returns how many there are. Single
// updates that were found in one pass are asked for, all of them.
static int64_t find(const scattering *x, index_places *p, int64_t first, int64_t n, int64_t low, int64_t high) {
  const index_plan *plan = &x->body->plan;
  if (x->parts > 1 && x->level->part && plan->entries == 1 && plan->type == SIGNED_WORDS) {
    const index_stretch s = halo_index_stretch(plan, x->run, first, n);
    const int64_t m = s.n == n ? x->level->part(s, *index_entries(plan), low, high, p) : -1;
    for (int64_t i = 0; x->body->elements == 1 && i < m; i++)
      ask_near((const char *)HALO_AT(x->run, x->arrays[0].dst) + p->operand[i], 1);
    if (m >= 0) return m;
  }
  halo_index_places(plan, x->run, first, n, 0, p->windowed, p->operand);
  return x->parts > 1 ? x->level->within(p, n, low, high) : n;
}

// fold_at folds lines, shifted by to and from.
static void fold_at(const scattering *x, const fold_lines *l, int64_t to, int64_t from) {
  x->line((char *)HALO_AT(x->run, x->arrays[0].dst) + to, (char *)HALO_AT(x->run, x->arrays[0].updates) + from, l);
}

// lines returns the lines at places.
static fold_lines lines(const scattering *x, const scatter_axis *axis, const index_places *p, int64_t n) {
  const int far = x->arrays[0].bytes > NEAR_BYTES;
  return (fold_lines){p->windowed, p->operand, n, axis->n, axis->windowed, axis->operand, 0, 0, far};
}

// even says of lines that they are every bytes apart, if their elements are neighbours. Long ones, of which only some
// bytes are asked for, come faster by their places.
static void even(fold_lines *l, int64_t width, int64_t every) {
  const int64_t row = l->n * width, line = llabs(every) < 64 ? llabs(every) : 64, bytes = row > line ? row : line;
  if (l->windowed_step != width || l->operand_step != width || bytes > 64 * ASK_LINES) return;
  l->windowed = NULL, l->every = every, l->ahead = ASK_BYTES / bytes * every;
}

// in_order folds the lines of s one after the other.
static void in_order(const scattering *x, const scatter_axis *axis, index_strand s, int64_t to, int64_t from) {
  const index_plan *plan = &x->body->plan;
  index_places p;
  for (; s.at < s.end && !*x->run->cancel; s.at += INDEX_BLOCK) {
    const int64_t n = s.end - s.at < INDEX_BLOCK ? s.end - s.at : INDEX_BLOCK;
    const index_stretch e = halo_index_stretch(plan, x->run, s.at, n);
    halo_index_places(plan, x->run, s.at, n, 0, p.windowed, p.operand);
    fold_lines l = lines(x, axis, &p, n);
    if (e.n == n) even(&l, x->arrays[0].width, e.step.windowed);
    fold_at(x, &l, to, from + (l.windowed ? 0 : e.windowed));
  }
}

// walk folds the windows that lie from low to high, shifted by to and from.
static void walk(const worker *w, const scatter_axis *axes, int64_t low, int64_t high, int64_t to, int64_t from) {
  const scattering *x = w->x;
  const int64_t bytes = x->body->elements * x->arrays[0].width;
  const int whole = low <= 0 && high >= x->arrays[0].bytes;
  index_places p;
  if (along(x)) return;
  if (whole && !x->program && x->body->elements > 1 && x->body->axes == 1) {
    in_order(x, axes, (index_strand){0, x->body->plan.count}, to, from);
    return;
  }
  for (int64_t k = 0; k < x->body->plan.count && !*x->run->cancel; k += INDEX_BLOCK) {
    const int64_t rest = x->body->plan.count - k;
    const int64_t n = find(x, &p, k, rest < INDEX_BLOCK ? rest : INDEX_BLOCK, low, high);
    if (!x->program && x->body->elements == 1) {
      x->fold.each(HALO_AT(x->run, x->arrays[0].dst), HALO_AT(x->run, x->arrays[0].updates), &p, n);
      continue;
    }
    if (!x->program && x->body->axes == 1) {
      const fold_lines l = lines(x, axes, &p, n);
      fold_at(x, &l, to, from);
      continue;
    }
    for (int64_t i = 0; i < n; i++) {
      ask((const char *)HALO_AT(x->run, x->arrays[0].dst) + to, p.operand, i, n, bytes);
      if (p.operand[i] >= 0) window(w, axes, 0, p.operand[i] + to, p.windowed[i] + from);
    }
  }
}

// part folds part i of the array: a range of slabs, or of the axis that all windows share.
static void part(const worker *w, int64_t i) {
  const scattering *x = w->x;
  const int64_t bytes = x->arrays[0].bytes, f = x->body->free;
  if (f < 0) {
    const int64_t slabs = bytes / x->body->slab;
    walk(w, x->axes, i * slabs / x->parts * x->body->slab, (i + 1) * slabs / x->parts * x->body->slab, 0, 0);
    return;
  }
  scatter_axis axes[MOVE_MAX_AXES];
  memcpy(axes, x->axes, sizeof *axes * x->body->axes);
  const int64_t n = axes[f].n, first = i * n / x->parts;
  axes[f].n = (i + 1) * n / x->parts - first;
  walk(w, axes, 0, bytes, first * axes[f].operand, first * axes[f].windowed);
}

static void task(void *arg, int64_t i) {
  const scattering *x = arg;
  worker w = {.x = x};
  if (!x->program) {
    part(&w, i);
    return;
  }
  halo_reg stack[HALO_STACK_REGISTERS];
  w.registers = halo_registers(x->program, stack);
  w.streams = malloc(sizeof *w.streams * x->program->streams);
  if (w.registers && w.streams) part(&w, i);
  else halo_fail(x->run, "scatter: out of memory");
  free(w.streams);
  if (w.registers) halo_registers_free(w.registers, stack);
}

// strands_task folds the lines of the strands of part i.
static void strands_task(void *arg, int64_t i) {
  const scattering *x = arg;
  index_strand s[STRANDS];
  index_places p;
  if (x->level->strands == 1) {
    in_order(x, x->axes, x->strands[i], 0, 0);
    return;
  }
  memcpy(s, x->strands + i * STRANDS, sizeof s);
  for (int64_t n; !*x->run->cancel && (n = halo_index_side_by_side(&x->body->plan, x->run, s, &p)) > 0;) {
    const fold_lines l = lines(x, x->axes, &p, n);
    fold_at(x, &l, 0, 0);
  }
}

// in_strands returns whether updates come from memory as lines whose places grow, and cuts them into strands if so.
static int in_strands(scattering *x) {
  const scatter_body *b = x->body;
  const scatter_axis *a = x->axes;
  const int64_t width = x->arrays[0].width, most = MOST_STRANDS / x->level->strands, threads = x->run->threads;
  if (x->program || b->axes != 1 || b->elements == 1 || a->operand < 0) return 0;
  if (b->plan.count * b->elements * width < STRAND_BYTES) return 0;
  x->parts = threads < most ? threads : most;
  const int64_t n = x->parts * x->level->strands;
  return n > 1 && halo_index_strands(&b->plan, x->run, (a->n - 1) * a->operand + width, x->strands, n);
}

enum { COPY_BYTES = 1 << 19, SERIAL_ELEMENTS = 1 << 15 };

typedef struct {
  char *dst;
  const char *src;
  int64_t bytes;
} copying;

static void copy_task(void *arg, int64_t i) {
  const copying *c = arg;
  const int64_t first = i * COPY_BYTES, rest = c->bytes - first;
  memcpy(c->dst + first, c->src + first, rest < COPY_BYTES ? rest : COPY_BYTES);
}

// start copies the arrays, unless they have their operands' memory.
static void start(const scattering *x) {
  for (int64_t k = 0; k < x->body->arrays; k++) {
    const scatter_array *a = &x->arrays[k];
    copying c = {HALO_AT(x->run, a->dst), HALO_AT(x->run, a->src), a->bytes};
    if (c.dst == c.src || c.bytes == 0) continue;
    x->run->parallel(x->run, (c.bytes + COPY_BYTES - 1) / COPY_BYTES, copy_task, &c);
  }
}

enum { STREAM_BYTES = 32 }; // of a line: shorter ones take more time than memory

// is_stream returns whether folding lines in order is nothing but reading them from memory, which one thread does as
// fast as two: those are levels at which a task has one strand.
static int is_stream(const scattering *x) {
  const scatter_body *b = x->body;
  const int64_t bytes = b->elements * x->arrays[0].width;
  return b->axes == 1 && b->elements > 1 && bytes >= STREAM_BYTES && bytes * b->plan.count >= STRAND_BYTES &&
         x->level->strands == 1 && x->arrays[0].bytes <= NEAR_BYTES;
}

// splits returns how many tasks there are, at most one a thread. Each of them looks at all index vectors, which two
// threads do not gain by where updates are single and AVX2 is all there is, and where one reads them as they lie.
static int64_t splits(const scattering *x) {
  const scatter_body *b = x->body;
  const int single = b->elements == 1 && x->level->part;
  const int64_t enough = !x->program && (single || is_stream(x)) ? 3 : 2;
  if (x->run->threads < enough || b->plan.count * b->elements < SERIAL_ELEMENTS) return 1;
  const int64_t most = b->free < 0 ? x->arrays[0].bytes / b->slab : x->axes[b->free].n;
  return most <= 1 ? 1 : most < x->run->threads ? most : x->run->threads;
}

void halo_scatter(const halo_record *head, halo_run *run) {
  const scatter_record *r = (const scatter_record *)head;
  const scatter_body *b = (const scatter_body *)(r + 1);
  index_strand strands[MOST_STRANDS];
  for (int64_t k = 0; k < r->scatters && !*run->cancel; k++) {
    scattering x = {.body = b, .run = run, .axes = index_end(&b->plan), .strands = strands};
    x.arrays = (const scatter_array *)(x.axes + b->axes);
    x.level = halo_index_level(b->plan.isa);
    if (b->reducer) x.fold = halo_folds[b->reducer][b->type], x.line = x.level->lines[b->reducer][b->type];
    else x.program = (const halo_program *)(x.arrays + b->arrays);
    start(&x);
    if (b->plan.count > 0 && b->elements > 0 && x.arrays[0].bytes > 0 && !*run->cancel) {
      if (in_strands(&x)) run->parallel(run, x.parts, strands_task, &x);
      else x.parts = splits(&x), run->parallel(run, x.parts, task, &x);
    }
    b = (const scatter_body *)((const char *)b + b->bytes);
  }
}
