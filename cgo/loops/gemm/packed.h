/* packed.h: large matrix products by kernels of our own. Parts of both operands are brought into the order that kernels
 * read them in, once and by all threads, so that tasks may be small and no bit depends on how many there are. */
#ifndef HALO_PACKED_H
#define HALO_PACKED_H

#include "../run/record.h"

/* Terms that are packed at a time: those of a task's rows and columns stay in the second cache. */
enum { PACKED_TERMS = 512 };

/* halo_packed_place is where the matrices of one product begin, in bytes behind the operands. */
typedef struct {
  int64_t a, b, c;
} halo_packed_place;

/* c[i, j] = sum over p of a[i, p] b[p, j] for each place. Neighbours are so many elements apart, those of a row of c
 * one. packed has halo_packed_bytes. */
typedef struct {
  halo_record head;
  halo_ref a, b, c, packed;
  int64_t m, n, k;
  int64_t row_a, column_a, row_b, column_b, row_c;
  int64_t places, pad;
  halo_packed_place place[];
} halo_packed_record;

/* halo_packed_kernel is what an instruction set does for a type of so many bytes: a panel has so many rows of a, or
 * columns of b. The packers write a panel from some lines, which are line apart, of some terms, which are term apart.
 * tile multiplies a panel of rows by one of columns, of which so many count, and adds to c unless it is the first. */
typedef struct {
  int64_t bytes, rows, columns;
  void (*pack_rows)(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term);
  void (*pack_columns)(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term);
  void (*tile)(const void *a, const void *b, void *c, int64_t terms, int64_t row_c, int64_t rows, int64_t columns,
               int first);
} halo_packed_kernel;

/* by type: 0, f32, and 1, f64 */
extern const halo_packed_kernel halo_packed_base[2], halo_packed_avx2[2], halo_packed_avx512[2];

/* halo_packed_bytes is the scratch memory of so many products. */
int64_t halo_packed_bytes(int64_t isa, int64_t type, int64_t places, int64_t m, int64_t n, int64_t k);

/* halo_packed_of returns the function of records of a type by an instruction set. */
void *halo_packed_of(int64_t isa, int64_t type);

#endif
