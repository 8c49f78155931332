// The loops of one ISA level: the including file sets LEVEL, the table's name, and LANES32 and LANES64, and
// VB, the bytes of its vectors.
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#define T float
#define LANES LANES32
#define NAME(x) x##_f32
#include "butterfly_impl.h"
#include "passes_impl.h"
#include "square_impl.h"
#include "line_impl.h"
#include "past.h"
#include "phases_impl.h"
#include "columns_impl.h"
#undef T
#undef LANES
#undef NAME
#define T double
#define LANES LANES64
#define NAME(x) x##_f64
#include "butterfly_impl.h"
#include "passes_impl.h"
#include "square_impl.h"
#include "line_impl.h"
#include "phases_impl.h"
#include "columns_impl.h"

const swift_loops LEVEL[2] = {
    {columns_f32, short_lines_f32, lines_f32, part_f32, parts_f32, LANES32},
    {columns_f64, short_lines_f64, lines_f64, part_f64, parts_f64, LANES64},
};
