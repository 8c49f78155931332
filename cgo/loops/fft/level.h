// The loops of one ISA level: the including file sets LEVEL, the table's name, and LANES32 and LANES64.
#define T float
#define LANES LANES32
#define NAME(x) x##_f32
#include "fft_impl.h"
#include "real_impl.h"
#include "lines_impl.h"
#undef T
#undef LANES
#undef NAME
#define T double
#define LANES LANES64
#define NAME(x) x##_f64
#include "fft_impl.h"
#include "real_impl.h"
#include "lines_impl.h"

const fft_table LEVEL = {lines_f32, lines_f64, LANES32, LANES64};
