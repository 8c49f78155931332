// exact.h: functions of one complex number, for what vectors of them leave: infinities and NaN, parts far beyond 1 or
// far below it, and what cancels. x and y are the parts of the argument and become those of the value.
#ifndef HALO_EXACT_H
#define HALO_EXACT_H

void halo_exact_exp(double *x, double *y);
void halo_exact_log(double *x, double *y);
void halo_exact_sqrt(double *x, double *y);
void halo_exact_rsqrt(double *x, double *y);
void halo_exact_divide(double *x, double *y, double c, double d); // by c + di

#endif
