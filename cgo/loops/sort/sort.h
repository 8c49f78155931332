// sort.h: sorts of rows of arrays that go together, by keys or by a program that compares.
#ifndef HALO_SORT_H
#define HALO_SORT_H

#include "../run/record.h"
#include "../scalar/program.h"

// An array that is sorted.
typedef struct {
  halo_ref dst, src;
  int64_t width, pad;
} sort_array;

enum {
  SORT_FLOAT = 1,      // else a signed or unsigned integer
  SORT_SIGNED = 2,     // integer
  SORT_TOTAL = 4,      // the total order of floats; without it NaN have no order and zeros are equal
  SORT_ZEROS = 8,      // zeros are equal in the total order
  SORT_NANS = 16,      // NaN are equal and positive in the total order
  SORT_DESCENDING = 32
};

// A key: elements of 1, 2, 4 or 8 bytes, of an operand or made by a program.
typedef struct {
  halo_ref data;
  int64_t operand; // below 0: data is scratch memory, which the next program fills
  int64_t log_width, flags, infinity; // infinity: its bits, of a float
} sort_key;

// The record: arrays, keys, then a program for each key that has one, then the comparator if there is one, all packed.
typedef struct {
  halo_record head;
  int64_t n, stride, count; // rows
  int64_t arrays, keys, less;
  halo_ref scratch; // ScratchBytes, for rows of SORT_LONG elements and more
  int64_t isa, pad;
} sort_record;

enum { SORT_LONG = 1 << 15, SORT_CHUNK = 1 << 16, SORT_DIGITS = 256 };

// An element whose key has more than 32 bits.
typedef struct {
  uint64_t key;
  uint64_t index;
} sort_pair;

// A row under sort: the chunks that passes work in at once, and memory for two copies of n pairs and two permutations.
typedef struct {
  halo_run *run;
  const sort_record *record;
  int64_t n, stride, chunk; // chunk: elements that are one task, n for short rows
  char *a, *b;
  int64_t (*counts)[SORT_DIGITS]; // by chunk
} sort_row;

// sort_each calls task(arg, i) for the chunks of a row.
void sort_each(sort_row *row, halo_task task, void *arg);

// sort_u32, sort_u64 and sort_pairs sort what is at row->a stably by bits low to high-1 of the elements, of a pair's
// key. The result is at row->a, which they may exchange with row->b.
void sort_u32(sort_row *row, int low, int high);
void sort_u64(sort_row *row, int low, int high);
void sort_pairs(sort_row *row, int low, int high);

// What sort_load found about elements.
enum { SORT_UNORDERED = 1, SORT_LOSSY = 2 };

// sort_load puts the keys of elements first to last-1 of a row at p into row->a: as u32, as u64 above a payload of 32
// bits, or as pairs. order is the permutation to read by, or NULL; payload the numbers to carry, or NULL for indices.
int sort_load(sort_row *row, const sort_key *key, const char *p, int form, const uint32_t *payload,
              const uint32_t *order, int64_t first, int64_t last);
enum { SORT_U32, SORT_U64, SORT_PAIRS, SORT_ALONE64 };

// sort_store puts what sort_load made of elements back: elements first to last-1 of row->a to p.
void sort_store(sort_row *row, const sort_key *key, char *p, int form, int64_t first, int64_t last);

// sort_merge finds the order of a row by a program: perm, with spare memory as long.
void sort_merge(sort_row *row, const halo_program *less, int64_t start, uint32_t *perm, uint32_t *spare);

void halo_sort(const halo_record *, halo_run *);

#endif
