// pipeline.h: programs of the fused register pipeline.
//
// A program runs over the places of a space in blocks of as many elements as eight vectors hold. A block goes through
// the program's stages: each is a function that takes the eight vectors in registers, computes and calls the next with
// them. Other operands lie in memory: streams, whose pointers move from block to block, and blocks of scratch memory
// (spilled values, constants, and what had to be gathered or converted), which stay in the nearest cache.
//
// All values of a program have lanes of 32 bits, or all have 64. Narrower types are converted when a block is loaded or
// stored, and rounded or wrapped by stages in between. Predicates are masks.
#ifndef HALO_PIPELINE_H
#define HALO_PIPELINE_H

#include "../run/record.h"

enum { HALO_MAX_RANK = 8, HALO_MAX_POINTERS = 240 };

// halo_stage is one step: a function of stages.def at some level, and up to two operands: numbers of pointers, or a
// small number such as a shift.
typedef struct halo_stage {
  void (*fn)(void);
  int32_t a, b;
} halo_stage;

// Kinds of streams.
enum { HALO_LINEAR, HALO_STRIDED, HALO_ROWWISE, HALO_SPLAT, HALO_IOTA, HALO_IMMEDIATE };

// halo_stream is an operand that a program reads, or writes if it is one of the outputs. Pointer number k is that of
// stream k; those of spill slots follow.
typedef struct {
  halo_ref ref;
  int32_t kind;
  int32_t size;    // bytes of an element in memory
  int32_t convert; // how elements become lanes, a number of memory.def; 0: they are lanes
  int32_t bits;    // of narrow integers
  int64_t offset;  // of the first element, in elements
  int64_t strides[HALO_MAX_RANK];
  uint64_t value; // of an immediate, as a lane
  int64_t by_row; // it has an element for each row, not for each place
} halo_stream;

typedef struct {
  halo_record head;
  int64_t elements, task; // of the space; of a task, whole blocks
  int64_t dims[HALO_MAX_RANK];
  int32_t rank, level, lane; // lane: bytes
  int32_t streams, outputs, slots, stages;
  int32_t pad;
  // streams, outputs of them at the end, and stages follow
} halo_pipeline_record;

void halo_pipeline(const halo_record *, halo_run *);

// halo_stage_count is how many stages there are, halo_stage_name their names, halo_stage_function the function of a
// stage, null if this build has no such level.
int32_t halo_stage_count(void);
const char *halo_stage_name(int32_t i);
void *halo_stage_function(int32_t level, int32_t lane, int32_t i);
// halo_convert_count and halo_convert_name are those of memory.def.
int32_t halo_convert_count(void);
const char *halo_convert_name(int32_t i);
// halo_reducer_count and halo_reducer_name are those of reducers.def.
int32_t halo_reducer_count(void);
const char *halo_reducer_name(int32_t i);

// halo_reducer works on blocks.
typedef struct {
  void (*clear)(char *acc);                   // makes all lanes such that they change nothing
  void (*join)(char *acc, const char *other); // lane by lane
  void (*fold)(char *acc);                    // reduces all lanes to the first, as a tree
} halo_reducer;

// What each level and lane brings.
typedef struct {
  void (*const *stages)(void);
  const halo_reducer *reducers;
  void (*block)(char *const *p, const halo_stage *s); // runs the stages on one block
  void (*fill)(char *room, const void *lane);         // makes all lanes of a block one
  void (*store)(void), (*stream)(void);               // the two stages that leave a block in memory
} halo_lanes;

typedef void (*halo_converter)(void *dst, const void *src, const halo_stream *s, int64_t n);
typedef struct {
  const halo_converter *load, *store;
} halo_converters;

#define HALO_LEVEL(level)                                                                                              \
  extern const halo_lanes halo_lanes32_##level, halo_lanes64_##level;                                                  \
  extern const halo_converters halo_converters32_##level, halo_converters64_##level;
HALO_LEVEL(base)
HALO_LEVEL(avx2)
HALO_LEVEL(avx512)
HALO_LEVEL(neon)
#undef HALO_LEVEL

#endif
