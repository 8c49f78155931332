// types.c: identities of types, states, and what functions register themselves. Layouts of older versions are told
// apart by the version that a function said it has.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

__thread int32_t halo_minor = -1;

// known_type is a type that somebody registered. Identities are written to variables of libraries, which may outlive
// every client, so the table is the process's and nothing is ever taken out.
typedef struct known_type {
  struct known_type *next;
  int64_t id;
  size_t bytes;
  char name[];
} known_type;

// known_deleter is how objects of a type end that those make who name it by the variable at: libraries with a type of
// the same name have a deleter each, which ends with its library.
typedef struct known_deleter {
  struct known_deleter *next;
  const XLA_FFI_TypeId *at;
  int64_t id;
  void (*deleter)(void *);
} known_deleter;

static struct {
  pthread_mutex_t mu;
  known_type *types;
  known_deleter *deleters; // the last one first
  int64_t last;
  halo_registration *handlers; // the last one first
  int64_t registrations;
} table = {.mu = PTHREAD_MUTEX_INITIALIZER};

static known_type *by_name(const char *name, size_t bytes) {
  for (known_type *t = table.types; t; t = t->next)
    if (t->bytes == bytes && !memcmp(t->name, name, bytes))
      return t;
  return NULL;
}

static known_type *by_id(int64_t id) {
  for (known_type *t = table.types; t; t = t->next)
    if (t->id == id)
      return t;
  return NULL;
}

static known_type *add_type(const char *name, size_t bytes, int64_t id) {
  known_type *t = calloc(1, sizeof *t + bytes);
  if (!t)
    abort();
  if (!id)
    do
      id = ++table.last;
    while (by_id(id));
  t->id = id;
  t->bytes = bytes;
  memcpy(t->name, name, bytes);
  t->next = table.types;
  table.types = t;
  return t;
}

static void set_deleter(const XLA_FFI_TypeId *at, void (*deleter)(void *)) {
  known_deleter **p = &table.deleters;
  while (*p && (*p)->at != at)
    p = &(*p)->next;
  known_deleter *d = *p;
  if (d)
    *p = d->next;
  else if (!(d = malloc(sizeof *d)))
    abort();
  *d = (known_deleter){table.deleters, at, at->type_id, deleter};
  table.deleters = d;
}

XLA_FFI_Error *halo_type_register(const char *name, size_t bytes, XLA_FFI_TypeId *id, const XLA_FFI_TypeInfo *info) {
  XLA_FFI_Error *error = NULL;
  pthread_mutex_lock(&table.mu);
  known_type *t = by_name(name, bytes);
  if (id->type_id < 0 || (t && id->type_id && id->type_id != t->id) || (!t && id->type_id && by_id(id->type_id))) {
    error = halo_error(XLA_FFI_Error_Code_ALREADY_EXISTS, "type %.*s cannot have id %lld", (int)bytes, name,
                       (long long)id->type_id);
  } else {
    if (!t)
      t = add_type(name, bytes, id->type_id);
    id->type_id = t->id;
    if (info && info->struct_size >= XLA_FFI_TypeInfo_STRUCT_SIZE)
      set_deleter(id, info->deleter);
  }
  pthread_mutex_unlock(&table.mu);
  return error;
}

// MAX_NAME is how many bytes the name of a type or a target may have.
enum { MAX_NAME = 1 << 16 };

static XLA_FFI_Error *check_name(const char *call, XLA_FFI_ByteSpan name) {
  if (name.len <= MAX_NAME && (name.ptr || !name.len))
    return NULL;
  return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "%s: a name of %zu bytes, want at most %d", call, name.len,
                    MAX_NAME);
}

XLA_FFI_Error *halo_type_set(XLA_FFI_Type_Register_Args *a) {
  if (a->struct_size < XLA_FFI_Type_Register_Args_STRUCT_SIZE)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "Type_Register: struct_size is %zu", a->struct_size);
  XLA_FFI_Error *error = check_name("Type_Register", a->name);
  if (error)
    return error;
  return halo_type_register(a->name.ptr, a->name.len, a->type_id, halo_minor >= 2 ? a->type_info : NULL);
}

XLA_FFI_Error *halo_handler_set(XLA_FFI_Handler_Register_Args *a) {
  if (a->struct_size < offsetof(XLA_FFI_Handler_Register_Args, bundle.record))
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "Handler_Register: struct_size is %zu", a->struct_size);
  XLA_FFI_Error *error = check_name("Handler_Register", a->name);
  if (error)
    return error;
  if (a->platform.len != 4 || memcmp(a->platform.ptr, "Host", 4))
    return NULL; // for another device
  halo_registration *r = calloc(1, sizeof *r + a->name.len + 1);
  if (!r)
    abort();
  memcpy(&r->bundle, &a->bundle, offsetof(XLA_FFI_Handler_Bundle, record));
  r->bytes = a->name.len;
  memcpy(r->name, a->name.ptr, a->name.len);
  pthread_mutex_lock(&table.mu);
  r->number = ++table.registrations;
  r->next = table.handlers;
  table.handlers = r;
  pthread_mutex_unlock(&table.mu);
  return NULL;
}

