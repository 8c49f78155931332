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

// The keys of contiguous elements: x ^ (x's sign in all bits & negative) ^ all.
typedef struct {
  uint64_t negative, all;
} topk_order;

// A level's loops, for keys of one width.
#define TOPK_LOOPS(T, bits)                                                                                  \
  /* keys makes the keys of n elements. */                                                                   \
  void (*keys##bits)(T *keys, const T *x, int64_t n, topk_order);                                            \
  /* append puts the keys below limit of n, which begin at place first, behind m kept ones, and returns how  \
     many are kept then. There is room for n more and a vector. */                                           \
  int64_t (*append##bits)(T *kept, uint32_t *index, int64_t m, const T *keys, int64_t n, uint32_t first, T limit); \
  /* keep drops the keys that are not below limit, and returns how many are left. */                         \
  int64_t (*keep##bits)(T *kept, uint32_t *index, int64_t m, T limit);                                       \
  /* below counts the keys below limit. */                                                                   \
  int64_t (*below##bits)(const T *keys, int64_t n, T limit);                                                 \
  /* rank puts the indices of k keys into the order of the keys, equal ones as they stand. There is room for  \
     16 keys more. */                                                                                        \
  void (*rank##bits)(const T *keys, const uint32_t *index, int64_t k, uint32_t *out);

typedef struct {
  TOPK_LOOPS(uint32_t, 32)
  TOPK_LOOPS(uint64_t, 64)
} topk_table;

extern const topk_table halo_topk_base;
#if defined(__x86_64__)
extern const topk_table halo_topk_avx2, halo_topk_avx512;
#endif

#endif
