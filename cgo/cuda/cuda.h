/* The part of the CUDA driver that we call: NVIDIA's cuda.h, versions 12 and 13. One row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned, as are the enumerations; device memory is an unsigned long long. The lists make the table,
 * its loader and the forwards, so they are the only place to edit. CUDA_PLAIN needs no context; of the others the
 * forwards make a context current first, so that any thread may call. scripts/check-headers.sh compares with the
 * vendor's headers. */
#ifndef HALO_CUDA_H
#define HALO_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "call.h"

typedef struct CUctx_st *halo_context;
typedef struct CUstream_st *halo_stream;
typedef struct CUevent_st *halo_event;
typedef struct CUmod_st *halo_module;
typedef struct CUfunc_st *halo_function;
typedef struct CUgraph_st *halo_graph;
typedef struct CUgraphExec_st *halo_graph_exec;
typedef struct CUmemPoolHandle_st *halo_pool;
struct CUgraphExecUpdateResultInfo_st;
struct CUDA_MEMCPY2D_st;
struct CUuuid_st;
struct CUgraphNode_st;
struct CUgraphNodeParams_st;
struct CUgraphEdgeData_st;

// A copy of rows, as CUDA_MEMCPY2D_st lies in memory.
typedef struct {
  size_t x, y;
  unsigned type;
  const void *host;
  unsigned long long device;
  void *array;
  size_t pitch;
} halo_cuda_rows;
typedef struct {
  halo_cuda_rows src, dst;
  size_t width, height;
} halo_cuda_copy_rows;
#ifdef CUDA_VERSION
_Static_assert(sizeof(CUDA_MEMCPY2D) == sizeof(halo_cuda_copy_rows) &&
               offsetof(CUDA_MEMCPY2D, srcDevice) == offsetof(halo_cuda_copy_rows, src.device) &&
               offsetof(CUDA_MEMCPY2D, srcPitch) == offsetof(halo_cuda_copy_rows, src.pitch) &&
               offsetof(CUDA_MEMCPY2D, dstMemoryType) == offsetof(halo_cuda_copy_rows, dst.type) &&
               offsetof(CUDA_MEMCPY2D, dstDevice) == offsetof(halo_cuda_copy_rows, dst.device) &&
               offsetof(CUDA_MEMCPY2D, WidthInBytes) == offsetof(halo_cuda_copy_rows, width) &&
               CU_MEMORYTYPE_DEVICE == 2, "a copy of rows");
#endif

// A conditional node, as CUgraphNodeParams_st lies in memory.
typedef struct {
  unsigned type, zero[3];
  union {
    long long padding[29];
    struct {
      uint64_t handle;
      unsigned kind, size;
      halo_graph *bodies;
      halo_context context;
    };
  };
  long long zeros;
} halo_cuda_conditional;
enum { HALO_CONDITIONAL_NODE = 13 };
#ifdef CUDA_VERSION
_Static_assert(sizeof(CUgraphNodeParams) == sizeof(halo_cuda_conditional) &&
               offsetof(CUgraphNodeParams, conditional.handle) == offsetof(halo_cuda_conditional, handle) &&
               offsetof(CUgraphNodeParams, conditional.type) == offsetof(halo_cuda_conditional, kind) &&
               offsetof(CUgraphNodeParams, conditional.size) == offsetof(halo_cuda_conditional, size) &&
               offsetof(CUgraphNodeParams, conditional.phGraph_out) == offsetof(halo_cuda_conditional, bodies) &&
               offsetof(CUgraphNodeParams, conditional.ctx) == offsetof(halo_cuda_conditional, context) &&
               CU_GRAPH_NODE_TYPE_CONDITIONAL == HALO_CONDITIONAL_NODE && CU_GRAPH_COND_TYPE_IF == 0 &&
               CU_GRAPH_COND_TYPE_WHILE == 1, "a conditional node");
#endif

