// pipeline.h: programs of the fused register pipeline.
//
// A program runs over the places of a space in blocks of as many elements as eight vectors hold. A block goes through
// the program's stages: each is a function that takes the eight vectors in registers, computes and calls the next with
// them. Other operands lie in memory: streams, whose pointers move from block to block, and blocks of scratch memory
// (spilled values, constants, and what had to be gathered or converted), which stay in the nearest cache.
//
// All values of a program have lanes of 32 bits, or all have 64, or 8 if there are bytes and predicates only. Narrower
// types are converted when a block is loaded or stored, and rounded or wrapped by stages in between. Predicates are
// masks.
#ifndef HALO_PIPELINE_H
#define HALO_PIPELINE_H

#include "../run/record.h"

enum { HALO_MAX_RANK = 8, HALO_MAX_POINTERS = 240, HALO_MAX_ASKS = 4 };
enum { HALO_MAX_CYCLES = 4, HALO_CYCLE_BYTES = 8 << 10 }; // of a task, on the stack

// halo_stage is one step: a function of stages.def at some level, and up to two operands: numbers of pointers, or a
// small number such as a shift; further pointers are in a above 8 and 16 bits, and in b above 8. A jump from one
// to the next takes about as long as five vector operations, so that what begins with a load or ends the program needs
// no stage for that.
typedef struct halo_stage {
  void (*fn)(void);
  int32_t a;
  int16_t b;
  uint8_t from; // 1 more than the number of the pointer at what the registers hold first; 0: what they held before
  uint8_t flags;
} halo_stage;

enum {
  HALO_LAST = 1,  // the program ends here, not with the stage end; for stages that leave something in memory
  HALO_SPREAD = 2, // a is a pointer to one lane, which stands for all; for stages of halo_stage_spreads
  HALO_PAST = 4    // it stores past the caches
};

// halo_made is a function made of stages, which runs so many elements: whole blocks are, or fewer.
typedef void (*halo_made)(char *const *p, int64_t elements);

// halo_made_of is the one that stores as the last stages before end do, so many, into the caches or past them; null:
// some store one way and some the other.
static inline halo_made halo_made_of(halo_made plain, halo_made past, const halo_stage *end, int32_t stores) {
  int32_t n = 0;
  for (int32_t i = 1; i <= stores; i++)
    n += end[-i].flags / HALO_PAST;
  return !n ? plain : n == stores ? past : 0;
}

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
  int32_t by_row; // it has an element for each row, not for each place
  int32_t one;    // an element for all places, of which all stages read one lane
} halo_stream;

// halo_edge is the ends of rows that a program writes only to have them overwritten: its output's first element is
// place at of a row of so many elements, and low of them at the beginning and high at the end become that of value.
typedef struct {
  halo_ref value;
  int64_t at, row, low, high; // row: 0 if there is no edge
} halo_edge;

typedef struct {
  halo_record head;
  halo_edge edge;
  int64_t elements, task; // of the space; of a task, whole blocks
  int64_t dims[HALO_MAX_RANK];
  int32_t rank, level, lane; // lane: bytes
  int32_t streams, outputs, slots, stages;
  int32_t made; // the stages begin with functions made of the others
  // streams, outputs of them at the end, and stages follow
} halo_pipeline_record;

void halo_pipeline(const halo_record *, halo_run *);

// halo_short is halo_pipeline for a few blocks without an edge.
void halo_short(const halo_record *, halo_run *);

// halo_stage_count is how many stages there are, halo_stage_name their names, halo_stage_function the function of a
// stage, null if this build has no such level, or such lanes no such stage.
int32_t halo_stage_count(void);
const char *halo_stage_name(int32_t i);
// halo_stage_spreads is how many of its operands may be one lane: the first if it is told so, or both, which then are.
int32_t halo_stage_spreads(int32_t i);
void *halo_stage_function(int32_t level, int32_t lane, int32_t i);
// halo_convert_count and halo_convert_name are those of memory.def.
int32_t halo_convert_count(void);
const char *halo_convert_name(int32_t i);
// halo_reducer_count and halo_reducer_name are those of reducers.def.
int32_t halo_reducer_count(void);
const char *halo_reducer_name(int32_t i);

