//go:build linux

// The interpreter: each instruction jumps to the next one's code.
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "no-gcse", "fp-contract=off")

#include "call.h"
#include "number.h"
#include "ops.h"
#include "vector.h"

#include "joined.h"

#define NAME(op) #op,
#define NAME2(first, second) #first "_" #second,
static const char *const names[] = {HALO_OPS(NAME) HALO_JOINED(NAME, NAME2)};
const int halo_joined_count = sizeof names / sizeof *names;
const char *halo_op_name(int i) { return names[i]; }

#define NUMBER(op) OP_##op,
enum { HALO_OPS(NUMBER) OPS };
const int halo_ops_count = OPS;

// The loads and stores of plain numbers: the type in memory, and for loads how a register holds it.
#define HALO_LOADS(X)                                                                                                  \
  X(Load8U, uint8_t, u)                                                                                                \
  X(Load8S, int8_t, i)                                                                                                 \
  X(Load16U, uint16_t, u)                                                                                              \
  X(Load16S, int16_t, i)                                                                                               \
  X(Load32U, uint32_t, u)                                                                                              \
  X(Load32S, int32_t, i)                                                                                               \
  X(Load64, uint64_t, u)
#define HALO_STORES(X)                                                                                                 \
  X(Store8, uint8_t)                                                                                                   \
  X(Store16, uint16_t)                                                                                                 \
  X(Store32, uint32_t)                                                                                                 \
  X(Store64, uint64_t)

#define A (r[in->a])
#define B (r[in->b])
#define C (r[in->c])
#define RESULT (r[in->d])
#define E (r[in->e])
#define GO goto *labels[in->op]
#define NEXT                                                                                                           \
  in++;                                                                                                                \
  GO
#define OP(name) op_##name:
#define SET(name, field, value)                                                                                        \
  OP(name) {                                                                                                           \
    RESULT.field = (value);                                                                                            \
    NEXT;                                                                                                              \
  }
#define SETF(name, value) SET(name, f, value)
#define POLL                                                                                                           \
  if (--rounds == 0) {                                                                                                 \
    rounds = p->poll;                                                                                                  \
    if (*cancel)                                                                                                       \
      return 1;                                                                                                        \
  }
#define AGAIN(condition)                                                                                               \
  if (condition) {                                                                                                     \
    in = code + in->imm;                                                                                               \
    POLL                                                                                                               \
    GO;                                                                                                                \
  }                                                                                                                    \
  NEXT;

// load_many and store_many are n of the loads or stores op.
#define LOAD_MANY(op, T, field)                                                                                        \
  case OP_##op:                                                                                                        \
    for (int k = 0; k < n; k++) {                                                                                      \
      T v;                                                                                                             \
      memcpy(&v, at + (size_t)k * sizeof v, sizeof v);                                                                 \
      r[k].field = v;                                                                                                  \
    }                                                                                                                  \
    break;
static void load_many(halo_reg *r, const char *at, int op, int n) {
  switch (op) { HALO_LOADS(LOAD_MANY) }
}

#define STORE_MANY(op, T)                                                                                              \
  case OP_##op:                                                                                                        \
    for (int k = 0; k < n; k++) {                                                                                      \
      T v = (T)r[k].u;                                                                                                 \
      memcpy(at + (size_t)k * sizeof v, &v, sizeof v);                                                                 \
    }                                                                                                                  \
    break;
static void store_many(const halo_reg *r, char *at, int op, int n) {
  switch (op) { HALO_STORES(STORE_MANY) }
}

// load_lanes and store_lanes move n lanes; in memory they are bytes, or as lanes are.
static void load_lanes(char *lanes, const char *at, int n, int bytes) {
  if (!bytes) {
    memcpy(lanes, at, sizeof(int32_t) * (size_t)n);
    return;
  }
  for (int k = 0; k < n; k++) {
    const int32_t v = (uint8_t)at[k];
    memcpy(lanes + (size_t)k * sizeof v, &v, sizeof v);
  }
}

static void store_lanes(char *at, const char *lanes, int n, int bytes) {
  if (!bytes) {
    memcpy(at, lanes, sizeof(int32_t) * (size_t)n);
    return;
  }
  for (int k = 0; k < n; k++) {
    int32_t v;
    memcpy(&v, lanes + (size_t)k * sizeof v, sizeof v);
    at[k] = (char)v;
  }
}

