//go:build linux
// sort.c: rows one after the other, or many at once, each by the quickest form of its elements.
#pragma GCC optimize("O3")
#include "sort.h"

// A record taken apart, and one row of it.
typedef struct {
  sort_row row;
  const sort_array *arrays;
  const sort_key *keys;
  const halo_program *less;
  int64_t start;
  uint32_t *perm, *spare;
  // of the step under way:
  int form, found;
  const sort_key *key;
  const char *data;
  const uint32_t *payload, *by;
} job;

static int64_t row_start(const sort_record *r, int64_t i) { return i / r->stride * r->stride * r->n + i % r->stride; }

static int64_t chunk_end(const job *j, int64_t c) {
  const int64_t last = (c + 1) * j->row.chunk;
  return last < j->row.n ? last : j->row.n;
}

static const char *key_data(const job *j, const sort_key *k) {
  const halo_ref ref = k->operand < 0 ? k->data : j->arrays[k->operand].src;
  return (const char *)HALO_AT(j->row.run, ref) + (j->start << k->log_width);
}

static void load_task(void *arg, int64_t c) {
  job *j = arg;
  const int found = sort_load(&j->row, j->key, j->data, j->form, j->payload, j->by, c * j->row.chunk, chunk_end(j, c));
  if (found) __atomic_fetch_or(&j->found, found, __ATOMIC_RELAXED);
}

// load makes elements of a form of a key, and returns what it found.
static int load(job *j, const sort_key *key, int form, const uint32_t *payload, const uint32_t *by) {
  j->key = key, j->form = form, j->payload = payload, j->by = by, j->found = 0;
  j->data = key_data(j, key);
  sort_each(&j->row, load_task, j);
  return j->found;
}

static void store_task(void *arg, int64_t c) {
  job *j = arg;
  const int64_t first = c * j->row.chunk, last = chunk_end(j, c), s = j->row.stride;
  const sort_array *array = &j->arrays[j->key->operand];
  char *to = (char *)HALO_AT(j->row.run, array->dst) + j->start * array->width;
  sort_store(&j->row, j->key, to, j->form, first, last);
  if (j->payload) {
    uint32_t *out = (uint32_t *)HALO_AT(j->row.run, j->arrays[1 - j->key->operand].dst) + j->start;
    const uint64_t *v = (const uint64_t *)j->row.a;
    for (int64_t i = first; i < last; i++) out[i * s] = (uint32_t)v[i];
  }
}

static void sort_form(job *j) {
  const int bits = 8 << j->key->log_width;
  switch (j->form) {
  case SORT_U32: sort_u32(&j->row, 0, bits); return;
  case SORT_U64: sort_u64(&j->row, 32, 32 + bits); return;
  case SORT_ALONE64: sort_u64(&j->row, 0, bits); return;
  }
  sort_pairs(&j->row, 0, bits);
}

// by_elements sorts a single array, or two of which one has 4 bytes, without a permutation. It reports whether it did:
// not if keys do not tell what their elements were.
static int by_elements(job *j, int *found) {
  const sort_record *r = j->row.record;
  const sort_key *k = j->keys;
  const uint32_t *payload = NULL;
  int form = k->log_width == 3 ? SORT_ALONE64 : SORT_U32;
  if (r->keys != 1 || k->operand < 0 || r->arrays > 2) return 0;
  if (r->arrays == 2) {
    const sort_array *other = &j->arrays[1 - k->operand];
    if (other->width != 4 || k->log_width == 3) return 0;
    payload = (const uint32_t *)HALO_AT(j->row.run, other->src) + j->start;
    form = SORT_U64;
  }
  *found = load(j, k, form, payload, NULL);
  if (*found) return 0;
  sort_form(j);
  sort_each(&j->row, store_task, j);
  return 1;
}

static void perm_task(void *arg, int64_t c) {
  job *j = arg;
  const uint64_t *u = (const uint64_t *)j->row.a;
  const sort_pair *p = (const sort_pair *)j->row.a;
  for (int64_t i = c * j->row.chunk, last = chunk_end(j, c); i < last; i++)
    j->perm[i] = (uint32_t)(j->form == SORT_U64 ? u[i] : p[i].index);
}

// by_keys finds the permutation by each key, the last one first. It reports whether they have an order.
static int by_keys(job *j) {
  const uint32_t *by = NULL;
  for (int64_t k = j->row.record->keys - 1; k >= 0; k--) {
    const int form = j->keys[k].log_width == 3 ? SORT_PAIRS : SORT_U64;
    if (load(j, &j->keys[k], form, NULL, by) & SORT_UNORDERED) return 0;
    sort_form(j);
    sort_each(&j->row, perm_task, j);
    by = j->perm;
  }
  return 1;
}

#define PERMUTE(T)                                                                                           \
  for (; i < last; i++) memcpy(to + i * s * sizeof(T), from + perm[i] * s * sizeof(T), sizeof(T));           \
  break;