// halo_reducer works on accumulators, which are the first vector of a block.
typedef struct {
  void (*clear)(char *acc);                    // makes all lanes such that they change nothing
  void (*join)(char *acc, const char *other);  // lane by lane
  void (*fold)(char *acc, char *to, int64_t t); // puts what all come to, as a tree, into lane t of block to; clears
} halo_reducer;

// halo_loop says how the stages go on when they have run on a block: pointers move and the first stage runs again. What
// is asked for ahead comes into the cache meanwhile. Pointer number HALO_LOOP is the loop's address.
typedef struct {
  const halo_stage *first;
  int64_t left;              // blocks, the one that runs counted
  int64_t bytes;             // that pointers move
  const int32_t *moved;      // their numbers
  int32_t moves, asks;       // how many
  const int32_t *narrow;     // the numbers of pointers at elements that stages convert
  const int32_t *narrow_bytes;
  int64_t narrows;
  const char *ask[HALO_MAX_ASKS];
  int64_t ask_bytes[HALO_MAX_ASKS]; // for each block
} halo_loop;
enum { HALO_LOOP = HALO_MAX_POINTERS, HALO_POINTERS };

// HALO_KEPT_ROWS is how many rows of lanes are kept that are made of other elements: those in the making, and so many
// that it is a power of 2.
enum { HALO_KEPT_ROWS = 4 };

// halo_staggered is rows that go through all phases of a program in one loop, by a function at the end of sweeps.def.
typedef struct {
  const char *in;   // the rows, one after the other
  char *out, *rooms; // rooms: for rows, each a block longer
  int64_t reads, makes; // the bits of a row's number that say where it is read and made: all, or those of rows kept
  void (*widen)(const void *of, int64_t row, char *lanes);  // makes lanes of a row before it is read; null: none
  void (*narrow)(const void *of, int64_t row, char *lanes); // makes elements of one that was made
  int64_t rows, blocks, rest; // whole blocks of a row, and the bytes behind them
  int past;         // results go past the caches
  const volatile uint32_t *cancel;
  const char *scale, *offset; // norm: vectors as long as a row
  uint64_t factor;            // softmax: of the elements, or their divisor
  int32_t divides, refuses;   // softmax: whether it is; whether other takes an element's place where there is a choice
  uint64_t other;             // softmax: what takes the place of those that are not chosen
  const char *(*beside)(const void *of, int64_t row); // softmax: where choices or addends of a row are
  const void *of;                                     // what these functions take
  uint64_t count, epsilon;    // norm: the count of a row's elements, or its inverse; what is added to the variance
  uint64_t init, start;       // least, most: an element before all, and the place of that
} halo_staggered;

// halo_way is the two stages that leave a block in memory; the one past the caches is another.
typedef struct {
  void (*store)(void), (*stream)(void);
} halo_way;

// What each level and lane brings. The ways end with one of none. Lanes of 8 bits have the first stages only, and
// neither reducers nor conversions.
typedef struct {
  void (*const *stages)(void);
  int32_t count; // of stages: those with lower numbers
  const halo_reducer *reducers;
  void (*blocks)(char *const *p);                     // runs the stages of the loop on its blocks
  void (*fill)(char *room, const void *lane);         // makes all lanes of a block one
  void (*part)(char *room, const char *from, int64_t bytes); // begins a block with bytes, and with zeros behind them
  void (*give)(char *to, const char *room, int64_t bytes);   // copies what a block begins with
  const halo_way *ways;
} halo_lanes;

typedef void (*halo_converter)(void *dst, const void *src, const halo_stream *s, int64_t n);
typedef struct {
  const halo_converter *load, *store;
} halo_converters;

// halo_gather loads m elements of a stream that walks from where that is on.
struct halo_space;
struct halo_walk;
typedef void (*halo_gather)(const struct halo_space *, const halo_stream *, const char *base, struct halo_walk *,
                            int64_t m, char *dst);

#define HALO_LEVEL(level)                                                                                              \
  extern const halo_gather halo_gathers_##level[];                                                                     \
  extern const halo_lanes halo_lanes8_##level, halo_lanes32_##level, halo_lanes64_##level;                             \
  extern const halo_converters halo_converters32_##level, halo_converters64_##level;
HALO_LEVEL(base)
HALO_LEVEL(avx2)
HALO_LEVEL(avx512)
HALO_LEVEL(neon)
#undef HALO_LEVEL

#endif