#define CUDA_PLAIN(X) \
  X(cuInit, unsigned, (unsigned flags), (flags)) \
  X(cuDriverGetVersion, unsigned, (int *version), (version)) \
  X(cuGetErrorName, unsigned, (unsigned status, const char **name), (status, name)) \
  X(cuGetErrorString, unsigned, (unsigned status, const char **text), (status, text)) \
  X(cuDeviceGetCount, unsigned, (int *count), (count)) \
  X(cuDeviceGet, unsigned, (int *device, int ordinal), (device, ordinal)) \
  X(cuDeviceGetUuid_v2, unsigned, (struct CUuuid_st *id, int device), (id, device)) \
  X(cuDeviceGetName, unsigned, (char *name, int size, int device), (name, size, device)) \
  X(cuDeviceTotalMem_v2, unsigned, (size_t *bytes, int device), (bytes, device)) \
  X(cuDeviceGetAttribute, unsigned, (int *value, unsigned attribute, int device), (value, attribute, device)) \
  X(cuDeviceGetDefaultMemPool, unsigned, (halo_pool *pool, int device), (pool, device)) \
  X(cuMemPoolSetAttribute, unsigned, (halo_pool pool, unsigned attribute, void *value), (pool, attribute, value)) \
  X(cuMemPoolGetAttribute, unsigned, (halo_pool pool, unsigned attribute, void *value), (pool, attribute, value)) \
  X(cuMemPoolTrimTo, unsigned, (halo_pool pool, size_t keep), (pool, keep)) \
  X(cuDevicePrimaryCtxRetain, unsigned, (halo_context *context, int device), (context, device)) \
  X(cuDevicePrimaryCtxRelease_v2, unsigned, (int device), (device)) \
  X(cuDeviceCanAccessPeer, unsigned, (int *can, int device, int peer), (can, device, peer)) \
  X(cuCtxSetCurrent, unsigned, (halo_context context), (context))