static void transpose_lanes(char *lanes, const char *x, int rows, int columns) {
  int32_t *out = (int32_t *)lanes;
  const int32_t *a = (const int32_t *)x;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      out[j * rows + i] = a[i * columns + j];
}

// The functions of joined.h.
#define INTEGER(name, value)                                                                                           \
  static inline uint64_t f_##name(uint64_t x, uint64_t y) { return (uint64_t)(value); }
HALO_INTEGERS(INTEGER)
#define FLOAT(name, value)                                                                                             \
  static inline float f_##name(float x, float y) { return value; }
HALO_FLOATS(FLOAT, F)
#define DOUBLE(name, value)                                                                                            \
  static inline double f_##name(double x, double y) { return value; }
HALO_FLOATS(DOUBLE, D)
#define TEST_F(name, value)                                                                                            \
  static inline int f_##name(float x, float y) { return value; }
HALO_FLOAT_TESTS(TEST_F, F)
#define TEST_D(name, value)                                                                                            \
  static inline int f_##name(double x, double y) { return value; }
HALO_FLOAT_TESTS(TEST_D, D)

// Remainders of division by d < 2^32: m is 2^64/d, rounded up. Low bits of x*m are the quotient's fraction, which times
// d is the remainder (Lemire, Kaser, Kurz, 2019).
static inline uint64_t f_RemU32By(uint64_t x, uint64_t d, uint64_t m) {
  return (uint64_t)((unsigned __int128)(x * m) * d >> 64);
}

static inline uint64_t f_RemS32By(uint64_t x, uint64_t d, uint64_t m) {
  int64_t v = (int64_t)x;
  uint64_t rest = f_RemU32By((uint64_t)(v < 0 ? -v : v), d, m);
  return v < 0 ? 0 - rest : rest;
}

int halo_program_run(const halo_program *p, halo_reg *r, halo_stream *s, int64_t n, const volatile uint32_t *cancel) {
#define LABEL(op) &&op_##op,
#define LABEL2(first, second) &&op_##first##_##second,
  static const void *const labels[] = {HALO_OPS(LABEL) HALO_JOINED(LABEL, LABEL2)};
  const halo_instr *code = halo_code(p), *in = code;
  int32_t rounds = p->poll;
  const halo_vectors *const vectors = halo_vectors_now;
  GO;
#include "compute.h"
#include "control.h"
#include "pairs.h"
}

// The record: pieces of the rounds, each with registers of its own.
typedef struct {
  const halo_apply *a;
  halo_run *run;
} apply_task;

static void apply_piece(void *arg, int64_t piece) {
  const apply_task *t = arg;
  const halo_program *p = &t->a->program;
  const halo_apply_stream *streams = (const halo_apply_stream *)((const char *)p + p->bytes);
  halo_reg stack[HALO_STACK_REGISTERS] __attribute__((aligned(64))), *r = halo_registers(p, stack);
  halo_stream on_stack[64], *s = p->streams <= 64 ? on_stack : malloc(sizeof(halo_stream) * (size_t)p->streams);
  int64_t first = piece * t->a->grain, n = t->a->n - first;
  if (!r || !s) {
    halo_fail(t->run, "out of memory for %d registers", p->registers);
  } else {
    for (int k = 0; k < p->streams; k++)
      s[k] = (halo_stream){(char *)HALO_AT(t->run, streams[k].at) + first * streams[k].stride, streams[k].stride};
    p->run(p, r, s, n < t->a->grain ? n : t->a->grain, t->run->cancel);
  }
  if (r)
    halo_registers_free(r, stack);
  if (s != on_stack)
    free(s);
}

void halo_program_record(const halo_record *r, halo_run *run) {
  const halo_apply *a = (const halo_apply *)r;
  apply_task t = {a, run};
  if (a->n <= a->grain && a->n > 0)
    apply_piece(&t, 0);
  else if (a->n > 0)
    run->parallel(run, (a->n + a->grain - 1) / a->grain, apply_piece, &t);
}
