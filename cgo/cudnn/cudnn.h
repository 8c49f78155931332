/* The part of cuDNN that we call: NVIDIA's cudnn_graph.h, version 9. One row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned, as are the enumerations; a descriptor is a pointer to void. The list makes the table and its
 * loader, so it is the only place to edit. scripts/check-headers.sh compares with the vendor's headers; only there
 * those come first and give the types. */
#ifndef HALO_CUDNN_H
#define HALO_CUDNN_H

#include <stddef.h>
#include <stdint.h>

#include "../cuda/call.h"

struct cudnnContext;
struct CUstream_st;

// The values that we give, by the first words of their names.
#define CUDNN_DESCRIPTORS(X) \
  X(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, 0) \
  X(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, 1) \
  X(CUDNN_BACKEND_ENGINE_DESCRIPTOR, 2) \
  X(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 3) \
  X(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 4) \
  X(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5) \
  X(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 10) \
  X(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 11) \
  X(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, 12) \
  X(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, 13) \
  X(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15) \
  X(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 16) \
  X(CUDNN_BACKEND_TENSOR_DESCRIPTOR, 17) \
  X(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, 38)

#define CUDNN_ATTRIBUTES(X) \
  X(CUDNN_ATTR_POINTWISE_MODE, 0) \
  X(CUDNN_ATTR_POINTWISE_MATH_PREC, 1) \
  X(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, 100) \
  X(CUDNN_ATTR_CONVOLUTION_CONV_MODE, 101) \
  X(CUDNN_ATTR_CONVOLUTION_DILATIONS, 102) \
  X(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 103) \
  X(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 104) \
  X(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 105) \
  X(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 106) \
  X(CUDNN_ATTR_ENGINEHEUR_MODE, 200) \
  X(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 201) \
  X(CUDNN_ATTR_ENGINEHEUR_RESULTS, 202) \
  X(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, 204) \
  X(CUDNN_ATTR_ENGINECFG_ENGINE, 300) \
  X(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, 400) \
  X(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401) \
  X(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402) \
  X(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, 407) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 700) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 701) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, 702) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, 703) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, 704) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, 705) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 706) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 707) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, 708) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, 709) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, 710) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, 711) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 712) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 713) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, 714) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, 715) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, 716) \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, 717) \
  X(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 750) \
  X(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, 751) \
  X(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, 752) \
  X(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, 753) \
  X(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 800) \
  X(CUDNN_ATTR_OPERATIONGRAPH_OPS, 801) \
  X(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 900) \
  X(CUDNN_ATTR_TENSOR_DATA_TYPE, 901) \
  X(CUDNN_ATTR_TENSOR_DIMENSIONS, 902) \
  X(CUDNN_ATTR_TENSOR_STRIDES, 903) \
  X(CUDNN_ATTR_TENSOR_UNIQUE_ID, 906) \
  X(CUDNN_ATTR_TENSOR_IS_VIRTUAL, 907) \
  X(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, 1000) \
  X(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, 1001) \
  X(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 1003) \
  X(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 1301) \
  X(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, 1303) \
  X(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, 2702)

#define CUDNN_TYPES(X) \
  X(CUDNN_TYPE_HANDLE, 0) \
  X(CUDNN_TYPE_DATA_TYPE, 1) \
  X(CUDNN_TYPE_BOOLEAN, 2) \
  X(CUDNN_TYPE_INT64, 3) \
  X(CUDNN_TYPE_FLOAT, 4) \
  X(CUDNN_TYPE_DOUBLE, 5) \
  X(CUDNN_TYPE_VOID_PTR, 6) \
  X(CUDNN_TYPE_CONVOLUTION_MODE, 7) \
  X(CUDNN_TYPE_HEUR_MODE, 8) \
  X(CUDNN_TYPE_NUMERICAL_NOTE, 11) \
  X(CUDNN_TYPE_POINTWISE_MODE, 14) \
  X(CUDNN_TYPE_BACKEND_DESCRIPTOR, 15) \
  X(CUDNN_TYPE_CHAR, 24)

#define CUDNN_NUMBERS(X) \
  X(CUDNN_DATA_FLOAT, 0) \
  X(CUDNN_DATA_DOUBLE, 1) \
  X(CUDNN_DATA_HALF, 2) \
  X(CUDNN_DATA_BFLOAT16, 9) \
  X(CUDNN_CROSS_CORRELATION, 1) \
  X(CUDNN_HEUR_MODE_B, 1) \
  X(CUDNN_HEUR_MODE_FALLBACK, 2) \
  X(CUDNN_HEUR_MODE_A, 3) \
  X(CUDNN_POINTWISE_ADD, 0) \
  X(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, 0) \
  X(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, 1) \
  X(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, 2) \
  X(CUDNN_NUMERICAL_NOTE_FFT, 3) \
  X(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, 4) \
  X(CUDNN_NUMERICAL_NOTE_WINOGRAD, 5) \
  X(CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP, 9) \
  X(CUDNN_STATUS_NOT_INITIALIZED, 1001) \
  X(CUDNN_STATUS_BAD_PARAM, 2000) \
  X(CUDNN_STATUS_NOT_SUPPORTED, 3000) \
  X(CUDNN_STATUS_INTERNAL_ERROR, 4000) \
  X(CUDNN_STATUS_EXECUTION_FAILED, 5000)