#define CUDA_BOUND(X) \
  X(cuCtxEnablePeerAccess, unsigned, (halo_context peer, unsigned flags), (peer, flags)) \
  X(cuMemGetInfo_v2, unsigned, (size_t *free, size_t *total), (free, total)) \
  X(cuMemAlloc_v2, unsigned, (unsigned long long *p, size_t bytes), (p, bytes)) \
  X(cuMemFree_v2, unsigned, (unsigned long long p), (p)) \
  X(cuMemAllocAsync, unsigned, (unsigned long long *p, size_t bytes, halo_stream stream), (p, bytes, stream)) \
  X(cuMemFreeAsync, unsigned, (unsigned long long p, halo_stream stream), (p, stream)) \
  X(cuMemHostAlloc, unsigned, (void **p, size_t bytes, unsigned flags), (p, bytes, flags)) \
  X(cuMemFreeHost, unsigned, (void *p), (p)) \
  X(cuMemHostGetDevicePointer_v2, unsigned, (unsigned long long *p, void *host, unsigned flags), (p, host, flags)) \
  X(cuMemcpyHtoD_v2, unsigned, (unsigned long long dst, const void *src, size_t bytes), (dst, src, bytes)) \
  X(cuMemcpyDtoH_v2, unsigned, (void *dst, unsigned long long src, size_t bytes), (dst, src, bytes)) \
  X(cuMemcpyHtoDAsync_v2, unsigned, (unsigned long long dst, const void *src, size_t bytes, halo_stream stream), \
    (dst, src, bytes, stream)) \
  X(cuMemcpyDtoHAsync_v2, unsigned, (void *dst, unsigned long long src, size_t bytes, halo_stream stream), \
    (dst, src, bytes, stream)) \
  X(cuMemcpyDtoDAsync_v2, unsigned, (unsigned long long dst, unsigned long long src, size_t bytes, \
      halo_stream stream), (dst, src, bytes, stream)) \
  X(cuMemcpy2DAsync_v2, unsigned, (const struct CUDA_MEMCPY2D_st *copy, halo_stream stream), (copy, stream)) \
  X(cuMemcpyPeerAsync, unsigned, (unsigned long long dst, halo_context to, unsigned long long src, \
      halo_context from, size_t bytes, halo_stream stream), (dst, to, src, from, bytes, stream)) \
  X(cuMemsetD8Async, unsigned, (unsigned long long dst, unsigned char value, size_t count, halo_stream stream), \
    (dst, value, count, stream)) \
  X(cuMemsetD32Async, unsigned, (unsigned long long dst, unsigned value, size_t count, halo_stream stream), \
    (dst, value, count, stream)) \
  X(cuStreamCreate, unsigned, (halo_stream *stream, unsigned flags), (stream, flags)) \
  X(cuStreamDestroy_v2, unsigned, (halo_stream stream), (stream)) \
  X(cuStreamSynchronize, unsigned, (halo_stream stream), (stream)) \
  X(cuStreamQuery, unsigned, (halo_stream stream), (stream)) \
  X(cuStreamWaitEvent, unsigned, (halo_stream stream, halo_event event, unsigned flags), (stream, event, flags)) \
  X(cuEventCreate, unsigned, (halo_event *event, unsigned flags), (event, flags)) \
  X(cuEventDestroy_v2, unsigned, (halo_event event), (event)) \
  X(cuEventRecord, unsigned, (halo_event event, halo_stream stream), (event, stream)) \
  X(cuEventQuery, unsigned, (halo_event event), (event)) \
  X(cuEventSynchronize, unsigned, (halo_event event), (event)) \
  X(cuEventElapsedTime, unsigned, (float *ms, halo_event from, halo_event to), (ms, from, to)) \
  X(cuModuleLoadDataEx, unsigned, (halo_module *module, const void *image, unsigned count, unsigned *options, \
      void **values), (module, image, count, options, values)) \
  X(cuModuleUnload, unsigned, (halo_module module), (module)) \
  X(cuModuleGetFunction, unsigned, (halo_function *function, halo_module module, const char *name), \
    (function, module, name)) \
  X(cuModuleGetGlobal_v2, unsigned, (unsigned long long *p, size_t *bytes, halo_module module, const char *name), \
    (p, bytes, module, name)) \
  X(cuFuncGetAttribute, unsigned, (int *value, unsigned attribute, halo_function function), \
    (value, attribute, function)) \
  X(cuFuncSetAttribute, unsigned, (halo_function function, unsigned attribute, int value), \
    (function, attribute, value)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, unsigned, (int *blocks, halo_function function, int threads, \
      size_t shared), (blocks, function, threads, shared)) \
  X(cuLaunchKernel, unsigned, (halo_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, halo_stream stream, void **params, \
      void **extra), (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params, extra)) \
  X(cuStreamBeginCapture_v2, unsigned, (halo_stream stream, unsigned mode), (stream, mode)) \
  X(cuStreamEndCapture, unsigned, (halo_stream stream, halo_graph *graph), (stream, graph)) \
  X(cuGraphInstantiateWithFlags, unsigned, (halo_graph_exec *exec, halo_graph graph, unsigned long long flags), \
    (exec, graph, flags)) \
  X(cuGraphExecUpdate_v2, unsigned, (halo_graph_exec exec, halo_graph graph, \
      struct CUgraphExecUpdateResultInfo_st *info), (exec, graph, info)) \
  X(cuGraphLaunch, unsigned, (halo_graph_exec exec, halo_stream stream), (exec, stream)) \
  X(cuGraphGetNodes, unsigned, (halo_graph graph, struct CUgraphNode_st **nodes, size_t *count), \
    (graph, nodes, count)) \
  X(cuGraphDestroy, unsigned, (halo_graph graph), (graph)) \
  X(cuGraphExecDestroy, unsigned, (halo_graph_exec exec), (exec))

// What drivers have from CUDA 12.3 on: null in the table of an older one.
#define CUDA_LATER(X) \
  X(cuGraphCreate, unsigned, (halo_graph *graph, unsigned flags), (graph, flags)) \
  X(cuStreamBeginCaptureToGraph, unsigned, (halo_stream stream, halo_graph graph, \
      struct CUgraphNode_st *const *after, const struct CUgraphEdgeData_st *edges, size_t count, unsigned mode), \
    (stream, graph, after, edges, count, mode)) \
  X(cuStreamGetCaptureInfo_v3, unsigned, (halo_stream stream, unsigned *captured, uint64_t *id, halo_graph *graph, \
      struct CUgraphNode_st *const **last, const struct CUgraphEdgeData_st **edges, size_t *count), \
    (stream, captured, id, graph, last, edges, count)) \
  X(cuGraphConditionalHandleCreate, unsigned, (uint64_t *handle, halo_graph graph, halo_context context, \
      unsigned value, unsigned flags), (handle, graph, context, value, flags)) \
  X(cuGraphAddNode_v2, unsigned, (struct CUgraphNode_st **node, halo_graph graph, \
      struct CUgraphNode_st *const *after, const struct CUgraphEdgeData_st *edges, size_t count, \
      struct CUgraphNodeParams_st *params), (node, graph, after, edges, count, params))

