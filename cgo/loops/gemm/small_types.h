/* The kernels of one instruction set: small_widths.h for each type. The including file defines WIDEST, bytes of its
 * widest vectors; WIDE, if 24 sums and what makes them fit registers, else 12 do; PREFIX; and LEVEL, the name of the
 * table. */
#include <string.h>

#include "products.h"
#include "sizes.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)

/* A tile has some vectors of columns, 4 or 2 at most, and so many rows at most. */
enum { ROWS = 8 };
static const int rows_of_four[] = {8, 8, 8, 6}, rows_of_two[] = {8, 6};
#define FOUR(X) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) SIX(X, 4)
#define TWO(X) EIGHT(X, 1) SIX(X, 2)
#define SIX(X, v) X(v, 1) X(v, 2) X(v, 3) X(v, 4) X(v, 5) X(v, 6)
#define EIGHT(X, v) SIX(X, v) X(v, 7) X(v, 8)

/* What is packed of rhs at a time fits the first cache, as does what many tiles read as it lies. */
enum { TERMS = 128, STAYS = 64 << 10 };

/* wanted is memory of the next product that is asked for while this one is made: no hardware sees its rhs coming. */
typedef struct {
  const char *at;
  int64_t bytes;
} wanted;

typedef struct {
  int64_t k, row_a, column_a, row_b, row_c;
  int64_t last; /* column of the last vector: two may overlap */
  int first;    /* else the products are added to c */
  wanted *next; /* of both operands */
} form;

/* Products of so many terms hide what they ask for, if all matrices of an operand are more than is near anyway. */
enum { ASKING = 48, FAR = 1 << 19 };

/* behind is what is wanted of an operand whose matrices are so many bytes apart. */
INLINE wanted behind(const halo_blas_record *r, const void *at, int64_t apart) {
  const int asks = WIDEST == 32 && r->k >= ASKING && apart <= STAYS && apart * r->pieces >= FAR;
  return (wanted){(const char *)at + apart, asks ? apart : 0};
}

/* ask asks for so many lines of both operands. */
INLINE void ask(wanted *next, int64_t lines) {
  for (wanted *w = next; w < next + 2; w++)
    for (int64_t i = 0; i < lines && w->bytes > 0; i++, w->at += 64, w->bytes -= 64) __builtin_prefetch(w->at);
}

#define T float
#define TYPE f32
#include "small_widths.h"
#undef T
#undef TYPE

#define T double
#define TYPE f64
#include "small_widths.h"

const halo_product_level LEVEL = {CAT(PREFIX, f32, record), CAT(PREFIX, f64, record)};