#define CUDNN_VALUES(X) CUDNN_DESCRIPTORS(X) CUDNN_ATTRIBUTES(X) CUDNN_TYPES(X) CUDNN_NUMBERS(X)

#ifdef CUDNN_MAJOR
#define SAME(name, value) _Static_assert(name == value, #name);
CUDNN_VALUES(SAME)
#undef SAME
#endif

#define CUDNN_LIST(X) \
  X(cudnnGetVersion, size_t, (void), ()) \
  X(cudnnGetCudartVersion, size_t, (void), ()) \
  X(cudnnGetErrorString, const char *, (unsigned status), (status)) \
  X(cudnnGetLastErrorString, void, (char *said, size_t most), (said, most)) \
  X(cudnnCreate, unsigned, (struct cudnnContext **handle), (handle)) \
  X(cudnnDestroy, unsigned, (struct cudnnContext *handle), (handle)) \
  X(cudnnSetStream, unsigned, (struct cudnnContext *handle, struct CUstream_st *stream), (handle, stream)) \
  X(cudnnBackendCreateDescriptor, unsigned, (unsigned kind, void **d), (kind, d)) \
  X(cudnnBackendDestroyDescriptor, unsigned, (void *d), (d)) \
  X(cudnnBackendFinalize, unsigned, (void *d), (d)) \
  X(cudnnBackendSetAttribute, unsigned, (void *d, unsigned name, unsigned type, int64_t count, const void *values), \
    (d, name, type, count, values)) \
  X(cudnnBackendGetAttribute, unsigned, \
    (void *d, unsigned name, unsigned type, int64_t wanted, int64_t *count, void *values), \
    (d, name, type, wanted, count, values)) \
  X(cudnnBackendExecute, unsigned, (struct cudnnContext *handle, void *plan, void *pack), (handle, plan, pack))

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  CUDNN_LIST(FIELD)
} cudnn_table;
#undef FIELD

static inline size_t halo_cudnnGetVersion(const cudnn_table *t) { return t->cudnnGetVersion(); }
static inline size_t halo_cudnnGetCudartVersion(const cudnn_table *t) { return t->cudnnGetCudartVersion(); }
static inline const char *halo_cudnnGetErrorString(const cudnn_table *t, unsigned status) {
  return t->cudnnGetErrorString(status);
}

// halo_cudnn_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks or
// null if there is no memory. The table stays as long as the process.
cudnn_table *halo_cudnn_load(void *lib, const char **missing);

// The library on one device, which one thread uses at a time.
typedef struct halo_cudnn halo_cudnn;

// halo_cudnn_create makes it for the context that is current, which must be so again in the calls below; null if that
// fails. With a description it is for a device that is not there, on which nothing can run.
unsigned halo_cudnn_create(const cudnn_table *t, const char *description, halo_cudnn **out);
unsigned halo_cudnn_destroy(halo_cudnn *h);

enum { HALO_SPACE = 3, HALO_DIMS = HALO_SPACE + 2 };

// An array: batch or output features, input features, space; by the library's number of its type.
typedef struct {
  int64_t type, dims[HALO_DIMS], strides[HALO_DIMS];
} halo_cudnn_tensor;

// A convolution of x with w to y along rank dimensions of space, of which the kind says which is computed. If
// added is not 0 an array like y is added to it, and with a bias then a number for each feature, in the type of sums.
enum { HALO_FORWARD, HALO_BACKWARD_DATA, HALO_BACKWARD_FILTER, HALO_CONVOLUTIONS };
typedef struct {
  int64_t kind, rank, sum;
  halo_cudnn_tensor x, w, y;
  int64_t stride[HALO_SPACE], dilation[HALO_SPACE], pre[HALO_SPACE], post[HALO_SPACE];
  int64_t bias, added;
  int64_t rounded; // operands of f32 may be rounded to TF32
} halo_cudnn_shape;

// A way to do a convolution: which of what a mode proposes it is, the number of its engine, a bit for each note of
// this, and the workspace that it takes.
typedef struct {
  int64_t mode, index, engine, notes, bytes;
} halo_cudnn_way;

// A convolution, which can be enqueued once a way has been taken. Its words are the addresses of x, w, y, of the bias
// and of what is added if there are such, and of the workspace.
typedef struct halo_cudnn_plan halo_cudnn_plan;

enum { HALO_SAID = 256 };

// halo_cudnn_open describes a convolution. out is null if that fails, and said what the library says of it besides.
unsigned halo_cudnn_open(halo_cudnn *h, const halo_cudnn_shape *shape, halo_cudnn_plan **out, char said[HALO_SAID]);

// halo_cudnn_ways lists up to count ways that the library proposes, the best first, which compute as the types say and
// always the same, with at most so many bytes of workspace. It fails if there is none.
unsigned halo_cudnn_ways(halo_cudnn_plan *p, int64_t most, halo_cudnn_way *ways, int64_t count, int64_t *found,
                         char said[HALO_SAID]);

// halo_cudnn_take has the convolution done in a way from now on. It fails if the library proposes that no more.
unsigned halo_cudnn_take(halo_cudnn_plan *p, int64_t most, const halo_cudnn_way *way, char said[HALO_SAID]);

// halo_cudnn_close frees it.
void halo_cudnn_close(halo_cudnn_plan *p);

#endif
