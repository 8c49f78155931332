/* What only oneDNN 2.x has: oneapi/dnnl/dnnl.h, version 2.6. See onednn.h. */
#ifndef HALO_ONEDNN2_H
#define HALO_ONEDNN2_H

#include "onednn.h"

#ifndef ONEAPI_DNNL_DNNL_H
/* The library fills these; we look into none. */
typedef struct {
  int64_t words[128];
} dnnl_memory_desc_t;
typedef struct {
  int64_t words[1024];
} dnnl_convolution_desc_t, dnnl_deconvolution_desc_t, dnnl_matmul_desc_t;
typedef const void *const_dnnl_op_desc_t;
#else
_Static_assert(sizeof(dnnl_memory_desc_t) <= 8 * 128, "dnnl_memory_desc_t");
_Static_assert(sizeof(dnnl_convolution_desc_t) <= 8 * 1024, "dnnl_convolution_desc_t");
_Static_assert(sizeof(dnnl_deconvolution_desc_t) <= 8 * 1024, "dnnl_deconvolution_desc_t");
_Static_assert(sizeof(dnnl_matmul_desc_t) <= 8 * 1024, "dnnl_matmul_desc_t");
#endif

#define ONEDNN2_WINDOWED(X, name, desc) \
  X(name, dnnl_status_t, \
    (desc * d, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, HALO_MD src, HALO_MD weights, HALO_MD bias, HALO_MD dst, \
     const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t low, const dnnl_dims_t high), \
    (d, prop, alg, src, weights, bias, dst, strides, dilates, low, high))

#define ONEDNN2_LIST(X) \
  ONEDNN_LIST(X) \
  X(dnnl_memory_desc_init_by_strides, dnnl_status_t, \
    (dnnl_memory_desc_t * md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, const dnnl_dims_t strides), \
    (md, ndims, dims, type, strides)) \
  X(dnnl_memory_desc_init_by_tag, dnnl_status_t, \
    (dnnl_memory_desc_t * md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag), \
    (md, ndims, dims, type, tag)) \
  X(dnnl_primitive_desc_create, dnnl_status_t, \
    (dnnl_primitive_desc_t * pd, const_dnnl_op_desc_t d, const_dnnl_primitive_attr_t attr, dnnl_engine_t engine, \
     const_dnnl_primitive_desc_t hint), (pd, d, attr, engine, hint)) \
  X(dnnl_matmul_desc_init, dnnl_status_t, \
    (dnnl_matmul_desc_t * d, HALO_MD src, HALO_MD weights, HALO_MD bias, HALO_MD dst), (d, src, weights, bias, dst)) \
  ONEDNN2_WINDOWED(X, dnnl_dilated_convolution_forward_desc_init, dnnl_convolution_desc_t) \
  ONEDNN2_WINDOWED(X, dnnl_dilated_deconvolution_forward_desc_init, dnnl_deconvolution_desc_t) \
  X(dnnl_dilated_convolution_backward_weights_desc_init, dnnl_status_t, \
    (dnnl_convolution_desc_t * d, dnnl_alg_kind_t alg, HALO_MD src, HALO_MD weights, HALO_MD bias, HALO_MD dst, \
     const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t low, const dnnl_dims_t high), \
    (d, alg, src, weights, bias, dst, strides, dilates, low, high)) \
  X(dnnl_post_ops_append_sum, dnnl_status_t, (dnnl_post_ops_t ops, float scale), (ops, scale)) \
  X(dnnl_post_ops_append_eltwise, dnnl_status_t, \
    (dnnl_post_ops_t ops, float scale, dnnl_alg_kind_t alg, float alpha, float beta), (ops, scale, alg, alpha, beta))

#endif
