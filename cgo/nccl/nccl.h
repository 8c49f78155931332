/* NVIDIA's collectives between GPUs: its nccl.h, from version 2.14 on, which has communicators that do not block. One
 * row a function:
 *   X(symbol, result, (parameters), (arguments))
 * A status is an unsigned, as are the enumerations. The lists make the table, its loader and the forwards, so they are
 * the only place to edit. scripts/check-headers.sh compares with the vendor's header; only there that comes first and
 * gives the types. */
#ifndef HALO_NCCL_H
#define HALO_NCCL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ncclComm *halo_nccl_comm;
typedef struct CUstream_st *halo_nccl_stream;

// The first fields of the configuration, all that 2.14 has: a library reads as many as size says, and takes what it
// would choose itself for those that the version does not know.
typedef struct {
  size_t size;
  unsigned magic, version;
  int blocking, rest;
} halo_nccl_first;

#ifdef NCCL_MAJOR
typedef ncclUniqueId halo_nccl_id;
typedef ncclConfig_t halo_nccl_config;
_Static_assert(sizeof(halo_nccl_id) == 128, "the size of an id");
_Static_assert(offsetof(ncclConfig_t, magic) == offsetof(halo_nccl_first, magic) &&
               offsetof(ncclConfig_t, version) == offsetof(halo_nccl_first, version) &&
               offsetof(ncclConfig_t, blocking) == offsetof(halo_nccl_first, blocking) &&
               offsetof(ncclConfig_t, cgaClusterSize) == offsetof(halo_nccl_first, rest), "the first fields");
_Static_assert(ncclSuccess == 0 && ncclUnhandledCudaError == 1 && ncclSystemError == 2 && ncclInternalError == 3 &&
               ncclInvalidArgument == 4 && ncclInvalidUsage == 5 && ncclRemoteError == 6 && ncclInProgress == 7,
               "the statuses");
_Static_assert(ncclInt8 == 0 && ncclUint8 == 1 && ncclInt32 == 2 && ncclUint32 == 3 && ncclInt64 == 4 &&
               ncclUint64 == 5 && ncclFloat16 == 6 && ncclFloat32 == 7 && ncclFloat64 == 8 && ncclBfloat16 == 9,
               "the types of elements");
_Static_assert(ncclSum == 0 && ncclProd == 1 && ncclMax == 2 && ncclMin == 3, "the reductions");
#else
typedef struct {
  char internal[128];
} halo_nccl_id;
typedef halo_nccl_first halo_nccl_config;
#endif

enum { HALO_NCCL_MAGIC = 0xcafebeef - (1LL << 32), HALO_NCCL_VERSION = 21400, HALO_NCCL_IN_PROGRESS = 7 };

#define NCCL_CALLS(X) \
  X(ncclGetVersion, unsigned, (int *version), (version)) \
  X(ncclGetUniqueId, unsigned, (halo_nccl_id *id), (id)) \
  X(ncclGetErrorString, const char *, (unsigned status), (status)) \
  X(ncclGetLastError, const char *, (halo_nccl_comm comm), (comm)) \
  X(ncclCommInitRankConfig, unsigned, (halo_nccl_comm *comm, int ranks, halo_nccl_id id, int rank, \
      halo_nccl_config *config), (comm, ranks, id, rank, config)) \
  X(ncclCommGetAsyncError, unsigned, (halo_nccl_comm comm, unsigned *status), (comm, status)) \
  X(ncclCommAbort, unsigned, (halo_nccl_comm comm), (comm)) \
  X(ncclAllReduce, unsigned, (const void *send, void *recv, size_t count, unsigned type, unsigned op, \
      halo_nccl_comm comm, halo_nccl_stream stream), (send, recv, count, type, op, comm, stream)) \
  X(ncclAllGather, unsigned, (const void *send, void *recv, size_t count, unsigned type, halo_nccl_comm comm, \
      halo_nccl_stream stream), (send, recv, count, type, comm, stream)) \
  X(ncclSend, unsigned, (const void *send, size_t count, unsigned type, int peer, halo_nccl_comm comm, \
      halo_nccl_stream stream), (send, count, type, peer, comm, stream)) \
  X(ncclRecv, unsigned, (void *recv, size_t count, unsigned type, int peer, halo_nccl_comm comm, \
      halo_nccl_stream stream), (recv, count, type, peer, comm, stream))

#define NCCL_GROUPS(X) \
  X(ncclGroupStart, unsigned, (void), ()) \
  X(ncclGroupEnd, unsigned, (void), ())

#define NCCL_LIST(X) NCCL_CALLS(X) NCCL_GROUPS(X)

#define FIELD(name, result, params, args) result(*name) params;
typedef struct {
  NCCL_LIST(FIELD)
} nccl_table;
#undef FIELD

#define UNPACK(...) __VA_ARGS__
#define FORWARD(name, result, params, args) \
  static inline result halo_##name(const nccl_table *t, UNPACK params) { return t->name args; }
NCCL_CALLS(FORWARD)
#undef FORWARD
#undef UNPACK

// halo_nccl_load makes a table of the functions of lib. It returns null, and in missing the name of what lib lacks or
// null if there is no memory. The table stays as long as the process.
nccl_table *halo_nccl_load(void *lib, const char **missing);

// halo_nccl_join begins a communicator that does not block.
unsigned halo_nccl_join(const nccl_table *t, halo_nccl_comm *comm, int ranks, const halo_nccl_id *id, int rank);

enum { HALO_ALL_REDUCE, HALO_ALL_GATHER, HALO_SEND, HALO_RECV };

// One operation of a group; op is a reduction's.
typedef struct {
  int64_t kind;
  halo_nccl_comm comm;
  halo_nccl_stream stream;
  uint64_t send, recv, count;
  uint32_t type, op;
  int64_t peer;
} halo_nccl_op;

// halo_nccl_group enqueues operations as one group. It returns the first status that is a fault, with the number of the
// operation in failed, -1 for the group as a whole; else that of the end, which may be HALO_NCCL_IN_PROGRESS.
unsigned halo_nccl_group(const nccl_table *t, const halo_nccl_op *list, int64_t count, int64_t *failed);

#endif
