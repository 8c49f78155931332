//go:build linux
// places.c: from index vectors to the places of windows.
#pragma GCC optimize("O3")
#include "index.h"

// In the order of run.ISA.
static const index_entries_table *const tables[] = {
#if defined(__x86_64__)
    &halo_entries_base, &halo_entries_avx2, &halo_entries_avx512, &halo_entries_base,
#else
    &halo_entries_base, &halo_entries_base, &halo_entries_base, &halo_entries_base,
#endif
};

// stretch finds the places of n index vectors along the last batch dimension.
static void stretch(const index_plan *p, const char *starts, index_batch from, index_batch step, int64_t n, int clamp,
                    int64_t *windowed, int64_t *operand) {
  const int64_t width = 1 << (p->type & 3);
  if (windowed)
    for (int64_t i = 0; i < n; i++, from.windowed += step.windowed) windowed[i] = from.windowed;
  for (int64_t i = 0; i < n; i++, from.operand += step.operand) operand[i] = from.operand;
  for (int64_t k = 0; k < p->entries; k++) {
    const char *at = starts + (from.start + k * p->vector) * width;
    (*tables[p->isa])[p->type](at, step.start, n, index_entries(p)[k], clamp, operand);
  }
}

void halo_index_places(const index_plan *p, const halo_run *run, int64_t first, int64_t n, int clamp,
                       int64_t *windowed, int64_t *operand) {
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
    stretch(p, starts, from, last, m, clamp, windowed ? windowed + done : NULL, operand + done);
    done += m;
  }
}