int64_t halo_registrations(void) {
  pthread_mutex_lock(&table.mu);
  const int64_t n = table.registrations;
  pthread_mutex_unlock(&table.mu);
  return n;
}

// is_there says whether a library that is open has the function.
static int is_there(const halo_registration *r) {
  Dl_info info;
  return r->bundle.execute && dladdr((void *)r->bundle.execute, &info);
}

halo_registration *halo_registered(int64_t behind) {
  halo_registration *taken = NULL, **end = &taken;
  pthread_mutex_lock(&table.mu);
  while (table.handlers && table.handlers->number > behind) {
    *end = table.handlers;
    end = &table.handlers->next;
    table.handlers = table.handlers->next;
  }
  pthread_mutex_unlock(&table.mu);
  *end = NULL;
  for (halo_registration **at = &taken; *at;) { // the loader calls halo_handler_set while it has a lock of its own
    halo_registration *r = *at;
    if (is_there(r)) {
      at = &r->next;
    } else {
      *at = r->next;
      free(r);
    }
  }
  return taken;
}

void halo_state_delete(halo_state *s) {
  if (s->type && s->deleter && s->object)
    s->deleter(s->object);
  memset(s, 0, sizeof *s);
}

// What State_Set and State_Get are called with until 0.2: a deleter is there only in 0.1.
typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_InvokeContext *ctx;
  XLA_FFI_TypeId *type_id;
  void *state;
  void (*deleter)(void *);
} old_state_args;

// deleter_of is that of the variable, or, where nobody has registered that one, the last of the type that there was.
static void (*deleter_of(const XLA_FFI_TypeId *at))(void *) {
  const known_deleter *found = NULL;
  pthread_mutex_lock(&table.mu);
  for (const known_deleter *d = table.deleters; d && !(found && found->at == at); d = d->next)
    if (d->id == at->type_id && (d->at == at || !found))
      found = d;
  void (*deleter)(void *) = found ? found->deleter : NULL;
  pthread_mutex_unlock(&table.mu);
  return deleter;
}

static XLA_FFI_Error *set(XLA_FFI_InvokeContext *ctx, int stage, halo_state new) {
  if (stage < 0 || stage >= HALO_STATES)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "stage %d has no state", stage);
  if (new.type <= 0)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "the state's type is not registered");
  if (ctx->states[stage]->type)
    return halo_error(XLA_FFI_Error_Code_FAILED_PRECONDITION, "the state of stage %d is set already", stage);
  *ctx->states[stage] = new;
  return NULL;
}

XLA_FFI_Error *halo_state_set(XLA_FFI_State_Set_Args *a) {
  if (a->struct_size < 40)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "State_Set: struct_size is %zu", a->struct_size);
  if (a->ctx->minor >= 3)
    return set(a->ctx, a->stage, (halo_state){a->type_id->type_id, a->state, deleter_of(a->type_id)});
  old_state_args *old = (old_state_args *)a;
  int has_deleter = a->ctx->minor < 2 && a->struct_size >= sizeof *old;
  void (*deleter)(void *) = has_deleter ? old->deleter : deleter_of(old->type_id);
  return set(a->ctx, a->ctx->stage, (halo_state){old->type_id->type_id, old->state, deleter});
}

static XLA_FFI_Error *get(XLA_FFI_InvokeContext *ctx, int stage, int64_t type, void **out) {
  if (stage < 0 || stage >= HALO_STATES)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "stage %d has no state", stage);
  const halo_state *s = ctx->states[stage];
  if (!s->type)
    return halo_error(XLA_FFI_Error_Code_NOT_FOUND, "nobody has set a state in stage %d", stage);
  if (s->type != type)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "the state has type id %lld, not %lld", (long long)s->type,
                      (long long)type);
  *out = s->object;
  return NULL;
}

XLA_FFI_Error *halo_state_get(XLA_FFI_State_Get_Args *a) {
  if (a->struct_size < 40)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "State_Get: struct_size is %zu", a->struct_size);
  if (a->ctx->minor >= 3)
    return get(a->ctx, a->stage, a->type_id->type_id, &a->state);
  old_state_args *old = (old_state_args *)a;
  return get(a->ctx, XLA_FFI_ExecutionStage_INSTANTIATE, old->type_id->type_id, &old->state);
}
