//go:build linux

// rows.c: programs that go over the rows of a space several times, while those are in the nearest cache.
#pragma GCC optimize("O3")
#include "layouts.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>

// worker is what a task has of its own.
typedef struct {
  const job *j;
  layout *layouts;
  char **p, *rooms;
  int over; // some output lies over an input
  halo_loop loop;
} worker;

static char *room_of(const worker *w, int32_t k) { return w->rooms + k * w->j->places.block_bytes; }

// address is where the place col of row number row, which is row t of the tile, lies.
static char *address(const worker *w, int32_t k, int64_t t, int64_t row, int64_t col) {
  const layout *at = &w->layouts[k];
  if (at->first)
    return at->first + row * at->row + t * at->tile + col * at->size;
  const halo_stream *s = &w->j->streams[k];
  return (char *)HALO_AT(w->j->places.run, s->ref) + (halo_row_start(w->j, s, row) + col) * at->size;
}

// fetch loads m places of an input.
static char *fetch(const worker *w, int32_t k, int64_t row, int64_t col, int64_t m) {
  const halo_stream *s = &w->j->streams[k];
  if (!lies(w->j, k))
    return halo_load(&w->j->places, s, row * w->j->r->row + col, m, room_of(w, k));
  char *src = address(w, k, 0, row, col), *room = room_of(w, k);
  halo_converter convert = w->j->places.converters->load[s->convert];
  if (convert)
    convert(room, src, s, m);
  else
    memcpy(room, src, m * s->size);
  return room;
}

// put stores m places of an output.
static void put(const worker *w, int32_t k, int64_t row, int64_t col, int64_t m) {
  const halo_stream *s = &w->j->streams[k];
  halo_store(&w->j->places, s, halo_row_start(w->j, s, row) + col, m, w->p[k]);
}

// piece is the part of a row that a phase sweeps: n places from col on of row number row, which is row t of the tile.
typedef struct {
  int64_t t, row, col, n;
} piece;

static int is_output(const job *j, int32_t k) { return k >= j->r->streams && !is_saved(j, k); }

// is_narrow reports whether that are elements that stages convert.
static int is_narrow(const job *j, int32_t k) {
  return !is_saved(j, k) && j->streams[k].kind != HALO_IOTA && j->streams[k].size != j->r->lane;
}

// run runs the stages of a phase on n blocks, whose fast pointers move on.
static void run(worker *w, const halo_lanes *lanes, const halo_phase *f, int64_t n) {
  w->loop.first = w->j->stages + f->stage;
  w->loop.left = n;
  lanes->blocks(w->p);
}

// made_of is the function that does what a sweep's stages do in this run, if there is one.
static halo_made made_of(const job *j, const halo_phase *f) {
  return f->plain ? halo_made_of(f->plain, f->past, j->stages + f->stage + f->stages, f->stores) : 0;
}

// ask asks for what is wanted ahead, so many blocks of it.
static void ask(halo_loop *l, int64_t blocks) {
  for (int32_t i = 0; i < l->asks; i++) {
    for (int64_t line = 0; line < blocks * l->ask_bytes[i]; line += 64)
      __builtin_prefetch(l->ask[i] + line, 0, 2);
    l->ask[i] += blocks * l->ask_bytes[i];
  }
}

// compute runs a sweep on n places: whole blocks, whose fast pointers move on to the last one, or units of the function
// that is made of its stages.
static void compute(worker *w, const halo_phase *f, int64_t n) {
  const halo_made made = made_of(w->j, f);
  if (made) {
    ask(&w->loop, n / w->j->places.block);
    made(w->p, n);
  } else
    run(w, w->j->places.lanes, f, n / w->j->places.block);
}

