/* Functions of records of matrix products: see ../loops/gemm/blas.h. Sizes and strides fit 32 bits. */
#ifndef HALO_OPENBLAS_RECORD_H
#define HALO_OPENBLAS_RECORD_H

#include "../loops/run/record.h"

void halo_openblas_cgemm(const halo_record *r, halo_run *run);
void halo_openblas_zgemm(const halo_record *r, halo_run *run);

#endif
