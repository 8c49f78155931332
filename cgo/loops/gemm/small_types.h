/* The kernels of one instruction set: small_impl.h for each type. The including file defines VB, bytes of a vector;
 * WIDE, if 24 sums and what makes them fit registers, else 12 do; PREFIX; and LEVEL, the name of the table. */
#include <string.h>

#include "small.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)

/* A tile has so many vectors of columns, at most VECTORS, and so many rows, at most ROWS: EACH lists what there is. */
#ifdef WIDE
enum { VECTORS = 4, ROWS = 8 };
static const int rows_of[VECTORS] = {8, 8, 8, 6};
#define EACH(X) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) SIX(X, 4)
#else
enum { VECTORS = 2, ROWS = 8 };
static const int rows_of[VECTORS] = {8, 6};
#define EACH(X) EIGHT(X, 1) SIX(X, 2)
#endif
#define SIX(X, v) X(v, 1) X(v, 2) X(v, 3) X(v, 4) X(v, 5) X(v, 6)
#define EIGHT(X, v) SIX(X, v) X(v, 7) X(v, 8)

/* What is packed of rhs at a time fits the first cache, as does what is read as it lies by many tiles. */
enum { TERMS = 128, FEW_ROWS = 2 * ROWS, STAYS = 20 << 10 };

typedef struct {
  int64_t k, row_a, column_a, row_b, row_c;
  int64_t last; /* column of the last vector: two may overlap */
  int first;    /* else the products are added to c */
} form;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

#define T float
#define NAME(x) CAT(PREFIX, f32, x)
#include "small_impl.h"
#undef T
#undef NAME

#define T double
#define NAME(x) CAT(PREFIX, f64, x)
#include "small_impl.h"

const halo_small_level LEVEL = {CAT(PREFIX, f32, record), CAT(PREFIX, f64, record)};
