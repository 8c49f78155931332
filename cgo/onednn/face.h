/* One face for both versions of oneDNN: a spec says what to compute, a primitive computes it. */
#ifndef HALO_ONEDNN_FACE_H
#define HALO_ONEDNN_FACE_H

#include "../loops/run/record.h"

enum {
  HALO_DNNL_MATMUL, HALO_DNNL_CONVOLUTION, HALO_DNNL_DECONVOLUTION, HALO_DNNL_WEIGHT_GRADIENT, HALO_DNNL_KINDS
};
enum { /* post-ops */
  HALO_DNNL_SUM, HALO_DNNL_ADD, HALO_DNNL_MULTIPLY, /* with an operand each but the sum */
  HALO_DNNL_RELU, HALO_DNNL_CLIP, HALO_DNNL_GELU_ERF, HALO_DNNL_GELU_TANH, HALO_DNNL_TANH, HALO_DNNL_LOGISTIC,
  HALO_DNNL_SWISH, HALO_DNNL_POSTS
};
enum { HALO_DNNL_MAX_POSTS = 6, HALO_DNNL_MAX_DIMS = 8 };

/* halo_dnnl_array is an array: no dimensions if there is none, strides in elements. any: the library picks a layout. */
typedef struct {
  int32_t ndims;
  uint32_t type;
  int32_t any, pad;
  int64_t dims[HALO_DNNL_MAX_DIMS], strides[HALO_DNNL_MAX_DIMS];
} halo_dnnl_array;

typedef struct {
  int32_t kind;
  float alpha, beta;
  int32_t pad;
  halo_dnnl_array operand; /* of HALO_DNNL_ADD and HALO_DNNL_MULTIPLY */
} halo_dnnl_post;

/* halo_dnnl_spec is all that a primitive depends on. Windows have a number for each spatial dimension; a dilation of 0
 * is none, as oneDNN counts. */
typedef struct {
  int32_t kind, posts;
  halo_dnnl_array src, weights, bias, dst;
  int64_t strides[HALO_DNNL_MAX_DIMS], dilates[HALO_DNNL_MAX_DIMS];
  int64_t low[HALO_DNNL_MAX_DIMS], high[HALO_DNNL_MAX_DIMS];
  halo_dnnl_post post[HALO_DNNL_MAX_POSTS];
} halo_dnnl_spec;

typedef struct halo_dnnl halo_dnnl;

/* halo_dnnl_open takes an open library of a major version. It returns what is missing, or 0. set_threads is
 * omp_set_num_threads of the OpenMP that the library uses. */
const char *halo_dnnl_open(void *lib, int major, void (*set_threads)(int));
const char *halo_dnnl_version_text(void);
unsigned halo_dnnl_isa(void);

/* halo_dnnl_create makes a primitive. Its weights have the layout of like's if like is not 0. It returns why there is
 * none, or 0. */
const char *halo_dnnl_create(const halo_dnnl_spec *spec, const halo_dnnl *like, halo_dnnl **out);
void halo_dnnl_destroy(halo_dnnl *p);
const char *halo_dnnl_info(const halo_dnnl *p);     /* which implementation it is */
int64_t halo_dnnl_weights_bytes(const halo_dnnl *p); /* of the layout that the weights have */

/* halo_dnnl_packer makes a primitive that brings plain weights, src, into the layout of p's weights, dst. */
const char *halo_dnnl_packer(const halo_dnnl *p, const halo_dnnl_array *plain, halo_dnnl **out);
/* halo_dnnl_unpacker makes one that brings them back: packed weights are src, plain ones dst. */
const char *halo_dnnl_unpacker(const halo_dnnl *p, const halo_dnnl_array *plain, halo_dnnl **out);

/* halo_dnnl_execute computes on this thread. Operands that the spec has not are 0. A weight gradient writes weights and
 * reads dst. It returns what failed, or 0. */
const char *halo_dnnl_execute(halo_dnnl *p, const void *src, const void *weights, const void *bias, void *dst,
                              const void *const *posts);

/* halo_dnnl_record runs primitives on parts of arrays: a task each. */
typedef struct {
  halo_dnnl *primitive;
  int64_t src, weights, bias, dst; /* where its parts begin, in bytes */
  int64_t posts[HALO_DNNL_MAX_POSTS];
} halo_dnnl_piece;

typedef struct {
  halo_record head;
  halo_ref src, weights, bias, dst, posts[HALO_DNNL_MAX_POSTS];
  int64_t pieces;
  halo_dnnl_piece piece[];
} halo_dnnl_record;

void halo_dnnl_run(const halo_record *r, halo_run *run);

/* halo_dnnl_sgemm runs records of products of f32 matrices: see ../loops/gemm/blas.h. */
void halo_dnnl_sgemm(const halo_record *r, halo_run *run);

#endif
