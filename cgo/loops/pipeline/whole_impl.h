// whole_impl.h: the stages of whole.def for the level and lane of lanes.h: all that such narrow lanes have.
#include "lanes.h"

#include "products.h"

#include "forms.h"

#include "whole.def"

#include "entries.h"

static void (*const table[])(void) = {
#include "whole.def"
};

#include "ends.h"

static const halo_way ways[] = {{(void (*)(void))s_store, (void (*)(void))s_stream}, {0}};

const halo_lanes CAT3(halo_lanes, LANE, LEVEL) = {table, sizeof table / sizeof *table, 0, blocks, fill, part,
    give, ways};
