//go:build linux
// topk.c: the best elements of a row are found by a limit that falls: what is below it is kept, and when much is kept,
// the limit becomes the k-th of that, found by its bits. Of short rows each element's rank is counted.
#pragma GCC optimize("O3")
#include "topk.h"

// In the order of run.ISA.
static const topk_table *const tables[] = {
#if defined(__x86_64__)
    &halo_topk_base, &halo_topk_avx2, &halo_topk_avx512, &halo_topk_base,
#else
    &halo_topk_base, &halo_topk_base, &halo_topk_base, &halo_topk_base,
#endif
};

enum { TOPK_BLOCK = 256, TOPK_SMALL = 128 };

typedef struct {
  const topk_record *record;
  const topk_table *table;
  halo_run *run;
  int64_t rows; // of a task
  topk_order order;
} topk;

// The memory of a task: keys of a block, kept keys and their indices, with room for a block and a vector more.
typedef struct {
  void *block, *kept;
  uint32_t *index, *equal;
  sort_row sorted;
} work;

#define SELECT(T, bits)                                                                                      \
  /* split finds what has k keys of m below it, bit by bit from the top: mostly long before the last bit; else the \
     k-th key. less is how many are below. */                                                                \
  static T split_##bits(const topk_table *t, const T *keys, int64_t m, int64_t k, int64_t *less) {           \
    T low = 0;                                                                                               \
    *less = 0;                                                                                               \
    for (int b = bits - 1; b >= 0 && *less < k; b--) {                                                       \
      const T middle = low | (T)1 << b;                                                                      \
      const int64_t below = t->below##bits(keys, m, middle);                                                 \
      if (below <= k) low = middle, *less = below;                                                           \
    }                                                                                                        \
    return low;                                                                                              \
  }                                                                                                          \
  /* cut keeps the first k of m, the last ones of equal keys last, and returns the limit of those to come. */ \
  static T cut_##bits(const topk_table *t, T *keys, uint32_t *index, int64_t m, int64_t k, uint32_t *equal) { \
    int64_t less;                                                                                            \
    const T last = split_##bits(t, keys, m, k, &less);                                                       \
    for (int64_t i = 0, n = 0; n < k - less; i++)                                                            \
      if (keys[i] == last) equal[n++] = index[i];                                                            \
    t->keep##bits(keys, index, m, last);                                                                     \
    for (int64_t n = less; n < k; n++) keys[n] = last, index[n] = equal[n - less];                           \
    return last;                                                                                             \
  }                                                                                                          \
  static void best_##bits(const topk *t, work *w, const char *row, uint32_t *out) {                          \
    const int64_t n = t->record->n, k = t->record->k;                                                        \
    if (n <= TOPK_SMALL) {                                                                                   \
      block_##bits(t, w->block, row, n);                                                                     \
      t->table->rank##bits(w->block, w->index, n, w->index + TOPK_SMALL);                                    \
      memcpy(out, w->index + TOPK_SMALL, (size_t)k * sizeof(uint32_t));                                      \
      return;                                                                                                \
    }                                                                                                        \
    T limit = (T)~(T)0, *kept = w->kept;                                                                     \
    int64_t m = 0, full = 0;                                                                                 \
    for (int64_t i = 0; i < n; i += TOPK_BLOCK) {                                                            \
      const int64_t part = n - i < TOPK_BLOCK ? n - i : TOPK_BLOCK;                                          \
      block_##bits(t, w->block, row + (i << t->record->key.log_width), part);                                \
      if (full) m = t->table->append##bits(kept, w->index, m, w->block, part, (uint32_t)i, limit);           \
      else                                                                                                   \
        for (int64_t j = 0; j < part; j++, m++)                                                              \
          kept[m] = ((T *)w->block)[j], w->index[m] = (uint32_t)(i + j);                                     \
      if (m > 2 * k + TOPK_BLOCK || (m >= k && !full && i + part < n)) {                                     \
        limit = cut_##bits(t->table, kept, w->index, m, k, w->equal);                                        \
        m = k, full = 1;                                                                                     \
      }                                                                                                      \
    }                                                                                                        \
    if (m > k) cut_##bits(t->table, kept, w->index, m, k, w->equal);                                         \
    if (k <= TOPK_SMALL) t->table->rank##bits(kept, w->index, k, out);                                       \
    else sorted_##bits(w, k, out);                                                                           \
  }

// block_32 and block_64 make keys: of elements as wide as they are by a loop of the level.
static void block_32(const topk *t, uint32_t *keys, const char *p, int64_t n) {
  sort_row r = {.stride = 1, .a = (char *)keys};
  if (t->record->key.log_width == 2) t->table->keys32(keys, (const uint32_t *)p, n, t->order);
  else sort_load(&r, &t->record->key, p, SORT_U32, NULL, NULL, 0, n);
}

