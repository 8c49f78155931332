// Random bits: the arguments of records, and the loops that every ISA level provides.
#ifndef HALO_RNG_H
#define HALO_RNG_H

#include "../run/record.h"

// A level's loops.
typedef struct {
  // rows makes n blocks of ThreeFry with consecutive counters: their first words at x0, the second ones at x1.
  void (*rows)(uint32_t *x0, uint32_t *x1, int64_t n, uint64_t key, uint64_t counter);
  // pairs makes n blocks of ThreeFry, word by word.
  void (*pairs)(uint32_t *x, int64_t n, uint64_t key, uint64_t counter);
  // philox makes n blocks of Philox, word by word. low does not overflow.
  void (*philox)(uint32_t *x, int64_t n, uint64_t key, uint64_t low, uint64_t high);
} rng_table;

#if defined(__x86_64__)
extern const rng_table halo_rng_avx2, halo_rng_avx512;
#endif
extern const rng_table halo_rng_base;

// The record of a bit generator: from the state to the new state and the bits. How words lie, backend/cpu/kernel says
// at RandomPlan.
typedef struct {
  halo_record head;
  halo_ref state, after, bits;
  int64_t words;                     // of the state
  int64_t outer, size, inner, width; // of the plan
  int64_t isa;
} rng_record;

void halo_threefry(const halo_record *, halo_run *);
void halo_philox(const halo_record *, halo_run *);

#endif
