/* What the two versions of the library do differently. */
#ifndef HALO_ONEDNN_VERSION_H
#define HALO_ONEDNN_VERSION_H

#include "face.h"
#include "onednn.h"

/* halo_dnnl_md is a description of memory, as the library has it. */
typedef struct halo_dnnl_md halo_dnnl_md;

typedef struct {
  const char *(*load)(void *lib);
  dnnl_status_t (*make)(const halo_dnnl_array *a, halo_dnnl_md **md);
  HALO_MD (*get)(const halo_dnnl_md *md);
  void (*drop)(halo_dnnl_md *md);
  /* describe makes the description of a primitive; md are src, weights, bias and dst, 0 for none. */
  dnnl_status_t (*describe)(const halo_dnnl_spec *s, HALO_MD md[4], dnnl_engine_t engine, dnnl_primitive_attr_t attr,
                            dnnl_primitive_desc_t *pd);
  dnnl_status_t (*sum)(dnnl_post_ops_t ops, float scale);
  dnnl_status_t (*eltwise)(dnnl_post_ops_t ops, dnnl_alg_kind_t alg, float alpha, float beta);
  unsigned algs[HALO_DNNL_POSTS]; /* the numbers of post-ops */
  int post_base;                  /* DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE */
} halo_dnnl_version;

extern const halo_dnnl_version halo_onednn2, halo_onednn3;

enum {
  DNNL_FORWARD_INFERENCE = 96, DNNL_CONVOLUTION_DIRECT = 1, DNNL_DECONVOLUTION_DIRECT = 10, DNNL_TAG_ANY = 1,
  DNNL_BINARY_ADD = 0x1fff0, DNNL_BINARY_MUL = 0x1fff1
};

#endif
