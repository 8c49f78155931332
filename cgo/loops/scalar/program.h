// program.h: programs for the register machine of backend/cpu/scalar, as other families of kernels apply them: a
// reducer, a comparator, a combiner. A program is plain bytes, which may stand in a record, at a multiple of 16.
#ifndef HALO_PROGRAM_H
#define HALO_PROGRAM_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef union {
  int64_t i;
  uint64_t u;
  double d;
  float f;
} halo_reg;

typedef struct {
  uint16_t op, d, a, b, c, e;
  int32_t imm;
} halo_instr;

// halo_stream is where a parameter comes from or a result goes: the element of the first round, and the bytes from one
// round to the next. A stride of 0 on a parameter and a result at one place makes an accumulator.
typedef struct {
  char *at;
  int64_t stride;
} halo_stream;

// halo_program heads the registers' first contents and the code.
typedef struct halo_program {
  // run runs the program n > 0 times; streams are those of the parameters and then of the results, and move on by n-1
  // strides. It returns not 0 if it ended early because *cancel was not 0.
  int (*run)(const struct halo_program *, halo_reg *, halo_stream *streams, int64_t n, const volatile uint32_t *cancel);
  int32_t registers, code, streams, poll; // poll: rounds between two looks at cancel
  int64_t bytes;                          // of it all
} halo_program;

// HALO_STACK_REGISTERS is how many registers a kernel may have on its stack; it allocates more.
enum { HALO_STACK_REGISTERS = 1024 };

static inline const halo_reg *halo_image(const halo_program *p) { return (const halo_reg *)(p + 1); }

static inline const halo_instr *halo_code(const halo_program *p) {
  return (const halo_instr *)(halo_image(p) + ((p->registers + 1) & ~1));
}

// halo_registers returns registers ready for runs, the given ones if they are enough, or NULL without memory. Registers
// are for one thread. Free them with halo_registers_free.
static inline halo_reg *halo_registers(const halo_program *p, halo_reg *stack) {
  size_t bytes = sizeof(halo_reg) * (size_t)p->registers;
  halo_reg *r = p->registers <= HALO_STACK_REGISTERS ? stack : aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  if (r)
    memcpy(r, halo_image(p), bytes);
  return r;
}

static inline void halo_registers_free(halo_reg *r, halo_reg *stack) {
  if (r != stack)
    free(r);
}

// halo_less runs a comparator: parameters 2k and 2k+1 are the elements at x[k] and y[k]. s has room for p->streams.
static inline int halo_less(const halo_program *p, halo_reg *r, halo_stream *s, char *const *x, char *const *y) {
  uint8_t less = 0;
  int n = p->streams - 1;
  static const volatile uint32_t never = 0;
  for (int k = 0; k < n; k++)
    s[k] = (halo_stream){k & 1 ? y[k / 2] : x[k / 2], 0};
  s[n] = (halo_stream){(char *)&less, 0};
  p->run(p, r, s, 1, &never);
  return less;
}

#endif
