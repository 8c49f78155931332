//go:build linux
// places.c: from index vectors to the places of windows.
#pragma GCC optimize("O3")
#include "level.h"

const index_level *halo_index_level(int64_t isa) {
  static const index_level *const levels[] = {
#if defined(__x86_64__)
      &halo_index_base, &halo_index_avx2, &halo_index_avx512, &halo_index_base,
#else
      &halo_index_base, &halo_index_base, &halo_index_base, &halo_index_base,
#endif
  };
  return levels[isa];
}

index_stretch halo_index_stretch(const index_plan *p, const halo_run *run, int64_t first, int64_t n) {
  const index_batch *axes = index_batches(p), none = {1, 0, 0, 0};
  index_stretch x = {.step = p->batches ? axes[p->batches - 1] : none};
  int64_t rest = first, inner = 0, start = 0;
  for (int64_t d = p->batches - 1; d >= 0; d--) {
    const int64_t i = rest % axes[d].n;
    rest /= axes[d].n;
    if (d == p->batches - 1) inner = i;
    start += i * axes[d].start;
    x.windowed += i * axes[d].windowed;
    x.operand += i * axes[d].operand;
  }
  x.n = x.step.n - inner < n ? x.step.n - inner : n;
  x.starts = (const char *)HALO_AT(run, p->starts) + (start << (p->type & 3));
  return x;
}

void halo_index_places(const index_plan *p, const halo_run *run, int64_t first, int64_t n, int clamp,
                       int64_t *windowed, int64_t *operand) {
  const index_level *level = halo_index_level(p->isa);
  for (int64_t done = 0; done < n;) {
    const index_stretch x = halo_index_stretch(p, run, first + done, n - done);
    level->places(p, x, clamp, windowed ? windowed + done : NULL, operand + done);
    done += x.n;
  }
}
