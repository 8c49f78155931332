//go:build linux

#include "onednn3.h"

#include <dlfcn.h>

#include "version.h"

static struct {
  ONEDNN3_LIST(ONEDNN_FIELD)
} table;

static const char *load(void *lib) {
  ONEDNN3_LIST(ONEDNN_LOAD)
  return 0;
}

/* A halo_dnnl_md is the library's own object. */
static dnnl_status_t make(const halo_dnnl_array *a, halo_dnnl_md **md) {
  dnnl_memory_desc_t *to = (dnnl_memory_desc_t *)md;
  return a->any ? table.dnnl_memory_desc_create_with_tag(to, a->ndims, a->dims, a->type, DNNL_TAG_ANY)
                : table.dnnl_memory_desc_create_with_strides(to, a->ndims, a->dims, a->type, a->strides);
}

static HALO_MD get(const halo_dnnl_md *md) { return md; }

static void drop(halo_dnnl_md *md) {
  if (md) table.dnnl_memory_desc_destroy((dnnl_memory_desc_t)md);
}

static dnnl_status_t describe(const halo_dnnl_spec *s, HALO_MD md[4], dnnl_engine_t engine, dnnl_primitive_attr_t attr,
                              dnnl_primitive_desc_t *pd) {
  switch (s->kind) {
  case HALO_DNNL_MATMUL:
    return table.dnnl_matmul_primitive_desc_create(pd, engine, md[0], md[1], md[2], md[3], attr);
  case HALO_DNNL_CONVOLUTION:
    return table.dnnl_convolution_forward_primitive_desc_create(
        pd, engine, DNNL_FORWARD_INFERENCE, DNNL_CONVOLUTION_DIRECT, md[0], md[1], md[2], md[3], s->strides,
        s->dilates, s->low, s->high, attr);
  case HALO_DNNL_DECONVOLUTION:
    return table.dnnl_deconvolution_forward_primitive_desc_create(
        pd, engine, DNNL_FORWARD_INFERENCE, DNNL_DECONVOLUTION_DIRECT, md[0], md[1], md[2], md[3], s->strides,
        s->dilates, s->low, s->high, attr);
  }
  return table.dnnl_convolution_backward_weights_primitive_desc_create(
      pd, engine, DNNL_CONVOLUTION_DIRECT, md[0], md[1], md[2], md[3], s->strides, s->dilates, s->low, s->high, 0,
      attr);
}

static dnnl_status_t sum(dnnl_post_ops_t ops, float scale) { return table.dnnl_post_ops_append_sum(ops, scale, 0, 0); }

static dnnl_status_t eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t alg, float alpha, float beta) {
  return table.dnnl_post_ops_append_eltwise(ops, alg, alpha, beta);
}

const halo_dnnl_version halo_onednn3 = {
    .load = load,
    .make = make,
    .get = get,
    .drop = drop,
    .describe = describe,
    .sum = sum,
    .eltwise = eltwise,
    .algs = {[HALO_DNNL_ADD] = DNNL_BINARY_ADD,
             [HALO_DNNL_MULTIPLY] = DNNL_BINARY_MUL,
             [HALO_DNNL_RELU] = 0x20,
             [HALO_DNNL_CLIP] = 0x2e,
             [HALO_DNNL_GELU_ERF] = 0x31,
             [HALO_DNNL_GELU_TANH] = 0x2b,
             [HALO_DNNL_TANH] = 0x21,
             [HALO_DNNL_LOGISTIC] = 0x29,
             [HALO_DNNL_SWISH] = 0x2c},
    .post_base = 32768,
};
