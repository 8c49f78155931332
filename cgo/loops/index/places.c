//go:build linux
// places.c: from index vectors to the places of windows.
#pragma GCC optimize("O3")
#include "index.h"

// Places that are out of the operand stay below 0 whatever is added, and some of these to one another.
#define OUTSIDE (-((int64_t)1 << 56))

#define ENTRY(T)                                                                                             \
  static void entry_##T(const void *starts, int64_t step, int64_t n, index_entry e, int clamp, int64_t *at) { \
    const T *p = starts;                                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      int64_t v = (int64_t)p[i * step];                                                                      \
      if ((T)~(T)0 > 0 && sizeof(T) == 8 && v < 0) v = INT64_MAX;                                            \
      const int64_t c = v < 0 ? 0 : v > e.last ? e.last : v;                                                 \
      at[i] += clamp || c == v ? c * e.stride : OUTSIDE;                                                     \
    }                                                                                                        \
  }
ENTRY(uint8_t)
ENTRY(uint16_t)
ENTRY(uint32_t)
ENTRY(uint64_t)
ENTRY(int8_t)
ENTRY(int16_t)
ENTRY(int32_t)
ENTRY(int64_t)

// By the type of a move_index.
static void (*const by_type[])(const void *, int64_t, int64_t, index_entry, int, int64_t *) = {
    entry_uint8_t, entry_uint16_t, entry_uint32_t, entry_uint64_t, NULL, NULL, NULL, NULL,
    entry_int8_t,  entry_int16_t,  entry_int32_t,  entry_int64_t,
};

// stretch finds the places of n index vectors along the last batch dimension.
static void stretch(const index_plan *p, const char *starts, index_batch from, index_batch step, int64_t n, int clamp,
                    int64_t *windowed, int64_t *operand) {
  const int64_t width = 1 << (p->type & 3);
  for (int64_t i = 0; i < n; i++) {
    windowed[i] = from.windowed + i * step.windowed;
    operand[i] = from.operand + i * step.operand;
  }
  for (int64_t k = 0; k < p->entries; k++) {
    const char *at = starts + (from.start + k * p->vector) * width;
    by_type[p->type](at, step.start, n, index_entries(p)[k], clamp, operand);
  }
}

void halo_index_places(const index_plan *p, const halo_run *run, int64_t first, int64_t n, int clamp,
                       index_places *out) {
  const char *starts = HALO_AT(run, p->starts);
  const index_batch *axes = index_batches(p), none = {1, 0, 0, 0};
  const index_batch last = p->batches ? axes[p->batches - 1] : none;
  for (int64_t done = 0; done < n;) {
    index_batch from = {0};
    int64_t rest = first + done, inner = 0;
    for (int64_t d = p->batches - 1; d >= 0; d--) {
      const int64_t i = rest % axes[d].n;
      rest /= axes[d].n;
      if (d == p->batches - 1) inner = i;
      from.start += i * axes[d].start;
      from.windowed += i * axes[d].windowed;
      from.operand += i * axes[d].operand;
    }
    const int64_t m = last.n - inner < n - done ? last.n - inner : n - done;
    stretch(p, starts, from, last, m, clamp, out->windowed + done, out->operand + done);
    done += m;
  }
}
