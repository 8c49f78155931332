/* The part of FFTW that we call: its fftw3.h, version 3.3.10. One row a function:
 *   X(name, result, (parameters), (arguments))
 * with p the prefix of a precision and T its type; complex numbers are T[2]. The list makes the table and the calls, so
 * it is the only place to edit. scripts/check-headers.sh compares with the vendor's header. */
#ifndef HALO_FFTW_H
#define HALO_FFTW_H

#include <stddef.h>

#include "../loops/run/record.h"

typedef struct {
  ptrdiff_t n, is, os;
} halo_fftw_dim;

#define FFTW_PRECISION(X, p, T) \
  X(p##_plan_guru64_dft, void *, (int rank, const halo_fftw_dim *dims, int many_rank, const halo_fftw_dim *many, \
      T (*in)[2], T (*out)[2], int sign, unsigned flags), (rank, dims, many_rank, many, in, out, sign, flags)) \
  X(p##_plan_guru64_dft_r2c, void *, (int rank, const halo_fftw_dim *dims, int many_rank, \
      const halo_fftw_dim *many, T *in, T (*out)[2], unsigned flags), (rank, dims, many_rank, many, in, out, flags)) \
  X(p##_plan_guru64_dft_c2r, void *, (int rank, const halo_fftw_dim *dims, int many_rank, \
      const halo_fftw_dim *many, T (*in)[2], T *out, unsigned flags), (rank, dims, many_rank, many, in, out, flags)) \
  X(p##_execute_dft, void, (void *plan, T (*in)[2], T (*out)[2]), (plan, in, out)) \
  X(p##_execute_dft_r2c, void, (void *plan, T *in, T (*out)[2]), (plan, in, out)) \
  X(p##_execute_dft_c2r, void, (void *plan, T (*in)[2], T *out), (plan, in, out)) \
  X(p##_alignment_of, int, (T *p), (p)) \
  X(p##_set_timelimit, void, (double seconds), (seconds)) \
  X(p##_export_wisdom_to_filename, int, (const char *file), (file)) \
  X(p##_import_wisdom_from_filename, int, (const char *file), (file))

#define FFTW_LIST(X) FFTW_PRECISION(X, fftwf, float) FFTW_PRECISION(X, fftw, double)

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  FFTW_LIST(FIELD)
} fftw_table;
#undef FIELD

extern fftw_table halo_fftw;

enum { FFTW_FORWARD_KIND, FFTW_BACKWARD_KIND, FFTW_R2C_KIND, FFTW_C2R_KIND };

// Rows of n numbers in time, from one array of contiguous rows to another.
typedef struct {
  int64_t wide, kind, n, rows;
} fftw_problem;

// halo_fftw_load fills in the table of one precision. It returns the name of what is missing, or null.
const char *halo_fftw_load(void *lib, int wide);

// halo_fftw_plan plans on memory of its own, with seconds to measure in, 0 for an estimate. It returns null if there is
// no memory or no plan. One at a time: the planner is not thread-safe.
void *halo_fftw_plan(const fftw_problem *p, int unaligned, double seconds);

int halo_fftw_export(int wide, const char *file);
int halo_fftw_import(int wide, const char *file);

// The record: tasks transform chunk rows each, the last one those that are left. Plans are for aligned arrays and for
// any.
typedef struct {
  halo_record head;
  halo_ref dst, src;
  fftw_problem whole;
  int64_t tasks, chunk;
  void *plans[2], *last[2];
  double scale; // 1 for none
} fftw_record;

void halo_fftw_record(const halo_record *, halo_run *);

#endif
