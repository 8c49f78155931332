/* What the kernels of AVX-512 have alike whose words are several terms. The including file defines TERMS, how many; S,
 * the type of elements in memory; and NAME; then functions word and along, and includes packed_pack.h. */
#include <immintrin.h>
#include <string.h>

#include "packed.h"

#define INLINE static inline __attribute__((always_inline))
#define VB 64
#define ROWS 12
#define COLUMNS 32
#define T int32_t
#define VECTOR(from) *(const NAME(anywhere) *)(from)
#define WORD(from, term, terms) word(from, term, terms)
#define ALONG(to, from, term, terms, lines, width) along(to, from, term, terms, lines, width)
