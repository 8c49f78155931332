// level_impl.h: the loops for one ISA level, which the including file names LEVEL; vectors have VB bytes.
#include "level.h"
#include "strands.h"

#include "bags_impl.h"
#include "blend_impl.h"
#include "lines_impl.h"
#include "part_impl.h"
#include "places_impl.h"
#include "take_impl.h"

const index_level LEVEL = {places, widen, within, PART, bag, blend, blend_lanes, TASK_STRANDS, LINES, TAKES_TABLE};
