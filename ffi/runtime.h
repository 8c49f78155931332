// runtime.h: what a call of a function in C needs. A site is a custom call as it was compiled; a frame is the memory of
// one call of it at a time, used again and again. Go builds sites, C runs them: nothing here points into Go's memory,
// but the addresses of arrays for the time of a call.
#ifndef HALO_FFI_RUNTIME_H
#define HALO_FFI_RUNTIME_H

#include <pthread.h>

#include "include/xla/ffi/api/c_api.h"

#define HALO_HIDDEN __attribute__((visibility("hidden")))

enum { HALO_STAGES = 4, HALO_STATES = 3, HALO_ALIGNMENT = 64, HALO_ENDERS = 256 };

// HALO_PENDING is what halo_frame_call returns, instead of a code, for a call whose function has not ended its future.
enum { HALO_PENDING = -1 };

struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  char message[];
};

// halo_state is an object that a function gave to the runtime; type is 0 if there is none.
typedef struct {
  int64_t type;
  void *object;
  void (*deleter)(void *);
} halo_state;

// halo_user is what the caller attaches to a run.
typedef struct {
  int64_t type;
  void *data;
} halo_user;

// halo_array is an operand or a result of a site. In halo's memory it lies row-major, width bytes an element; the
// function sees it packed if bits is below 8, and in the order of sizes and strides if there are some.
typedef struct {
  XLA_FFI_DataType dtype;
  int32_t bits, width, is_signed;
  int64_t rank;
  int64_t *dims;
  const int64_t *sizes, *strides; // major to minor as the function sees it; strides in halo's elements; or NULL
  int64_t elements, bytes;        // bytes are what the function sees
  int64_t alias;                  // of an operand: the result that has its memory, of all arrays; or -1
  int64_t bounce;                 // where it lies in the frame's own memory, if it has to
} halo_array;

typedef struct {
  int32_t version; // of the calling convention
  int32_t tuple;   // the old conventions get a table of results
  int32_t on_stream; // of a GPU: there is a stream, and arrays are handed over where they lie
  XLA_FFI_Handler *stage[HALO_STAGES];
  int32_t minor[HALO_STAGES];
  XLA_FFI_Attrs attrs;
  const char *opaque;
  size_t opaque_bytes;
  int64_t operands, results;
  halo_array *arrays; // operands, then results
  int32_t *types;     // as many ones as there are arrays
  int64_t bounce_bytes;
  const halo_user *users;
  int64_t user_count;
  void *library;        // that has the functions, for dlsym
  halo_state instance;
  int32_t ender_count, enders[HALO_ENDERS]; // threads of others that ended calls, see halo_site_ended_by
} halo_site;

typedef struct halo_scratch {
  struct halo_scratch *next;
  void *data;
} halo_scratch;

struct XLA_FFI_InvokeContext {
  const halo_site *site;
  halo_state *states[HALO_STATES]; // by stage
  int32_t stage, minor;
  int64_t run;
  int32_t device;
  void *stream;
  pthread_mutex_t mu; // of scratch
  halo_scratch *scratch;
};

// halo_status is the XlaCustomCallStatus of the old conventions.
typedef struct {
  int32_t failed;
  char *text;
} halo_status;

typedef struct {
  XLA_FFI_CallFrame call;
  XLA_FFI_InvokeContext context;
  halo_site *site;
  halo_state states[HALO_STATES]; // those of prepare and initialize are the frame's
  int32_t prepared;
  char *lent, *bounce; // memory for arrays that cannot stay where they lie: the caller's for this call, or the frame's
  void **address; // set before a call: where the arrays lie
  XLA_FFI_Buffer *buffers;
  void **pointers; // to the buffers
  void **data;     // the buffers' data, for the old conventions
  halo_status status;
  char *message;
} halo_frame;