#define CUDA_LIST(X) CUDA_PLAIN(X) CUDA_BOUND(X) CUDA_LATER(X)

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  CUDA_LIST(FIELD)
} cuda_table;
#undef FIELD

#define UNPACK(...) __VA_ARGS__
#define PLAIN(name, result, params, args) \
  static inline result halo_##name(const cuda_table *t, UNPACK params) { return t->name args; }
#define BOUND(name, result, params, args) \
  static inline result halo_##name(const cuda_table *t, halo_context c, UNPACK params) { \
    const unsigned status = t->cuCtxSetCurrent(c); \
    return status ? status : t->name args; \
  }
CUDA_PLAIN(PLAIN)
CUDA_BOUND(BOUND)
CUDA_LATER(BOUND)
#undef PLAIN
#undef BOUND
#undef UNPACK

// halo_cuda_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks or
// null if there is no memory. The table stays as long as the process.
cuda_table *halo_cuda_load(void *lib, const char **missing);

enum {
  HALO_LAUNCH, HALO_COPY, HALO_FILL, HALO_RECORD_EVENT, HALO_WAIT_EVENT, HALO_GRAPH, HALO_CALL, HALO_COPY_ROWS
};

// A value of 64 bits: if slot is not negative, the address base[slot] + value.
typedef struct {
  int64_t slot, value;
} halo_cuda_value;

// One command of an array. A launch has a function, its grid, block and bytes of shared memory, and parameters of 64
// bits each from first on in the array of values. A copy has destination, source and size there, a fill destination,
// size in bytes and the byte, a copy of rows destination, its pitch, source, its pitch, width and height. handle is a
// function, an event, a graph, or the halo_cuda_call that a call makes.
typedef struct {
  int64_t kind;
  void *handle;
  uint32_t grid[3], block[3], shared, params;
  int64_t first;
} halo_cuda_command;

// The most parameters that one launch may have.
enum { HALO_CUDA_PARAMS = 500 };

// halo_cuda_submit enqueues count commands on stream. It stops at the first that fails, whose number is left in done;
// the status of a call is that of its library. It is -1 if the context cannot be made current.
unsigned halo_cuda_submit(const cuda_table *t, halo_context c, halo_stream stream, const halo_cuda_command *list,
                          int64_t count, const halo_cuda_value *values, const unsigned long long *base, int64_t *done);

// halo_cuda_capture has stream gather what is enqueued on it into graph, behind count nodes.
unsigned halo_cuda_capture(const cuda_table *t, halo_context c, halo_stream stream, halo_graph graph,
                           struct CUgraphNode_st *const *after, size_t count);

// halo_cuda_last leaves in last the count nodes that what stream gathers next is behind, until its next call.
unsigned halo_cuda_last(const cuda_table *t, halo_context c, halo_stream stream, struct CUgraphNode_st *const **last,
                        size_t *count);

// halo_cuda_conditional_node adds to graph, behind count nodes, a node that runs body, a graph that
// it makes, depending on the value of handle: once, or, if loops, as long as that is not 0.
unsigned halo_cuda_conditional_node(const cuda_table *t, halo_context c, halo_graph graph,
                                    struct CUgraphNode_st *const *after, size_t count, uint64_t handle, int loops,
                                    struct CUgraphNode_st **node, halo_graph *body);

// halo_cuda_update makes exec run graph, which has the same nodes but for their parameters.
unsigned halo_cuda_update(const cuda_table *t, halo_context c, halo_graph_exec exec, halo_graph graph);

#endif