// tail sweeps the last places of a piece, less than a block: what is not saved in rooms.
static void tail(worker *w, const halo_phase *f, int64_t row, int64_t col, int64_t n) {
  const job *j = w->j;
  const int32_t *use = j->numbers + f->use;
  for (int32_t i = 0; i < f->uses; i++) {
    if (is_output(j, use[i]))
      w->p[use[i]] = room_of(w, use[i]);
    else if (!is_saved(j, use[i]))
      w->p[use[i]] = fetch(w, use[i], row, col, n);
  }
  if (f->folds)
    memset(w->p[j->r->mask] + n * j->r->lane, 0, j->places.block_bytes - n * j->r->lane);
  if (f->folds) // by the mask
    run(w, j->places.lanes, f, 1);
  else
    compute(w, f, j->places.block);
  for (int32_t i = 0; i < f->uses; i++)
    if (is_output(j, use[i]))
      put(w, use[i], row, col, n);
  if (f->folds)
    memset(w->p[j->r->mask], 0xff, j->places.block_bytes);
}

// aims say how a phase gets at what it uses: fast pointers move on, narrow ones by less than lanes; others have rooms.
typedef struct {
  int32_t fast[HALO_MAX_POINTERS], loads[HALO_MAX_POINTERS], puts[HALO_MAX_POINTERS], fasts, in, out;
  int32_t narrow[HALO_MAX_POINTERS], narrow_bytes[HALO_MAX_POINTERS], narrows;
} aims;

// aim sets pointers to the beginning of a piece.
static void aim(const worker *w, const halo_phase *f, const piece *x, aims *a) {
  const job *j = w->j;
  a->fasts = a->in = a->out = a->narrows = 0;
  for (int32_t i = 0; i < f->uses; i++) {
    const int32_t k = j->numbers[f->use + i];
    if ((w->layouts[k].first || lies(j, k)) && (is_saved(j, k) || !j->streams[k].convert)) {
      w->p[k] = address(w, k, x->t, x->row, x->col);
      if (is_narrow(j, k)) {
        a->narrow_bytes[a->narrows] = (int32_t)j->places.block * j->streams[k].size;
        a->narrow[a->narrows++] = k;
      } else
        a->fast[a->fasts++] = k;
    } else if (is_output(j, k)) {
      w->p[k] = room_of(w, k);
      a->puts[a->out++] = k;
    } else
      a->loads[a->in++] = k;
  }
}

// move moves fast pointers on by n places.
static void move(const worker *w, const aims *a, int64_t n) {
  for (int32_t i = 0; i < a->fasts; i++)
    w->p[a->fast[i]] += n * w->j->r->lane;
  for (int32_t i = 0; i < a->narrows; i++)
    w->p[a->narrow[i]] += n * w->j->streams[a->narrow[i]].size;
}

// together is how many places a sweep takes at least: a block, or a made function's unit if all lies where it is read.
static int64_t together(const job *j, const halo_phase *f, const aims *a) {
  return !a->in && !a->out && made_of(j, f) ? f->unit : j->places.block;
}

// sweep_places sweeps n places from where fast pointers are, a block if not all are fast, and moves those on.
static void sweep_places(worker *w, const halo_phase *f, const aims *a, int64_t row, int64_t col, int64_t n) {
  for (int32_t i = 0; i < a->in; i++)
    w->p[a->loads[i]] = fetch(w, a->loads[i], row, col, n);
  compute(w, f, n);
  move(w, a, made_of(w->j, f) ? n : w->j->places.block);
  for (int32_t i = 0; i < a->out; i++)
    put(w, a->puts[i], row, col, n);
}

// look says what the next tile's row reads in phase f: it is asked for while this one computes, since hardware looks
// ahead no further than to the end of a page.
static void look(worker *w, const halo_phase *f, int64_t row) {
  const job *j = w->j;
  halo_loop *l = &w->loop;
  for (int32_t i = 0; i < f->uses && l->asks < HALO_MAX_ASKS; i++) {
    const int32_t k = j->numbers[f->use + i];
    if (is_saved(j, k) || is_output(j, k) || j->streams[k].kind != HALO_LINEAR)
      continue;
    l->ask[l->asks] = address(w, k, 0, row, 0);
    l->ask_bytes[l->asks++] = j->places.block * j->streams[k].size;
  }
}