// From call.c.
HALO_HIDDEN halo_frame *halo_frame_new(halo_site *);
HALO_HIDDEN void halo_frame_free(halo_frame *);
// halo_frame_call runs a stage, or execute and before that what has to be run once before it. It returns the code of
// frame->message, 0 for success; the caller frees the message.
// The frame comes as a number since Go looks at pointers.
HALO_HIDDEN int32_t halo_frame_call(uintptr_t frame, int32_t stage, int64_t run, int32_t device);
// halo_frame_wait returns as halo_frame_call does for a call that is pending; if it is patient, when the call is over
// or halo_future_interrupt was called.
HALO_HIDDEN int32_t halo_frame_wait(uintptr_t frame, int32_t patient);
// halo_frame_reset ends a run: its states are deleted.
HALO_HIDDEN void halo_frame_reset(halo_frame *);
HALO_HIDDEN void halo_state_delete(halo_state *);
// halo_metadata asks a function for its version. It returns a code as halo_frame_call does.
HALO_HIDDEN int32_t halo_metadata(XLA_FFI_Handler *, void *library, int32_t version[2], uint32_t *traits,
                                  char **message);

// halo_pointer calls a function without arguments, NULL if it throws.
HALO_HIDDEN void *halo_pointer(void *function, void *library);

// What is exported to libraries, see export.go: a status of the old conventions, NULL for success, and the table.
HALO_HIDDEN void halo_status_set(void *status, const char *text, size_t bytes);
HALO_HIDDEN const void *halo_table(void);

// From arrays.c.
HALO_HIDDEN void halo_arrays_enter(halo_frame *);
HALO_HIDDEN void halo_arrays_leave(halo_frame *);

// From api.c.
extern HALO_HIDDEN const XLA_FFI_Api halo_api;
HALO_HIDDEN XLA_FFI_Error *halo_error(XLA_FFI_Error_Code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
extern HALO_HIDDEN __thread XLA_FFI_Error *halo_made; // on this thread, and last; it may be gone
HALO_HIDDEN void halo_scratch_free(XLA_FFI_InvokeContext *);

// From types.c. The version of the function that runs on this thread, -1 if nobody knows it.
extern HALO_HIDDEN __thread int32_t halo_minor;
HALO_HIDDEN XLA_FFI_Error *halo_type_register(const char *name, size_t len, XLA_FFI_TypeId *, const XLA_FFI_TypeInfo *);
HALO_HIDDEN XLA_FFI_Error *halo_state_set(XLA_FFI_State_Set_Args *);
HALO_HIDDEN XLA_FFI_Error *halo_state_get(XLA_FFI_State_Get_Args *);
HALO_HIDDEN XLA_FFI_Error *halo_type_set(XLA_FFI_Type_Register_Args *);
HALO_HIDDEN XLA_FFI_Error *halo_handler_set(XLA_FFI_Handler_Register_Args *);
// halo_registrations is how many there have been. halo_registered takes those behind so many that nobody has taken, the
// last one first; the caller frees them. What has no function any more, since its library is closed, is none.
typedef struct halo_registration {
  struct halo_registration *next;
  int64_t number;
  XLA_FFI_Handler_Bundle bundle;
  size_t bytes;
  char name[];
} halo_registration;
HALO_HIDDEN int64_t halo_registrations(void);
HALO_HIDDEN halo_registration *halo_registered(int64_t behind);

// From pool.c.
HALO_HIDDEN XLA_FFI_Error *halo_pool_schedule(XLA_FFI_Task *, void *data);
HALO_HIDDEN int64_t halo_pool_threads(void);
HALO_HIDDEN int64_t halo_pool_pending(void); // tasks that wait or run
extern HALO_HIDDEN __thread int32_t halo_pool_thread; // this thread is one of them

// From future.c.
HALO_HIDDEN XLA_FFI_Error *halo_future_create(XLA_FFI_Future_Create_Args *);
HALO_HIDDEN XLA_FFI_Error *halo_future_available(XLA_FFI_Future_SetAvailable_Args *);
HALO_HIDDEN XLA_FFI_Error *halo_future_error(XLA_FFI_Future_SetError_Args *);
// halo_future_take waits for the end of a future, if patient until halo_future_interrupt. If it has ended, it is gone,
// and the result is 1; then there are its error, or NULL, and the thread that ended it, 0 if that is one of ours.
HALO_HIDDEN int halo_future_take(XLA_FFI_Future *, int patient, XLA_FFI_Error **, int32_t *ender);
HALO_HIDDEN void halo_future_interrupt(XLA_FFI_Future *);
// halo_future_drop forgets a future that nobody will wait for.
HALO_HIDDEN void halo_future_drop(XLA_FFI_Future *);

// From guard.c. halo_guard calls f(arg); a C++ exception that leaves it becomes an error.
HALO_HIDDEN XLA_FFI_Error *halo_guard(void *(*f)(void *), void *arg, void *library);

#endif
