/* packed.h: large matrix products by kernels of our own. Parts of both operands are brought into the order that
 * kernels read them in: those of columns once, by all threads, those of rows by each task for itself, into memory of
 * its thread that no other has seen. No bit depends on how many threads there are. What lies side by side there are
 * words: a term of a sum, or as many terms as one instruction adds at once. */
#ifndef HALO_PACKED_H
#define HALO_PACKED_H

#include "../run/record.h"
#include "window.h"

/* Words that are packed at a time: those of a task's rows and of a panel of columns stay in the second cache. Each time
 * results come from memory and go back. */
enum { PACKED_WORDS = 1024 };

/* Kinds of products by the types of elements, as gemm.Kind has them. Sums are f32, f64 or s32. */
enum {
  PACKED_F32,
  PACKED_F64,
  PACKED_F16,
  PACKED_BF16,
  PACKED_FLOATS,
  PACKED_S8S8 = PACKED_FLOATS,
  PACKED_S8U8,
  PACKED_U8S8,
  PACKED_U8U8,
  PACKED_KINDS
};

/* What sums become in c, as gemm.Rounding has it. */
enum { PACKED_SUMS, PACKED_TO_F16, PACKED_TO_BF16, PACKED_ROUNDINGS };

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
  int64_t isa, kind, rounding;
  int64_t places, pad;
  halo_packed_place place[];
} halo_packed_record;

/* The packers write words of a panel from some lines, which are line bytes apart, of some terms, which are term bytes
 * apart. Lines and terms that are not there are 0. */
typedef void halo_packer(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term);

/* halo_packed_besides is what a tile does besides its products. It asks for what is wanted next, from ahead on, step
 * bytes further with each word. And to sums that have all their terms it adds bias, a number for each column, then
 * more, which lies as c does, unless they are 0; if there is a floor, what is at most 0 becomes 0; and what is more
 * than most becomes that, unless most is 0. */
typedef struct {
  const char *ahead;
  int64_t step;
  const void *bias, *more;
  int floor;
  double most;
} halo_packed_besides;

/* halo_packed_kernel is what an instruction set does for a kind: elements have so many bytes, words have so many,
 * and so many terms; sums are as large as words. A panel has so many rows of a, or columns of b; if there is head,
 * that of rows begins with a word for each, which head writes when all others are there. tile multiplies a panel of
 * rows by one of columns, of which so many count, and adds to c unless it is the first. round, which that of f32 has,
 * brings sums of f32 to the elements of c, by rounding. near, which those have whose words are elements, multiplies
 * rows where they lie, so many elements apart, with their terms side by side; and runs does rows whose terms lie in
 * runs of so many words, each with its own words of b, that many bytes behind b, and whose sums go where elements
 * behind c. block, if it is there, does as near, but rows of four panels at most and so many whole panels of
 * columns, which are so many elements apart; where besides has anything ahead, a block of few rows asks for the panel
 * behind the one that it reads. */
typedef struct {
  int64_t element, bytes, terms, rows, columns;
  halo_packer *pack_rows, *pack_columns;
  void (*head)(void *panel, int64_t words);
  void (*tile)(const void *a, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows, int64_t columns,
               int first);
  void (*round[PACKED_ROUNDINGS])(void *to, const void *from, int64_t row_to, int64_t row_from, int64_t rows,
                                  int64_t columns);
  void (*near)(const void *a, int64_t apart, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows,
               int64_t columns, int first, const halo_packed_besides *besides);
  void (*runs)(const halo_windows_run *a, int64_t runs, const int64_t *where, const void *b, void *c, int64_t words,
               int64_t rows, int64_t columns, int first, const halo_packed_besides *besides);
  void (*block)(const void *a, int64_t apart, const void *b, int64_t panel, void *c, int64_t words, int64_t row_c,
                int64_t rows, int64_t panels, int first, const halo_packed_besides *besides);
} halo_packed_kernel;

extern const halo_packed_kernel halo_packed_base[PACKED_FLOATS], halo_packed_avx2[PACKED_FLOATS],
    halo_packed_avx512[PACKED_FLOATS], halo_packed_bf16, halo_packed_s16[PACKED_KINDS - PACKED_FLOATS],
    halo_packed_vnni[PACKED_KINDS - PACKED_FLOATS];

/* halo_packed_kernel_of is the kernel of an instruction set for a kind on this machine, 0 if there is none. */
const halo_packed_kernel *halo_packed_kernel_of(int64_t isa, int64_t kind);

/* halo_packed_knows says whether an instruction set has kernels of a kind on this machine. */
int halo_packed_knows(int64_t isa, int64_t kind);

/* halo_packed_widens says whether they make elements larger as they pack them: f32 of smaller floats. */
int halo_packed_widens(int64_t isa, int64_t kind);

/* halo_packed_bytes is the scratch memory of so many products. */
int64_t halo_packed_bytes(int64_t isa, int64_t kind, int64_t rounding, int64_t places, int64_t m, int64_t n, int64_t k);

/* halo_packed computes a record. */
void halo_packed(const halo_record *record, halo_run *run);

#endif