// blocks sweeps what of a piece is whole blocks and returns how many places that is. What is behind them it does by
// sweeping the last m places, some of them once more, if nothing is reduced and no output lies over what is read.
static int64_t blocks(worker *w, const halo_phase *f, const piece *x) {
  aims a;
  aim(w, f, x, &a);
  const int64_t m = together(w->j, f, &a), done = x->n / m * m;
  w->loop.moved = a.fast, w->loop.moves = a.fasts;
  w->loop.narrow = a.narrow, w->loop.narrow_bytes = a.narrow_bytes, w->loop.narrows = a.narrows;
  const int64_t step = a.in + a.out ? m : done;
  for (int64_t at = 0; at < done; at += step)
    sweep_places(w, f, &a, x->row, x->col + at, step);
  if (done == 0 || done == x->n || f->folds || w->over)
    return done;
  w->loop.asks = 0;
  move(w, &a, x->n - m - done);
  sweep_places(w, f, &a, x->row, x->col + x->n - m, m);
  return x->n;
}

// sweep runs a phase over a piece and leaves what it comes to in lane t of the rooms for that.
static void sweep(worker *w, const halo_phase *f, const piece *x) {
  const job *j = w->j;
  const halo_lanes *lanes = j->places.lanes;
  const int32_t *splat = j->numbers + f->splat, *fold = j->numbers + f->fold;
  for (int32_t i = 0; i < f->splats; i++, splat += 3) {
    char *value = w->p[splat[0]] + x->t * j->r->lane;
    const int fills = splat[2] && (f->folds || !made_of(j, f)); // made functions take one lane, but not all of a row
    w->p[splat[1]] = fills ? room_of(w, splat[1]) : value;
    if (fills)
      lanes->fill(w->p[splat[1]], value);
  }
  int64_t done = blocks(w, f, x);
  if (done < x->n)
    tail(w, f, x->row, x->col + done, x->n - done);
  for (int32_t i = 0; i < f->folds; i++, fold += 3)
    lanes->reducers[fold[0]].fold(w->p[fold[1]], w->p[fold[2]], x->t);
}

// across runs a phase over n rows, a lane each.
static void across(worker *w, const halo_phase *f, int64_t row, int64_t n) {
  const job *j = w->j;
  w->loop.asks = 0;
  if (f->plain)
    f->plain(w->p, (n + f->unit - 1) / f->unit * f->unit);
  else
    run(w, j->rows.lanes, f, 1);
  for (int32_t i = 0; i < f->uses; i++) {
    const int32_t k = j->numbers[f->use + i];
    halo_store(&j->rows, &j->streams[k], row, n, w->p[k]);
  }
}

// load_rows loads the streams that have an element for each row.
static void load_rows(const worker *w, int64_t row, int64_t n) {
  const job *j = w->j;
  for (int32_t k = 0; k < j->r->streams; k++)
    if (j->streams[k].by_row)
      w->p[k] = halo_load(&j->rows, &j->streams[k], row, n, room_of(w, k));
}

static int over(const job *j) {
  const halo_rows_record *r = j->r;
  for (int32_t i = 0; i < r->streams; i++)
    for (int32_t o = r->streams; o < r->streams + r->outputs; o++)
      if (j->streams[i].kind < HALO_SPLAT &&
          HALO_AT(j->places.run, j->streams[i].ref) == HALO_AT(j->places.run, j->streams[o].ref))
        return 1;
  return 0;
}

