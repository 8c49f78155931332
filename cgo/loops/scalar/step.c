//go:build linux

// What machine code of a program calls: functions, instructions on vectors, and one instruction by the interpreter.
#include "step.h"

#include "call.h"
#include "vector.h"

// halo_program_step runs one instruction that does not jump.
void halo_program_step(const halo_instr *in, halo_reg *r, halo_stream *s) {
  static const volatile uint32_t never = 0;
  struct {
    halo_program head;
    halo_instr code[2];
  } one = {{halo_program_run, 0, 2, 0, 1, sizeof one}, {*in}};
  halo_program_run(&one.head, r, s, 1, &never);
}

uintptr_t halo_program_stepper(void) { return (uintptr_t)halo_program_step; }

uintptr_t halo_program_copier(void) { return (uintptr_t)memmove; }

// halo_program_function is function number i of those that programs call.
uintptr_t halo_program_function(int i) { return (uintptr_t)halo_calls[i].f; }

// halo_vectors_function is the instruction number op on vectors, of the level that was chosen.
uintptr_t halo_vectors_function(int op) { return (uintptr_t)halo_vectors_now->each[op]; }

// halo_vectors_folder is the one that makes one number of all lanes.
uintptr_t halo_vectors_folder(int op) { return (uintptr_t)halo_vectors_now->folds[op]; }
