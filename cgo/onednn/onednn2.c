//go:build linux

#include "onednn2.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "version.h"

static struct {
  ONEDNN2_LIST(ONEDNN_FIELD)
} table;

struct halo_dnnl_md {
  dnnl_memory_desc_t md;
};

static const char *load(void *lib) {
  ONEDNN2_LIST(ONEDNN_LOAD)
  return 0;
}

static dnnl_status_t make(const halo_dnnl_array *a, halo_dnnl_md **md) {
  *md = calloc(1, sizeof **md);
  if (!*md) return 1;
  dnnl_status_t s =
      a->any ? table.dnnl_memory_desc_init_by_tag(&(*md)->md, a->ndims, a->dims, a->type, DNNL_TAG_ANY)
             : table.dnnl_memory_desc_init_by_strides(&(*md)->md, a->ndims, a->dims, a->type, a->strides);
  if (s) {
    free(*md);
    *md = 0;
  }
  return s;
}

static HALO_MD get(const halo_dnnl_md *md) { return md ? &md->md : 0; }

static void drop(halo_dnnl_md *md) { free(md); }

/* The descriptions below are large, so they live on the heap. */
typedef dnnl_status_t (*init)(void *d, const halo_dnnl_spec *s, HALO_MD md[4]);

static dnnl_status_t matmul(void *d, const halo_dnnl_spec *s, HALO_MD md[4]) {
  (void)s;
  return table.dnnl_matmul_desc_init(d, md[0], md[1], md[2], md[3]);
}

static dnnl_status_t convolution(void *d, const halo_dnnl_spec *s, HALO_MD md[4]) {
  return table.dnnl_dilated_convolution_forward_desc_init(d, DNNL_FORWARD_INFERENCE, DNNL_CONVOLUTION_DIRECT, md[0],
                                                          md[1], md[2], md[3], s->strides, s->dilates, s->low, s->high);
}

static dnnl_status_t deconvolution(void *d, const halo_dnnl_spec *s, HALO_MD md[4]) {
  return table.dnnl_dilated_deconvolution_forward_desc_init(d, DNNL_FORWARD_INFERENCE, DNNL_DECONVOLUTION_DIRECT,
                                                            md[0], md[1], md[2], md[3], s->strides, s->dilates, s->low,
                                                            s->high);
}

static dnnl_status_t weight_gradient(void *d, const halo_dnnl_spec *s, HALO_MD md[4]) {
  return table.dnnl_dilated_convolution_backward_weights_desc_init(d, DNNL_CONVOLUTION_DIRECT, md[0], md[1], md[2],
                                                                   md[3], s->strides, s->dilates, s->low, s->high);
}

static const init inits[HALO_DNNL_KINDS] = {matmul, convolution, deconvolution, weight_gradient};

static dnnl_status_t describe(const halo_dnnl_spec *s, HALO_MD md[4], dnnl_engine_t engine, dnnl_primitive_attr_t attr,
                              dnnl_primitive_desc_t *pd) {
  void *d = calloc(1, sizeof(dnnl_convolution_desc_t));
  if (!d) return 1;
  dnnl_status_t status = inits[s->kind](d, s, md);
  if (!status) status = table.dnnl_primitive_desc_create(pd, d, attr, engine, 0);
  free(d);
  return status;
}

static dnnl_status_t sum(dnnl_post_ops_t ops, float scale) { return table.dnnl_post_ops_append_sum(ops, scale); }

static dnnl_status_t eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t alg, float alpha, float beta) {
  return table.dnnl_post_ops_append_eltwise(ops, 1, alg, alpha, beta);
}

const halo_dnnl_version halo_onednn2 = {
    .load = load,
    .make = make,
    .get = get,
    .drop = drop,
    .describe = describe,
    .sum = sum,
    .eltwise = eltwise,
    .algs = {[HALO_DNNL_ADD] = DNNL_BINARY_ADD,
             [HALO_DNNL_MULTIPLY] = DNNL_BINARY_MUL,
             [HALO_DNNL_RELU] = 0x1f,
             [HALO_DNNL_CLIP] = 0xff,
             [HALO_DNNL_GELU_ERF] = 0x30,
             [HALO_DNNL_GELU_TANH] = 0xcf,
             [HALO_DNNL_TANH] = 0x2f,
             [HALO_DNNL_LOGISTIC] = 0xaf,
             [HALO_DNNL_SWISH] = 0xdf},
    .post_base = 16384,
};