static worker prepare(const job *j, layout *layouts, char **p, char *rooms, char *saved, char *lines) {
  const halo_rows_record *r = j->r;
  worker w = {j, layouts, p, rooms, over(j), .loop = {.bytes = j->places.block_bytes}};
  const int32_t pointers = r->streams + r->outputs + r->saved + r->rooms;
  memset(rooms, 0, pointers * j->places.block_bytes);
  for (int32_t k = 0; k < pointers; k++)
    p[k] = room_of(&w, k);
  for (int32_t k = 0; k < r->streams; k++) {
    halo_prepare(&j->places, &j->streams[k], p[k]);
    char *line = 0;
    if (counts(j, &j->streams[k])) {
      line = halo_load(&j->places, &j->streams[k], 0, r->row, lines);
      lines += r->row * r->lane;
    }
    layouts[k] = lay_out(j, k, saved, line);
  }
  for (int32_t k = r->streams; k < r->streams + r->outputs + r->saved; k++)
    layouts[k] = lay_out(j, k, saved, 0);
  memset(p[r->mask], 0xff, j->places.block_bytes);
  for (int32_t i = 0; i < r->phases; i++) {
    const int32_t *fold = j->numbers + j->phases[i].fold;
    for (int32_t k = 0; k < j->phases[i].folds; k++, fold += 3)
      j->places.lanes->reducers[fold[0]].clear(p[fold[1]]);
  }
  return w;
}

static int64_t room_bytes(const job *j) {
  const halo_rows_record *r = j->r;
  return (r->streams + r->outputs + r->saved + r->rooms) * j->places.block_bytes + 64;
}

static int64_t line_bytes(const job *j) {
  int64_t bytes = 64;
  for (int32_t k = 0; k < j->r->streams; k++)
    bytes += counts(j, &j->streams[k]) ? j->r->row * j->r->lane : 0;
  return bytes;
}

static int64_t saved_bytes(const job *j) { return j->r->saved * j->r->tile * j->pitch * j->r->lane + 64; }

// WORKER declares the worker of a task.
#define WORKER(w)                                                                                                      \
  char *p[HALO_POINTERS];                                                                                              \
  layout layouts[HALO_MAX_POINTERS];                                                                                   \
  worker w = prepare(j, layouts, p, halo_aligned(alloca(room_bytes(j))), halo_aligned(alloca(saved_bytes(j))),         \
                     halo_aligned(alloca(line_bytes(j))));                                                             \
  p[HALO_LOOP] = (char *)&w.loop

// sweep_rows runs a phase over the n rows of a tile. While the second one computes, the next tile's rows are asked for.
static void sweep_rows(worker *w, const halo_phase *f, int64_t row, int64_t n, int64_t end) {
  const job *j = w->j;
  for (int64_t t = 0; t < n; t++) {
    w->loop.asks = 0;
    if (f == j->second && row + j->r->tile + t < end)
      look(w, j->first, row + j->r->tile + t);
    sweep(w, f, &(piece){t, row + t, 0, j->r->row});
  }
}

// tiles takes some rows through all phases, a tile at a time.
static void tiles(void *arg, int64_t number) {
  const job *j = arg;
  const halo_rows_record *r = j->r;
  WORKER(w);
  int64_t end = (number + 1) * r->group < r->rows ? (number + 1) * r->group : r->rows;
  for (int64_t row = number * r->group; row < end && !*j->places.run->cancel; row += r->tile) {
    int64_t n = row + r->tile < end ? r->tile : end - row;
    load_rows(&w, row, n);
    for (int32_t i = 0; i < r->phases; i++) {
      const halo_phase *f = &j->phases[i];
      if (f->sweeps)
        sweep_rows(&w, f, row, n, end);
      else
        across(&w, f, row, n);
    }
  }
  halo_drain(j->bypass);
}

