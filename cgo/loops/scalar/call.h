// call.h: the functions that programs call, and the names of all that a program can have.
#ifndef HALO_CALL_H
#define HALO_CALL_H

#include "../run/record.h"
#include "program.h"

typedef struct {
  const char *name;
  double (*f)(double, double);
} halo_call;

extern const halo_call halo_calls[];
extern const int halo_calls_count;
const char *halo_op_name(int i);
const char *halo_call_name(int i);
extern const int halo_ops_count, halo_joined_count; // those of joined.h stand behind the others

// halo_program_run is the interpreter, of the type of halo_program.run.
int halo_program_run(const halo_program *, halo_reg *, halo_stream *, int64_t n, const volatile uint32_t *cancel);

// halo_program_record runs a program: the record is a halo_apply.
void halo_program_record(const halo_record *r, halo_run *run);

// halo_apply is a record: n rounds in pieces of grain rounds, which may run at once if they write to different places.
// The streams' places and strides stand behind the program.
typedef struct {
  halo_ref at;
  int64_t stride;
} halo_apply_stream;

typedef struct {
  halo_record head;
  int64_t n, grain;
  halo_program program;
} halo_apply;

#endif