static void permute_task(void *arg, int64_t c) {
  const job *j = arg;
  const int64_t s = j->row.stride, last = chunk_end(j, c);
  const uint32_t *perm = j->perm;
  for (int64_t k = 0; k < j->row.record->arrays; k++) {
    const sort_array *a = &j->arrays[k];
    char *to = (char *)HALO_AT(j->row.run, a->dst) + j->start * a->width;
    const char *from = (const char *)HALO_AT(j->row.run, a->src) + j->start * a->width;
    int64_t i = c * j->row.chunk;
    switch (a->width) {
    case 1: PERMUTE(uint8_t)
    case 2: PERMUTE(uint16_t)
    case 4: PERMUTE(uint32_t)
    case 8: PERMUTE(uint64_t)
    default: PERMUTE(sort_pair)
    }
  }
}

static void sort_one(job *j) {
  int found = 0;
  if (j->row.record->keys > 0 && by_elements(j, &found)) return;
  if (found & SORT_UNORDERED || j->row.record->keys == 0 || !by_keys(j))
    sort_merge(&j->row, j->less, j->start, j->perm, j->spare);
  sort_each(&j->row, permute_task, j);
}

// parts takes memory for a row apart. It has 40 bytes for each element, and the counts.
static void parts(job *j, char *memory) {
  const int64_t n = j->row.n;
  j->row.a = memory, j->row.b = memory + 16 * n;
  j->perm = (uint32_t *)(memory + 32 * n), j->spare = j->perm + n;
  j->row.counts = (int64_t(*)[SORT_DIGITS])(memory + 40 * n);
}

typedef struct {
  const job *like;
  int64_t rows; // of a task
} batch;

static void batch_task(void *arg, int64_t t) {
  const batch *b = arg;
  job j = *b->like;
  const sort_record *r = j.row.record;
  char *memory = malloc(40 * r->n + sizeof *j.row.counts);
  if (!memory) {
    halo_fail(j.row.run, "sort: out of memory");
    return;
  }
  for (int64_t i = t * b->rows; i < r->count && i < (t + 1) * b->rows && !*j.row.run->cancel; i++) {
    parts(&j, memory);
    j.start = row_start(r, i);
    sort_one(&j);
  }
  free(memory);
}

// make_keys runs the programs that make keys.
typedef struct {
  const job *j;
  const sort_key *key;
  const halo_program *program;
} maker;

enum { MAKE_CHUNK = 4096 };

static void make_task(void *arg, int64_t c) {
  const maker *m = arg;
  const sort_record *r = m->j->row.record;
  const int64_t total = r->n * r->count, first = c * MAKE_CHUNK;
  halo_reg stack[HALO_STACK_REGISTERS], *registers = halo_registers(m->program, stack);
  halo_stream *s = malloc(sizeof *s * m->program->streams);
  if (!registers || !s) {
    halo_fail(m->j->row.run, "sort: out of memory");
  } else {
    for (int k = 0; k + 1 < m->program->streams; k++) {
      const sort_array *a = &m->j->arrays[k / 2];
      s[k] = (halo_stream){(char *)HALO_AT(m->j->row.run, a->src) + first * a->width, a->width};
    }
    const int64_t width = 1 << m->key->log_width;
    s[m->program->streams - 1] = (halo_stream){(char *)HALO_AT(m->j->row.run, m->key->data) + first * width, width};
    m->program->run(m->program, registers, s, total - first < MAKE_CHUNK ? total - first : MAKE_CHUNK,
                    m->j->row.run->cancel);
  }
  free(s);
  if (registers) halo_registers_free(registers, stack);
}

void halo_sort(const halo_record *head, halo_run *run) {
  const sort_record *r = (const sort_record *)head;
  job j = {.row = {.run = run, .record = r, .n = r->n, .stride = r->stride, .chunk = r->n}};
  j.arrays = (const sort_array *)(r + 1);
  j.keys = (const sort_key *)(j.arrays + r->arrays);
  const char *at = (const char *)(j.keys + r->keys);
  if (r->n == 0 || r->count == 0) return;
  for (int64_t k = 0; k < r->keys; k++) {
    if (j.keys[k].operand >= 0) continue;
    maker m = {&j, &j.keys[k], (const halo_program *)at};
    run->parallel(run, (r->n * r->count + MAKE_CHUNK - 1) / MAKE_CHUNK, make_task, &m);
    at += (m.program->bytes + 15) & ~15;
  }
  j.less = r->less ? (const halo_program *)at : NULL;
  if (r->n < SORT_LONG) {
    batch b = {&j, r->n < 16384 ? 16384 / (r->n + 1) + 1 : 1};
    const int64_t tasks = (r->count + b.rows - 1) / b.rows;
    if (tasks == 1) batch_task(&b, 0);
    else if (tasks > 1) run->parallel(run, tasks, batch_task, &b);
    return;
  }
  j.row.chunk = SORT_CHUNK;
  for (int64_t i = 0; i < r->count && !*run->cancel; i++) {
    parts(&j, HALO_AT(run, r->scratch));
    j.start = row_start(r, i);
    sort_one(&j);
  }
}