// chunk sweeps a part of a row, in a program that sweeps once.
static void chunk(void *arg, int64_t number) {
  const job *j = arg;
  const halo_rows_record *r = j->r;
  WORKER(w);
  int64_t row = number / j->chunks, col = number % j->chunks * r->chunk;
  load_rows(&w, row, 1);
  const halo_phase *f = j->phases;
  for (; !f->sweeps; f++)
    across(&w, f, row, 1);
  sweep(&w, f, &(piece){0, row, col, r->row - col < r->chunk ? r->row - col : r->chunk});
  for (int32_t i = 0; i < f->folds; i++)
    memcpy(&j->partials[number * f->folds + i], w.p[j->numbers[f->fold + 3 * i + 2]], r->lane);
  halo_drain(j->bypass);
}

// join reduces what the chunks of a row come to, one after the other.
static void join(const worker *w, const halo_phase *f, int64_t row, int64_t t) {
  const job *j = w->j;
  const halo_lanes *lanes = j->places.lanes;
  for (int32_t i = 0; i < f->folds; i++) {
    const int32_t *fold = j->numbers + f->fold + 3 * i;
    const uint64_t *partial = j->partials + row * j->chunks * f->folds + i;
    lanes->fill(w->p[fold[1]], partial);
    for (int64_t c = 1; c < j->chunks; c++) {
      lanes->fill(w->p[j->r->mask], partial + c * f->folds);
      lanes->reducers[fold[0]].join(w->p[fold[1]], w->p[j->r->mask]);
    }
    memcpy(w->p[fold[2]] + t * j->r->lane, w->p[fold[1]], j->r->lane);
  }
}

// ends runs what comes after the chunks.
static void ends(const job *j) {
  const halo_rows_record *r = j->r;
  WORKER(w);
  for (int64_t row = 0; row < r->rows; row += r->tile) {
    int64_t n = row + r->tile < r->rows ? r->tile : r->rows - row;
    load_rows(&w, row, n);
    for (int32_t i = 0; i < r->phases; i++) {
      const halo_phase *f = &j->phases[i];
      if (!f->sweeps)
        across(&w, f, row, n);
      for (int64_t t = 0; f->sweeps && t < n; t++)
        join(&w, f, row + t, t);
    }
  }
}

static void in_chunks(job *j, halo_run *run) {
  const halo_rows_record *r = j->r;
  int32_t folds = 0;
  for (int32_t i = 0; i < r->phases; i++)
    folds += j->phases[i].folds;
  if (!(j->partials = malloc(r->rows * j->chunks * folds * sizeof *j->partials + 1))) {
    halo_fail(run, "out of memory for the partial results of %lld rows", (long long)r->rows);
    return;
  }
  halo_spread(run, j, r->rows * j->chunks, chunk);
  if (!*run->cancel)
    ends(j);
  free(j->partials);
}

void halo_rows(const halo_record *record, halo_run *run) {
  const halo_rows_record *r = (const halo_rows_record *)record;
  const halo_stream *streams = (const halo_stream *)(r + 1);
  const halo_phase *phases = (const halo_phase *)(streams + r->streams + r->outputs);
  const halo_stage *stages = (const halo_stage *)(phases + r->phases);
  job j = {r, halo_space_of(run, r->level, r->lane, r->rank, r->dims),
      halo_space_of(run, r->level, r->lane, r->lead, r->dims), streams, phases,
      (const int32_t *)(stages + r->stages), stages, .chunks = 1};
  for (int32_t i = 0; i < r->phases && !j.second; i++)
    if (phases[i].sweeps)
      *(j.first ? &j.second : &j.first) = &phases[i];
  halo_program p = {streams, r->streams, r->outputs, r->stages, r->rows * r->row, r->row, stages};
  halo_stage room[r->stages];
  j.stages = halo_bypass(&j.places, &p, room);
  j.bypass = j.stages != stages;
  j.pitch = (r->row + j.places.block - 1) / j.places.block * j.places.block;
  if (r->chunk < r->row) {
    j.chunks = (r->row + r->chunk - 1) / r->chunk;
    in_chunks(&j, run);
  } else
    halo_spread(run, &j, (r->rows + r->group - 1) / r->group, r->staggered ? halo_staggers : tiles);
}