static void block_64(const topk *t, uint64_t *keys, const char *p, int64_t n) {
  t->table->keys64(keys, (const uint64_t *)p, n, t->order);
}

// order_of returns what makes keys that order as k says.
static topk_order order_of(const sort_key *k) {
  const int bits = 8 << k->log_width;
  const uint64_t sign = 1ull << (bits - 1), ones = ~0ull >> (64 - bits);
  topk_order o = {.all = k->flags & SORT_DESCENDING ? ones : 0};
  if (k->flags & (SORT_SIGNED | SORT_FLOAT)) o.all ^= sign;
  if (k->flags & SORT_FLOAT) o.negative = ones ^ sign;
  return o;
}

static void sorted_32(work *w, int64_t k, uint32_t *out) {
  uint64_t *v = (uint64_t *)w->sorted.a;
  for (int64_t i = 0; i < k; i++) v[i] = (uint64_t)((uint32_t *)w->kept)[i] << 32 | w->index[i];
  sort_u64(&w->sorted, 32, 64);
  v = (uint64_t *)w->sorted.a;
  for (int64_t i = 0; i < k; i++) out[i] = (uint32_t)v[i];
}

static void sorted_64(work *w, int64_t k, uint32_t *out) {
  sort_pair *v = (sort_pair *)w->sorted.a;
  for (int64_t i = 0; i < k; i++) v[i] = (sort_pair){((uint64_t *)w->kept)[i], w->index[i]};
  sort_pairs(&w->sorted, 0, 64);
  v = (sort_pair *)w->sorted.a;
  for (int64_t i = 0; i < k; i++) out[i] = (uint32_t)v[i].index;
}

SELECT(uint32_t, 32)
SELECT(uint64_t, 64)

static void values(const topk_record *r, const char *row, const uint32_t *places, char *to) {
  for (int64_t i = 0; i < r->k; i++) {
    const int64_t from = places[i];
    switch (r->key.log_width) {
    case 0: to[i] = row[from]; break;
    case 1: ((uint16_t *)to)[i] = ((const uint16_t *)row)[from]; break;
    case 2: ((uint32_t *)to)[i] = ((const uint32_t *)row)[from]; break;
    default: ((uint64_t *)to)[i] = ((const uint64_t *)row)[from];
    }
  }
}

static void task(void *arg, int64_t i) {
  const topk *t = arg;
  const topk_record *r = t->record;
  const int64_t room = 2 * r->k + 3 * TOPK_BLOCK, log = r->key.log_width;
  char *memory = malloc(8 * TOPK_BLOCK + 12 * room + 36 * r->k + sizeof(int64_t) * SORT_DIGITS);
  if (!memory) {
    halo_fail(t->run, "topk: out of memory");
    return;
  }
  work w = {.block = memory, .kept = memory + 8 * TOPK_BLOCK};
  char *rest = (char *)w.kept + 8 * room;
  w.index = (uint32_t *)(rest + 32 * r->k + sizeof(int64_t) * SORT_DIGITS);
  w.equal = w.index + room;
  for (uint32_t j = 0; r->n <= TOPK_SMALL && j < TOPK_SMALL; j++) w.index[j] = j;
  w.sorted = (sort_row){.run = t->run, .n = r->k, .stride = 1, .chunk = r->k};
  for (int64_t row = i * t->rows; row < r->rows && row < (i + 1) * t->rows && !*t->run->cancel; row++) {
    const char *from = (const char *)HALO_AT(t->run, r->src) + (row * r->n << log);
    uint32_t *places = (uint32_t *)HALO_AT(t->run, r->places) + row * r->k;
    w.sorted.a = rest, w.sorted.b = rest + 16 * r->k;
    w.sorted.counts = (int64_t(*)[SORT_DIGITS])(rest + 32 * r->k);
    if (log == 3) best_64(t, &w, from, places);
    else best_32(t, &w, from, places);
    values(r, from, places, (char *)HALO_AT(t->run, r->values) + (row * r->k << log));
  }
  free(memory);
}

void halo_topk(const halo_record *head, halo_run *run) {
  const topk_record *r = (const topk_record *)head;
  if (r->k == 0 || r->n == 0) return;
  const topk t = {r, tables[r->isa], run, 1 + 32768 / (r->n + 1), order_of(&r->key)};
  const int64_t tasks = (r->rows + t.rows - 1) / t.rows;
  if (tasks == 1) task((void *)&t, 0);
  else if (tasks > 1) run->parallel(run, tasks, task, (void *)&t);
}
