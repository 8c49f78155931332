// topk.h: the best elements of rows.
#ifndef HALO_TOPK_H
#define HALO_TOPK_H

#include "sort.h"

// The record: rows of n elements, of which the k first by key go to values and their places to places.
typedef struct {
  halo_record head;
  halo_ref src, values, places;
  int64_t n, k, rows, isa;
  sort_key key; // width, flags and infinity
} topk_record;

void halo_topk(const halo_record *, halo_run *);

// A level's loops. append puts the keys below limit of keys[0..n), which begin at place first, behind the m that are
// kept, and returns how many are kept then; there is room for n more. below counts the keys below limit.
typedef struct {
  int64_t (*append32)(uint32_t *kept, uint32_t *index, int64_t m, const uint32_t *keys, int64_t n, uint32_t first,
                      uint32_t limit);
  int64_t (*append64)(uint64_t *kept, uint32_t *index, int64_t m, const uint64_t *keys, int64_t n, uint32_t first,
                      uint64_t limit);
  int64_t (*below32)(const uint32_t *keys, int64_t n, uint32_t limit);
  int64_t (*below64)(const uint64_t *keys, int64_t n, uint64_t limit);
} topk_table;

extern const topk_table halo_topk_base;
#if defined(__x86_64__)
extern const topk_table halo_topk_avx2, halo_topk_avx512;
#endif

#endif
