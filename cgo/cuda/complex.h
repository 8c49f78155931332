/* Complex numbers as CUDA's libraries take them. Where scripts/check-headers.sh includes the vendor's headers, which
 * come first, they are the vendor's own types. */
#ifndef HALO_CUDA_COMPLEX_H
#define HALO_CUDA_COMPLEX_H

#if defined(CUBLAS_VER_MAJOR) || defined(CUSOLVER_VER_MAJOR) || defined(CUFFT_VER_MAJOR)
typedef cuComplex halo_c64;
typedef cuDoubleComplex halo_c128;
#else
typedef struct {
  float re, im;
} halo_c64;
typedef struct {
  double re, im;
} halo_c128;
#endif

#endif
