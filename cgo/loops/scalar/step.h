// step.h: what machine code of a program calls.
#ifndef HALO_STEP_H
#define HALO_STEP_H

#include "program.h"

void halo_program_step(const halo_instr *, halo_reg *, halo_stream *);
uintptr_t halo_program_stepper(void);
uintptr_t halo_program_copier(void);
uintptr_t halo_program_function(int i);
uintptr_t halo_vectors_function(int op);
uintptr_t halo_vectors_folder(int op);

#endif
