//go:build linux
#include "nccl.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

nccl_table *halo_nccl_load(void *lib, const char **missing) {
  *missing = 0;
  nccl_table *t = malloc(sizeof *t);
  if (!t) return 0;
  NCCL_LIST(LOAD)
  return t;
}

unsigned halo_nccl_join(const nccl_table *t, halo_nccl_comm *comm, int ranks, const halo_nccl_id *id, int rank) {
  halo_nccl_config config = {sizeof config, (unsigned)HALO_NCCL_MAGIC, HALO_NCCL_VERSION, 0, INT_MIN};
  return t->ncclCommInitRankConfig(comm, ranks, *id, rank, &config);
}

static void *at(uint64_t address) { return (void *)(uintptr_t)address; }

static unsigned all_reduce(const nccl_table *t, const halo_nccl_op *o) {
  return t->ncclAllReduce(at(o->send), at(o->recv), o->count, o->type, o->op, o->comm, o->stream);
}

static unsigned all_gather(const nccl_table *t, const halo_nccl_op *o) {
  return t->ncclAllGather(at(o->send), at(o->recv), o->count, o->type, o->comm, o->stream);
}

static unsigned send(const nccl_table *t, const halo_nccl_op *o) {
  return t->ncclSend(at(o->send), o->count, o->type, (int)o->peer, o->comm, o->stream);
}

static unsigned recv(const nccl_table *t, const halo_nccl_op *o) {
  return t->ncclRecv(at(o->recv), o->count, o->type, (int)o->peer, o->comm, o->stream);
}

static unsigned (*const operations[])(const nccl_table *, const halo_nccl_op *) = {
  [HALO_ALL_REDUCE] = all_reduce, [HALO_ALL_GATHER] = all_gather, [HALO_SEND] = send, [HALO_RECV] = recv,
};

unsigned halo_nccl_group(const nccl_table *t, const halo_nccl_op *list, int64_t count, int64_t *failed) {
  *failed = -1;
  unsigned status = t->ncclGroupStart();
  if (status) return status;
  for (int64_t i = 0; i < count && !status; i++) {
    status = operations[list[i].kind](t, list + i);
    if (status == HALO_NCCL_IN_PROGRESS) status = 0;
    if (status) *failed = i;
  }
  const unsigned end = t->ncclGroupEnd(); // also after a fault: the thread must not stay in the group
  return status ? status : end;
}
