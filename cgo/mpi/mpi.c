//go:build linux
#include "mpi.h"

#include <dlfcn.h>
#include <stdlib.h>

#define FIELD(name, result, params, args) result(*name) params;
static struct {
  MPI_LIST(FIELD)
} mpi;
#undef FIELD

// What the two families call things.
static struct {
  halo_mpi_comm world;
  halo_mpi_type byte;
  halo_mpi_handler returns;
  halo_mpi_status *ignore;
  int any;
} names;

static halo_mpi_comm ours;

#define LOAD(name, result, params, args) \
  if (!(*(void **)&mpi.name = dlsym(lib, #name))) return #name;

const char *halo_mpi_load(void *lib) {
  MPI_LIST(LOAD)
  void *world = dlsym(lib, "ompi_mpi_comm_world");
  if (!world) { // MPICH's ABI, whose handles are numbers
    names.world = 0x44000000, names.byte = 0x4c00010d, names.returns = 0x54000001;
    names.ignore = (halo_mpi_status *)1, names.any = -2;
    return 0;
  }
  void *byte = dlsym(lib, "ompi_mpi_byte"), *returns = dlsym(lib, "ompi_mpi_errors_return");
  if (!byte || !returns) return "ompi_mpi_byte";
  names.world = (intptr_t)world, names.byte = (intptr_t)byte, names.returns = (intptr_t)returns;
  names.ignore = 0, names.any = -1;
  return 0;
}

int halo_mpi_open(void) { return names.any == -1; }

enum { THREAD_MULTIPLE = 3 };

int halo_mpi_start(int *rank, int *ranks, int *level) {
  int done = 0, code = mpi.MPI_Initialized(&done);
  if (!code) code = done ? mpi.MPI_Query_thread(level) : mpi.MPI_Init_thread(0, 0, THREAD_MULTIPLE, level);
  if (!code) code = mpi.MPI_Comm_dup(names.world, &ours);
  if (!code) code = mpi.MPI_Comm_set_errhandler(ours, names.returns);
  if (!code) code = mpi.MPI_Comm_rank(ours, rank);
  if (!code) code = mpi.MPI_Comm_size(ours, ranks);
  return code;
}

int halo_mpi_finish(void) { return mpi.MPI_Finalize(); }

struct halo_mpi_operation {
  halo_mpi_operation *next; // of those under way
  halo_mpi_request request;
  int done, code;
};

static halo_mpi_operation *under_way;

static halo_mpi_operation *begun(halo_mpi_operation *o, int code) {
  o->code = code, o->done = code != 0;
  if (!o->done) o->next = under_way, under_way = o;
  return o;
}

halo_mpi_operation *halo_mpi_send(void *data, int n, int to, int tag, int met) {
  halo_mpi_operation *o = calloc(1, sizeof *o);
  return o ? begun(o, (met ? mpi.MPI_Issend : mpi.MPI_Isend)(data, n, names.byte, to, tag, ours, &o->request)) : 0;
}

halo_mpi_operation *halo_mpi_receive(void *data, int n, int from, int tag) {
  halo_mpi_operation *o = calloc(1, sizeof *o);
  const int source = from < 0 ? names.any : from;
  return o ? begun(o, mpi.MPI_Irecv(data, n, names.byte, source, tag, ours, &o->request)) : 0;
}

void halo_mpi_progress(void) {
  for (halo_mpi_operation **at = &under_way; *at;) {
    halo_mpi_operation *o = *at;
    o->code = mpi.MPI_Test(&o->request, &o->done, names.ignore);
    if (o->code) o->done = 1;
    if (o->done)
      *at = o->next;
    else
      at = &o->next;
  }
}

int halo_mpi_done(const halo_mpi_operation *o, int *code) {
  *code = o->code;
  return o->done;
}

void halo_mpi_free(halo_mpi_operation *o) { free(o); }

void halo_mpi_error(int code, char *text) {
  int length = 0;
  if (mpi.MPI_Error_string(code, text, &length)) text[0] = 0;
}

void halo_mpi_version(char *text) {
  int length = 0;
  if (mpi.MPI_Get_library_version(text, &length)) text[0] = 0;
}
