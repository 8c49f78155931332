/* What only oneDNN 3.x has: oneapi/dnnl/dnnl.h, version 3.2. See onednn.h. */
#ifndef HALO_ONEDNN3_H
#define HALO_ONEDNN3_H

#include "onednn.h"

#ifndef ONEAPI_DNNL_DNNL_H
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
#endif

#define ONEDNN3_WINDOWED(X, name) \
  X(name, dnnl_status_t, \
    (dnnl_primitive_desc_t * pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, HALO_MD src, \
     HALO_MD weights, HALO_MD bias, HALO_MD dst, const dnnl_dims_t strides, const dnnl_dims_t dilates, \
     const dnnl_dims_t low, const dnnl_dims_t high, const_dnnl_primitive_attr_t attr), \
    (pd, engine, prop, alg, src, weights, bias, dst, strides, dilates, low, high, attr))

#define ONEDNN3_LIST(X) \
  ONEDNN_LIST(X) \
  X(dnnl_memory_desc_create_with_strides, dnnl_status_t, \
    (dnnl_memory_desc_t * md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, const dnnl_dims_t strides), \
    (md, ndims, dims, type, strides)) \
  X(dnnl_memory_desc_create_with_tag, dnnl_status_t, \
    (dnnl_memory_desc_t * md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag), \
    (md, ndims, dims, type, tag)) \
  X(dnnl_memory_desc_destroy, dnnl_status_t, (dnnl_memory_desc_t md), (md)) \
  X(dnnl_matmul_primitive_desc_create, dnnl_status_t, \
    (dnnl_primitive_desc_t * pd, dnnl_engine_t engine, HALO_MD src, HALO_MD weights, HALO_MD bias, HALO_MD dst, \
     const_dnnl_primitive_attr_t attr), (pd, engine, src, weights, bias, dst, attr)) \
  ONEDNN3_WINDOWED(X, dnnl_convolution_forward_primitive_desc_create) \
  ONEDNN3_WINDOWED(X, dnnl_deconvolution_forward_primitive_desc_create) \
  X(dnnl_convolution_backward_weights_primitive_desc_create, dnnl_status_t, \
    (dnnl_primitive_desc_t * pd, dnnl_engine_t engine, dnnl_alg_kind_t alg, HALO_MD src, HALO_MD weights, \
     HALO_MD bias, HALO_MD dst, const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t low, \
     const dnnl_dims_t high, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr), \
    (pd, engine, alg, src, weights, bias, dst, strides, dilates, low, high, hint, attr)) \
  X(dnnl_post_ops_append_sum, dnnl_status_t, \
    (dnnl_post_ops_t ops, float scale, int32_t zero_point, dnnl_data_type_t type), (ops, scale, zero_point, type)) \
  X(dnnl_post_ops_append_eltwise, dnnl_status_t, \
    (dnnl_post_ops_t ops, dnnl_alg_kind_t alg, float alpha, float beta), (ops, alg, alpha, beta))

#endif
