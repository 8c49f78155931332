/* The part of MPI that we call, from the third standard on: one row a function,
 *   X(name, result, (parameters), (arguments))
 * The list makes the table, so it is the only place to edit. scripts/check-headers.sh compares with the headers of Open
 * MPI and MPICH; only there the vendor's header comes first and gives the types. */
#ifndef HALO_MPI_H
#define HALO_MPI_H

#include <stdint.h>

/* What the standard leaves open. Handles are pointers in Open MPI and ints in MPICH and all that share its ABI: an int
 * that is passed as, or written to the first half of, a word whose rest is zero is that word on the little-endian
 * machines that we build for. */
#ifdef MPI_VERSION
typedef MPI_Comm halo_mpi_comm;
typedef MPI_Datatype halo_mpi_type;
typedef MPI_Request halo_mpi_request;
typedef MPI_Errhandler halo_mpi_handler;
typedef MPI_Status halo_mpi_status;
#else
typedef intptr_t halo_mpi_comm, halo_mpi_type, halo_mpi_request, halo_mpi_handler;
typedef void halo_mpi_status;
#endif

#define MPI_LIST(X) \
  X(MPI_Initialized, int, (int *flag), (flag)) \
  X(MPI_Init_thread, int, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided)) \
  X(MPI_Query_thread, int, (int *provided), (provided)) \
  X(MPI_Finalize, int, (void), ()) \
  X(MPI_Comm_rank, int, (halo_mpi_comm comm, int *rank), (comm, rank)) \
  X(MPI_Comm_size, int, (halo_mpi_comm comm, int *size), (comm, size)) \
  X(MPI_Comm_dup, int, (halo_mpi_comm comm, halo_mpi_comm *copy), (comm, copy)) \
  X(MPI_Comm_set_errhandler, int, (halo_mpi_comm comm, halo_mpi_handler handler), (comm, handler)) \
  X(MPI_Isend, int, (const void *data, int n, halo_mpi_type type, int to, int tag, halo_mpi_comm comm, \
      halo_mpi_request *request), (data, n, type, to, tag, comm, request)) \
  X(MPI_Issend, int, (const void *data, int n, halo_mpi_type type, int to, int tag, halo_mpi_comm comm, \
      halo_mpi_request *request), (data, n, type, to, tag, comm, request)) \
  X(MPI_Irecv, int, (void *data, int n, halo_mpi_type type, int from, int tag, halo_mpi_comm comm, \
      halo_mpi_request *request), (data, n, type, from, tag, comm, request)) \
  X(MPI_Test, int, (halo_mpi_request *request, int *done, halo_mpi_status *status), (request, done, status)) \
  X(MPI_Error_string, int, (int code, char *text, int *length), (code, text, length)) \
  X(MPI_Get_library_version, int, (char *text, int *length), (text, length))

// halo_mpi_load fills in the table. It returns the name of what is missing, or null.
const char *halo_mpi_load(void *lib);

// halo_mpi_open returns whether the library is Open MPI's.
int halo_mpi_open(void);

// halo_mpi_start initialises MPI unless the program has done it, and makes a communicator of our own. It returns the
// error code of MPI.
int halo_mpi_start(int *rank, int *ranks, int *level);
int halo_mpi_finish(void);

// An operation that is under way until halo_mpi_progress finds it done, with MPI's error code.
typedef struct halo_mpi_operation halo_mpi_operation;

// halo_mpi_send and halo_mpi_receive begin an operation on n bytes; null: there is no memory. The bytes belong
// to MPI until it is done. A met send is done when its receive has begun. A receive from -1 takes from any rank.
halo_mpi_operation *halo_mpi_send(void *data, int n, int to, int tag, int met);
halo_mpi_operation *halo_mpi_receive(void *data, int n, int from, int tag);

// halo_mpi_progress looks at every operation that is under way.
void halo_mpi_progress(void);

// halo_mpi_done returns whether an operation is, and its error code.
int halo_mpi_done(const halo_mpi_operation *, int *code);

// halo_mpi_free gives up an operation that is done.
void halo_mpi_free(halo_mpi_operation *);

enum { HALO_MPI_TEXT = 8192 };

// These write what MPI says into HALO_MPI_TEXT bytes.
void halo_mpi_error(int code, char *text);
void halo_mpi_version(char *text);

#endif
