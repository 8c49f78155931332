//go:build linux
// radix.c: stable passes by digits of 8 bits, each over chunks: counts, their sums in the order of digits and chunks,
// and moves. A few elements, of which there are fewer than digits, are put in their places one by one.
#pragma GCC optimize("O3")
#include "sort.h"

enum { FEW = 64 };

typedef struct {
  sort_row *row;
  int low;
} pass;

static int64_t end(const sort_row *row, int64_t chunk) {
  const int64_t last = (chunk + 1) * row->chunk;
  return last < row->n ? last : row->n;
}

void sort_each(sort_row *row, halo_task task, void *arg) {
  const int64_t chunks = (row->n + row->chunk - 1) / row->chunk;
  if (chunks > 1) row->run->parallel(row->run, chunks, task, arg);
  else if (chunks == 1) task(arg, 0);
}

// sums turns counts into the places of the first elements, and reports whether all have the same digit.
static int sums(sort_row *row) {
  const int64_t chunks = (row->n + row->chunk - 1) / row->chunk;
  int64_t sum = 0;
  for (int d = 0; d < SORT_DIGITS; d++) {
    const int64_t before = sum;
    for (int64_t c = 0; c < chunks; c++) {
      const int64_t n = row->counts[c][d];
      row->counts[c][d] = sum;
      sum += n;
    }
    if (sum - before == row->n) return 1;
  }
  return 0;
}

#define RADIX(T, name, KEY)                                                                                  \
  static void count_##name(void *arg, int64_t c) {                                                           \
    const pass *p = arg;                                                                                     \
    const T *v = (const T *)p->row->a;                                                                       \
    const int low = p->low;                                                                                  \
    uint32_t n[4][SORT_DIGITS] = {{0}};                                                                      \
    int64_t i = c * p->row->chunk, last = end(p->row, c);                                                    \
    for (; i + 4 <= last; i += 4)                                                                            \
      for (int k = 0; k < 4; k++) n[k][KEY(v[i + k]) >> low & 255]++;                                        \
    for (; i < last; i++) n[0][KEY(v[i]) >> low & 255]++;                                                    \
    for (int d = 0; d < SORT_DIGITS; d++)                                                                    \
      p->row->counts[c][d] = (int64_t)n[0][d] + n[1][d] + n[2][d] + n[3][d];                                 \
  }                                                                                                          \
  static void move_##name(void *arg, int64_t c) {                                                            \
    const pass *p = arg;                                                                                     \
    const T *v = (const T *)p->row->a;                                                                       \
    T *to = (T *)p->row->b;                                                                                  \
    const int low = p->low;                                                                                  \
    int64_t *at = p->row->counts[c];                                                                         \
    for (int64_t i = c * p->row->chunk, last = end(p->row, c); i < last; i++) {                              \
      const T x = v[i];                                                                                      \
      to[at[KEY(x) >> low & 255]++] = x;                                                                     \
    }                                                                                                        \
  }                                                                                                          \
  static void insert_##name(sort_row *row, int low) {                                                        \
    T *v = (T *)row->a;                                                                                      \
    for (int64_t i = 1; i < row->n; i++) {                                                                   \
      const T x = v[i];                                                                                      \
      int64_t j = i;                                                                                         \
      for (; j > 0 && KEY(v[j - 1]) >> low > KEY(x) >> low; j--) v[j] = v[j - 1];                            \
      v[j] = x;                                                                                              \
    }                                                                                                        \
  }                                                                                                          \
  void sort_##name(sort_row *row, int low, int high) {                                                       \
    if (row->n <= FEW) {                                                                                     \
      insert_##name(row, low);                                                                               \
      return;                                                                                                \
    }                                                                                                        \
    for (; low < high && !*row->run->cancel; low += 8) {                                                     \
      pass p = {row, low};                                                                                   \
      sort_each(row, count_##name, &p);                                                                      \
      if (*row->run->cancel || sums(row)) continue;                                                          \
      sort_each(row, move_##name, &p);                                                                       \
      char *t = row->a;                                                                                      \
      row->a = row->b, row->b = t;                                                                           \
    }                                                                                                        \
  }

#define WHOLE(x) (x)
#define KEY_OF(x) ((x).key)
RADIX(uint32_t, u32, WHOLE)
RADIX(uint64_t, u64, WHOLE)
RADIX(sort_pair, pairs, KEY_OF)
