// exact.h: functions of one complex number, for what vectors of them leave: infinities and NaN, parts far beyond 1 or
// far below it, and what cancels. x and y are the parts of the argument and become those of the value.
#ifndef HALO_EXACT_H
#define HALO_EXACT_H

void halo_exact_exp(double *x, double *y);
void halo_exact_log(double *x, double *y);
void halo_exact_sqrt(double *x, double *y);
void halo_exact_rsqrt(double *x, double *y);
void halo_exact_log1p(double *x, double *y);
void halo_exact_sin(double *x, double *y);
void halo_exact_cos(double *x, double *y);
void halo_exact_tan(double *x, double *y);
void halo_exact_sinh(double *x, double *y);
void halo_exact_cosh(double *x, double *y);
void halo_exact_tanh(double *x, double *y);
void halo_exact_sign(double *x, double *y);
void halo_exact_expm1(double *x, double *y);
void halo_exact_logistic(double *x, double *y);
void halo_exact_divide(double *x, double *y, double c, double d); // by c + di

#endif
