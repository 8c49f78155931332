/* The kernels of one instruction set for floats. The including file defines VB, bytes of a vector; ROWS, rows of a
 * tile; PREFIX; LEVEL, the name of the table; and FROM_F16(from) and TO_F16(to, v) for a vector of f16, if there are
 * instructions. A tile's sums, two vectors a row, fit registers. */
#include <string.h>

#include "packed.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)
#include "../run/half.h"

/* The places of so many rows are in registers, of others in memory: with more the compiler keeps some in those of
 * vectors, from where they come by what multiplies, too. */
enum { PANEL, RUNS, APART, NEAREST = 8 };

/* So many terms are added in a round of a tile's loop. Four leave 21 instructions a term to vectors of 32 bytes, two
 * and requests for panels, which processors see coming, were 25: a core that another thread shares begins three a
 * cycle, and what multiplies takes six. */
enum { TOGETHER = VB == 32 ? 4 : 1 };

/* MULTIPLY_ADD(s, x, y) adds x y to s. The compiler would have sums go from register to register. */
#if VB == 32
#define MULTIPLY_ADD(s, x, y)                                       \
  do {                                                              \
    if (sizeof(T) == 4)                                             \
      __asm__("vfmadd231ps %2, %1, %0" : "+x"(s) : "x"(x), "x"(y)); \
    else                                                            \
      __asm__("vfmadd231pd %2, %1, %0" : "+x"(s) : "x"(x), "x"(y)); \
  } while (0)
#else
#define MULTIPLY_ADD(s, x, y) s += x * y
#endif

/* Whether rows of a tile that do not all count are stored as vectors: with few rows that is often so. */
enum { PARTED = VB == 32 };

/* So many tiles a block has at most, if there are blocks, so many rows those have that have few, so many words a short
 * sum has at most, and so many bytes further with each word are asked for. */
#if VB == 32
enum { BLOCK = 4, FEW = 4, SHORT = 64, ASKED = 3 * 64 / 4 };
#define BLOCKS
#define BY_BLOCK(sum) CAT(PREFIX, sum, block)
#else
#define BY_BLOCK(sum) 0
#endif

#define T float
#define NAME(x) CAT(PREFIX, f32, x)
#include "packed_impl.h"
#undef T
#undef NAME
#define T double
#define NAME(x) CAT(PREFIX, f64, x)
#include "packed_impl.h"
#undef T
#undef NAME

#include "widen.h"

#define SAME(v) (v)
#define TERMS 1
#define COLUMNS (2 * VB / (int)sizeof(T))
#define WORD(from, term, terms) CONVERT(*(const S *)(from))
#define ALONG(to, from, term, terms, lines, width) NAME(along)(to, from, width)

#define T float
#define S float
#define CONVERT SAME
#define VECTOR(from) *(const NAME(anywhere) *)(from)
#define NAME(x) CAT(PREFIX, pack_f32, x)
#include "packed_pack.h"
#undef NAME
#undef S
#undef T

#define T double
#define S double
#define NAME(x) CAT(PREFIX, pack_f64, x)
#include "packed_pack.h"
#undef NAME
#undef VECTOR
#undef S
#undef T

#define T float
#define S _Float16
#define VECTOR(from) (vec)FROM_F16(from)
#define NAME(x) CAT(PREFIX, pack_f16, x)
#include "packed_pack.h"
#undef NAME
#undef VECTOR
#undef CONVERT
#undef S

#define S uint16_t
#define CONVERT from_bf16
#define VECTOR(from) (vec)CAT(PREFIX, bf16, vector)(from)
#define NAME(x) CAT(PREFIX, pack_bf16, x)
#include "packed_pack.h"
#undef T

static void CAT(PREFIX, to, f16)(void *to, const void *from, int64_t row_to, int64_t row_from, int64_t rows,
                                 int64_t columns) {
  for (int64_t i = 0; i < rows; i++) {
    _Float16 *d = (_Float16 *)to + i * row_to;
    const float *s = (const float *)from + i * row_from;
    int64_t j = 0;
#ifdef TO_F16
    for (; j + VB / 4 <= columns; j += VB / 4) TO_F16(d + j, s + j);
#endif
    for (; j < columns; j++) d[j] = (_Float16)s[j];
  }
}

static void CAT(PREFIX, to, bf16)(void *to, const void *from, int64_t row_to, int64_t row_from, int64_t rows,
                                  int64_t columns) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      ((uint16_t *)to)[i * row_to + j] = to_bf16(((const float *)from)[i * row_from + j]);
}

#define KERNEL(type, element, sum, bytes, ...)                                                  \
  {element, bytes, 1, ROWS, 2 * VB / bytes, CAT(PREFIX, pack_##type, pack_rows),                \
   CAT(PREFIX, pack_##type, pack_columns), 0, CAT(PREFIX, sum, tile), {0, __VA_ARGS__},         \
   element == bytes ? CAT(PREFIX, sum, near) : 0, element == bytes ? CAT(PREFIX, sum, runs) : 0,  \
   element == bytes ? BY_BLOCK(sum) : 0}
#define ROUND CAT(PREFIX, to, f16), CAT(PREFIX, to, bf16)

const halo_packed_kernel LEVEL[PACKED_FLOATS] = {KERNEL(f32, 4, f32, 4, ROUND), KERNEL(f64, 8, f64, 8, 0),
                                                 KERNEL(f16, 2, f32, 4, ROUND), KERNEL(bf16, 2, f32, 4, ROUND)};
