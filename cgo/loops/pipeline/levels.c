//go:build linux

// levels.c: what there is at each instruction set.
#include "streams.h"

// The parts of a level: how wide its vectors are, and what it brings for lanes of 1, 2, 4 and 8 bytes.
typedef struct {
  int32_t bytes;
  const halo_lanes *lanes[4];
  const halo_converters *converters[4];
  const halo_gather *gathers;
} level;

#define LEVEL(name, bytes)                                                                                             \
  {                                                                                                                    \
    bytes, {&halo_lanes8_##name, 0, &halo_lanes32_##name, &halo_lanes64_##name},                                       \
        {&halo_converters32_##name, 0, &halo_converters32_##name, &halo_converters64_##name}, halo_gathers_##name      \
  }

static const level levels[] = { // in the order of run.ISA
    LEVEL(base, 16),
#if defined(__x86_64__)
    LEVEL(avx2, 32),
    LEVEL(avx512, 64),
#elif defined(__aarch64__)
    {0},
    {0},
    LEVEL(neon, 16),
#endif
};

static const level *level_of(int32_t i) {
  return i >= 0 && i < (int32_t)(sizeof levels / sizeof *levels) && levels[i].bytes ? &levels[i] : 0;
}

// The stages, with how many of their operands may be one lane.
static const struct {
  const char *name;
  int32_t spreads;
} stage_list[] = {
#define STAGE(name, spreads) {#name, spreads},
#define UNARY(name, e) STAGE(name, 0)
#define BINARY(name, e) STAGE(name, 1)
#define EXTREME BINARY
#define TERNARY(name, e) STAGE(name, 0)
#define CHOICE(name) STAGE(where_##name, 0) STAGE(unless_##name, 0)
#define SCALED(name, e) STAGE(name, 0) STAGE(name##_k, 0)
#define ARRAY1(name, T, e) STAGE(name, 0)
#define ARRAY2(name, T, e) STAGE(name, 0)
#define STORE(name) STAGE(name, 0)
#define MIX(name) STAGE(name, 0)
#define INTO(name) STAGE(name, 0)
#define QUOTIENT(name) STAGE(name, 2)
#define STREAM(name) STAGE(name, 0)
#define END(name) STAGE(name, 0)
#define CONVERT(name, T, load, store) STAGE(load_##name, 0) STAGE(store_##name, 0) STAGE(stream_##name, 0)
#define ROUNDED_STORE(name) STAGE(store_##name, 0) STAGE(stream_##name, 0)
#define COMPLEX(name) CONVERT(name, , , )
#define PAIR1(name, re, im) STAGE(name, 0)
#define PAIR2 PAIR1
#define CHOOSE_PAIR(name) STAGE(name, 0)
#define SPLIT(name) STAGE(name, 0)
#define PARTIAL(name, T, load, store)
#define PART(name, T, first, load, store)
#define MATH1(name, fv, fs) STAGE(name, 0)
#define POWER(name, fv, dv, fs) STAGE(name, 0)
#define FAST1(name, fv, dv, fs) STAGE(name, 0)
#define FAST2(name, fv, dv, fs) STAGE(name, 0)
#define BOTH1(name, fv, dv, ev, fs) STAGE(name, 0)
#define BOTHL(name, fv, dv, ev, fs) STAGE(name, 0)
#define BOTHN BOTHL
#define FASTN FAST1
#define EVERY1(name, fv, dv, ev, fs) STAGE(name, 0)
#define PARTS1(name) STAGE(c_##name, 0)
#define PARTS2 PARTS1
#define REDUCE(name, e, none) STAGE(acc_##name, 0)
#define CHOOSE REDUCE
#include "stages.def"
#include "reducers.def"
#include "memory.def"
#define SWEEP(name) STAGE(name, 0)
#define SWEEP32 SWEEP
#include "sweeps.def"
#define CALL(name) STAGE(call_##name, 0)
#define CALL32 CALL
#include "calls.def"
};

static const char *const reducer_names[] = {
#undef REDUCE
#define REDUCE(name, e, none) #name,
#include "reducers.def"
};

static const char *const convert_names[] = {
    "",
#undef CONVERT
#undef PARTIAL
#undef PART
#define CONVERT(name, T, load, store) #name,
#define PARTIAL CONVERT
#undef ROUNDED_STORE
#define ROUNDED_STORE(name)
#undef COMPLEX
#define COMPLEX(name)
#define PART(name, T, first, load, store) #name,
#include "memory.def"
};

int32_t halo_stage_count(void) { return sizeof stage_list / sizeof *stage_list; }
const char *halo_stage_name(int32_t i) { return stage_list[i].name; }
int32_t halo_stage_spreads(int32_t i) { return stage_list[i].spreads; }
int32_t halo_convert_count(void) { return sizeof convert_names / sizeof *convert_names; }
const char *halo_convert_name(int32_t i) { return convert_names[i]; }

void *halo_stage_function(int32_t isa, int32_t lane, int32_t i) {
  const level *l = level_of(isa);
  const halo_lanes *lanes = l ? l->lanes[__builtin_ctz(lane)] : 0;
  return lanes && i < lanes->count ? (void *)lanes->stages[i] : 0;
}

int32_t halo_reducer_count(void) { return sizeof reducer_names / sizeof *reducer_names; }
const char *halo_reducer_name(int32_t i) { return reducer_names[i]; }

halo_space halo_space_of(const halo_run *run, int32_t isa, int32_t lane, int32_t rank, const int64_t *dims) {
  const level *l = level_of(isa);
  const int32_t i = __builtin_ctz(lane);
  return (halo_space){
      run, l->lanes[i], l->converters[i], l->gathers, 8 * l->bytes / lane, 8 * l->bytes, dims, rank, lane};
}
