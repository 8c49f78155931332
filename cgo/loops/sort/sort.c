//go:build linux
// sort.c: rows one after the other, or many at once, each by the quickest form of its elements.
#pragma GCC optimize("O3")
#include "network.h"
#include "sort.h"

#include <string.h>

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

// take_elements makes a row of a single array, or of two of which one has 4 bytes, one of elements that need no
// permutation. It reports whether it did: not if keys do not tell what their elements were.
static int take_elements(job *j, int *found) {
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
  return !*found;
}

static int by_elements(job *j, int *found) {
  if (!take_elements(j, found)) return 0;
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

// Rows of up to so many elements go through a network, if there are some.
enum { NETWORK_MOST32 = 512, NETWORK_MOST64 = 256, NETWORK_LEAST_ROWS = 4 };

static const network *const networks[] = {
#if defined(__x86_64__)
    &halo_network_base, &halo_network_avx2, &halo_network_avx512, &halo_network_base,
#else
    &halo_network_base, &halo_network_base, &halo_network_base, &halo_network_base,
#endif
};

// is_narrow reports whether a record's rows have elements of 4 bytes.
static int is_narrow(const sort_record *r, const sort_key *k) { return r->arrays == 1 && k->log_width < 3; }

// goes_by_network reports whether the rows of a record may.
static int goes_by_network(const sort_record *r, const sort_key *k) {
  return r->keys == 1 && k->operand >= 0 && r->arrays <= 2 && r->count >= NETWORK_LEAST_ROWS &&
         r->n <= (is_narrow(r, k) ? NETWORK_MOST32 : NETWORK_MOST64);
}

// is_stable reports whether elements that were taken differ or, if they are equal, are the same: what goes with a key
// grows.
static int is_stable(const job *j) {
  const uint64_t *v = (const uint64_t *)j->row.a;
  if (j->form != SORT_U64) return 1;
  for (int64_t i = 1; i < j->row.n; i++)
    if ((uint32_t)v[i] <= (uint32_t)v[i - 1]) return 0;
  return 1;
}

// into and out_of put the elements of a row into a lane and back. Those of 64 bits have a sign there.
#define LANES(T, ROWS, SIGN)                                                                                 \
  static void into_##T(T *restrict lanes, const T *restrict row, int64_t n) {                                \
    for (int64_t i = 0; i < n; i++) lanes[i * ROWS] = row[i] ^ SIGN;                                         \
  }                                                                                                          \
  static void out_of_##T(const T *restrict lanes, T *restrict row, int64_t n) {                              \
    for (int64_t i = 0; i < n; i++) row[i] = lanes[i * ROWS] ^ SIGN;                                         \
  }
LANES(uint32_t, NETWORK_ROWS32, 0u)
LANES(uint64_t, NETWORK_ROWS64, 1ull << 63)

static void run_network(const job *j, uint64_t *lanes) {
  const sort_record *r = j->row.record;
  if (is_narrow(r, j->keys)) networks[r->isa]->rows32((uint32_t *)lanes, r->n);
  else networks[r->isa]->rows64((int64_t *)lanes, r->n);
}

static void flip_signs(uint64_t *lanes, int64_t n) {
  for (int64_t i = 0; i < n; i++) lanes[i] ^= 1ull << 63;
}

// sort_side sorts rows of an array that lie side by side, place by place. It reports whether they do and it did.
static int sort_side(job *j, uint64_t *lanes, int64_t first, int64_t count) {
  const sort_record *r = j->row.record;
  const sort_key *k = j->keys;
  if (r->arrays > 1 || first % r->stride + count > r->stride) return 0;
  sort_row side = j->row;
  side.n = count, side.stride = 1;
  j->start = row_start(r, first);
  const int64_t all = r->n * NETWORK_ROWS64, far = r->stride << k->log_width;
  const int form = k->log_width == 3 ? SORT_ALONE64 : SORT_U32;
  const char *from = key_data(j, k);
  int found = 0;
  for (int64_t i = 0; i < r->n; i++) {
    side.a = (char *)lanes + i * NETWORK_BYTES;
    found |= sort_load(&side, k, from + i * far, form, NULL, NULL, 0, count);
  }
  if (found) return 0;
  if (form == SORT_ALONE64) flip_signs(lanes, all);
  run_network(j, lanes);
  if (form == SORT_ALONE64) flip_signs(lanes, all);
  char *to = (char *)HALO_AT(j->row.run, j->arrays->dst) + (j->start << k->log_width);
  for (int64_t i = 0; i < r->n; i++) {
    side.a = (char *)lanes + i * NETWORK_BYTES;
    sort_store(&side, k, to + i * far, form, 0, count);
  }
  return 1;
}

// sort_together sorts rows first to first+count-1, which have lanes; those that are no elements alone by itself.
static void sort_together(job *j, char *memory, uint64_t *lanes, int64_t first, int64_t count) {
  const sort_record *r = j->row.record;
  const int narrow = is_narrow(r, j->keys);
  uint32_t taken = 0;
  job took = *j;
  if (sort_side(j, lanes, first, count)) return;
  for (int64_t i = 0; i < count; i++) {
    int found = 0;
    parts(j, memory);
    j->start = row_start(r, first + i);
    if (!take_elements(j, &found) || !is_stable(j)) {
      sort_one(j);
      continue;
    }
    took = *j;
    taken |= 1u << i;
    if (narrow) into_uint32_t((uint32_t *)lanes + i, (const uint32_t *)j->row.a, r->n);
    else into_uint64_t(lanes + i, (const uint64_t *)j->row.a, r->n);
  }
  run_network(j, lanes);
  for (int64_t i = 0; i < count; i++) {
    if (!(taken >> i & 1)) continue;
    took.start = row_start(r, first + i);
    if (narrow) out_of_uint32_t((const uint32_t *)lanes + i, (uint32_t *)took.row.a, r->n);
    else out_of_uint64_t(lanes + i, (uint64_t *)took.row.a, r->n);
    sort_each(&took.row, store_task, &took);
  }
}

typedef struct {
  const job *like;
  int64_t rows, together; // of a task, and of those by a network at once; 0: none are
} batch;

static void batch_task(void *arg, int64_t t) {
  const batch *b = arg;
  job j = *b->like;
  const sort_record *r = j.row.record;
  const int64_t end = (t + 1) * b->rows, last = end < r->count ? end : r->count;
  const int64_t bytes = 40 * r->n + sizeof *j.row.counts, step = b->together ? b->together : 1;
  char *memory = malloc(bytes + (b->together ? r->n * NETWORK_BYTES : 0));
  if (!memory) {
    halo_fail(j.row.run, "sort: out of memory");
    return;
  }
  for (int64_t i = t * b->rows; i < last && !*j.row.run->cancel; i += step) {
    parts(&j, memory);
    j.start = row_start(r, i);
    if (b->together) sort_together(&j, memory, (uint64_t *)(memory + bytes), i, last - i < step ? last - i : step);
    else sort_one(&j);
  }
  free(memory);
}

// batch_of divides rows into tasks of some thousand elements.
static batch batch_of(const job *j) {
  const sort_record *r = j->row.record;
  batch b = {j, r->n < 16384 ? 16384 / (r->n + 1) + 1 : 1, 0};
  if (!goes_by_network(r, j->keys)) return b;
  b.together = is_narrow(r, j->keys) ? NETWORK_ROWS32 : NETWORK_ROWS64;
  b.rows = (b.rows + b.together - 1) / b.together * b.together;
  return b;
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
    batch b = batch_of(&j);
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
