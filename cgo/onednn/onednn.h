/* The part of oneDNN that we call: its oneapi/dnnl/dnnl.h, versions 2.6 and 3.2. What both versions have alike is here,
 * one row a function: X(name, result, (parameters), (arguments)); what differs is in onednn2.h and onednn3.h.
 * scripts/check-headers.sh compares the lists with the vendor's headers. */
#ifndef HALO_ONEDNN_H
#define HALO_ONEDNN_H

#include <stddef.h>
#include <stdint.h>

#ifndef ONEAPI_DNNL_DNNL_H /* the vendor's own, in the check */
typedef unsigned dnnl_status_t, dnnl_engine_kind_t, dnnl_query_t, dnnl_scratchpad_mode_t, dnnl_data_type_t;
typedef unsigned dnnl_format_tag_t, dnnl_alg_kind_t, dnnl_prop_kind_t, dnnl_cpu_isa_t;
typedef struct dnnl_engine *dnnl_engine_t;
typedef struct dnnl_stream *dnnl_stream_t;
typedef struct dnnl_memory *dnnl_memory_t;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;
typedef struct dnnl_post_ops *dnnl_post_ops_t;
typedef const struct dnnl_post_ops *const_dnnl_post_ops_t;
typedef int64_t dnnl_dim_t;
typedef dnnl_dim_t dnnl_dims_t[12];
typedef struct {
  int arg;
  dnnl_memory_t memory;
} dnnl_exec_arg_t;
typedef struct {
  int major, minor, patch;
  const char *hash;
  unsigned cpu_runtime, gpu_runtime;
} dnnl_version_t;
#define HALO_MD const void *
#elif DNNL_VERSION_MAJOR == 2
#define HALO_MD const dnnl_memory_desc_t *
#else
#define HALO_MD const_dnnl_memory_desc_t
#endif

#define ONEDNN_LIST(X) \
  X(dnnl_version, const dnnl_version_t *, (void), ()) \
  X(dnnl_get_effective_cpu_isa, dnnl_cpu_isa_t, (void), ()) \
  X(dnnl_engine_create, dnnl_status_t, (dnnl_engine_t * engine, dnnl_engine_kind_t kind, size_t index), \
    (engine, kind, index)) \
  X(dnnl_stream_create, dnnl_status_t, (dnnl_stream_t * stream, dnnl_engine_t engine, unsigned flags), \
    (stream, engine, flags)) \
  X(dnnl_stream_destroy, dnnl_status_t, (dnnl_stream_t stream), (stream)) \
  X(dnnl_memory_create, dnnl_status_t, (dnnl_memory_t * memory, HALO_MD md, dnnl_engine_t engine, void *handle), \
    (memory, md, engine, handle)) \
  X(dnnl_memory_set_data_handle, dnnl_status_t, (dnnl_memory_t memory, void *handle), (memory, handle)) \
  X(dnnl_memory_destroy, dnnl_status_t, (dnnl_memory_t memory), (memory)) \
  X(dnnl_memory_desc_get_size, size_t, (HALO_MD md), (md)) \
  X(dnnl_primitive_desc_query, dnnl_status_t, \
    (const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index, void *result), (pd, what, index, result)) \
  X(dnnl_primitive_desc_query_md, HALO_MD, (const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index), \
    (pd, what, index)) \
  X(dnnl_primitive_desc_destroy, dnnl_status_t, (dnnl_primitive_desc_t pd), (pd)) \
  X(dnnl_primitive_create, dnnl_status_t, (dnnl_primitive_t * primitive, const_dnnl_primitive_desc_t pd), \
    (primitive, pd)) \
  X(dnnl_primitive_execute, dnnl_status_t, \
    (const_dnnl_primitive_t primitive, dnnl_stream_t stream, int n, const dnnl_exec_arg_t *args), \
    (primitive, stream, n, args)) \
  X(dnnl_primitive_destroy, dnnl_status_t, (dnnl_primitive_t primitive), (primitive)) \
  X(dnnl_reorder_primitive_desc_create, dnnl_status_t, \
    (dnnl_primitive_desc_t * pd, HALO_MD src, dnnl_engine_t src_engine, HALO_MD dst, dnnl_engine_t dst_engine, \
     const_dnnl_primitive_attr_t attr), (pd, src, src_engine, dst, dst_engine, attr)) \
  X(dnnl_primitive_attr_create, dnnl_status_t, (dnnl_primitive_attr_t * attr), (attr)) \
  X(dnnl_primitive_attr_destroy, dnnl_status_t, (dnnl_primitive_attr_t attr), (attr)) \
  X(dnnl_primitive_attr_set_post_ops, dnnl_status_t, (dnnl_primitive_attr_t attr, const_dnnl_post_ops_t ops), \
    (attr, ops)) \
  X(dnnl_primitive_attr_set_scratchpad_mode, dnnl_status_t, \
    (dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode), (attr, mode)) \
  X(dnnl_post_ops_create, dnnl_status_t, (dnnl_post_ops_t * ops), (ops)) \
  X(dnnl_post_ops_destroy, dnnl_status_t, (dnnl_post_ops_t ops), (ops)) \
  X(dnnl_post_ops_append_binary, dnnl_status_t, (dnnl_post_ops_t ops, dnnl_alg_kind_t alg, HALO_MD src1), \
    (ops, alg, src1)) \
  X(dnnl_sgemm, dnnl_status_t, \
    (char transa, char transb, dnnl_dim_t m, dnnl_dim_t n, dnnl_dim_t k, float alpha, const float *a, \
     dnnl_dim_t lda, const float *b, dnnl_dim_t ldb, float beta, float *c, dnnl_dim_t ldc), \
    (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))

#define ONEDNN_FIELD(name, result, params, args) result(*name) params;
#define ONEDNN_LOAD(name, result, params, args) \
  if (!(*(void **)&table.name = dlsym(lib, #name))) return #name;

#endif
