// guard.c: calls that C++ exceptions may leave. halo links no C++: a frame of our own in assembly has a personality,
// which tells the unwinder of the function's library that exceptions are caught there. What they are, the library's own
// C++ runtime says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "runtime.h"


// halo_caught calls f(arg). An exception that leaves f is put in *exception.
HALO_HIDDEN void *halo_caught(void *(*f)(void *), void *arg, void **exception);
extern HALO_HIDDEN char halo_caught_landing[];

#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl halo_caught\n"
        ".hidden halo_caught\n"
        ".type halo_caught, @function\n"
        "halo_caught:\n"
        "  .cfi_startproc\n"
        "  .cfi_personality 0x1b, halo_personality\n"
        "  pushq %rbx\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset %rbx, -16\n"
        "  movq %rdx, %rbx\n"
        "  movq %rdi, %rax\n"
        "  movq %rsi, %rdi\n"
        "  call *%rax\n"
        "  jmp 1f\n"
        ".globl halo_caught_landing\n"
        ".hidden halo_caught_landing\n"
        "halo_caught_landing:\n"
        "  movq %rax, (%rbx)\n"
        "  xorl %eax, %eax\n"
        "1:\n"
        "  popq %rbx\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size halo_caught, .-halo_caught\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl halo_caught\n"
        ".hidden halo_caught\n"
        ".type halo_caught, %function\n"
        "halo_caught:\n"
        "  .cfi_startproc\n"
        "  .cfi_personality 0x1b, halo_personality\n"
        "  stp x29, x30, [sp, -32]!\n"
        "  .cfi_def_cfa_offset 32\n"
        "  .cfi_offset x29, -32\n"
        "  .cfi_offset x30, -24\n"
        "  str x19, [sp, 16]\n"
        "  .cfi_offset x19, -16\n"
        "  mov x29, sp\n"
        "  mov x19, x2\n"
        "  mov x9, x0\n"
        "  mov x0, x1\n"
        "  blr x9\n"
        "  b 1f\n"
        ".globl halo_caught_landing\n"
        ".hidden halo_caught_landing\n"
        "halo_caught_landing:\n"
        "  str x0, [x19]\n"
        "  mov x0, xzr\n"
        "1:\n"
        "  ldr x19, [sp, 16]\n"
        "  ldp x29, x30, [sp], 32\n"
        "  .cfi_restore x19\n"
        "  .cfi_restore x30\n"
        "  .cfi_restore x29\n"
        "  .cfi_def_cfa_offset 0\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size halo_caught, .-halo_caught\n");
#else
void *halo_caught(void *(*f)(void *), void *arg, void **exception) { return f(arg); }
char halo_caught_landing[1];
#endif

// unwinder finds a function of the unwinder, which whoever throws has brought with him.
static void *unwinder(const char *name) {
  void *p = dlsym(RTLD_DEFAULT, name);
  if (p)
    return p;
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD);
  p = library ? dlsym(library, name) : NULL;
  if (library)
    dlclose(library);
  return p;
}

// halo_personality is asked about each exception that reaches halo_caught. A thread that is being ended goes on.
HALO_HIDDEN __attribute__((used)) _Unwind_Reason_Code halo_personality(int version, _Unwind_Action actions,
                                                                       _Unwind_Exception_Class class,
                                                                       struct _Unwind_Exception *exception,
                                                                       struct _Unwind_Context *context) {
  (void)class;
  void (*set_register)(struct _Unwind_Context *, int, _Unwind_Word) = unwinder("_Unwind_SetGR");
  void (*set_ip)(struct _Unwind_Context *, _Unwind_Ptr) = unwinder("_Unwind_SetIP");
  if (version != 1 || actions & _UA_FORCE_UNWIND || !set_register || !set_ip)
    return _URC_CONTINUE_UNWIND;
  if (actions & _UA_SEARCH_PHASE)
    return _URC_HANDLER_FOUND;
  set_register(context, __builtin_eh_return_data_regno(0), (_Unwind_Word)exception);
  set_ip(context, (_Unwind_Ptr)halo_caught_landing);
  return _URC_INSTALL_CONTEXT;
}

// symbol looks a name up in the library and what it needs.
static void *symbol(void *library, const char *name) { return dlsym(library ? library : RTLD_DEFAULT, name); }

static int is_cxx(_Unwind_Exception_Class class) {
  char name[8];
  for (int i = 0; i < 8; i++)
    name[i] = (char)(class >> (8 * (7 - i)));
  return !memcmp(name, "GNUCC++", 7) || !memcmp(name, "CLNGC++", 7);
}

// thrown returns the object of an exception, NULL if nobody knows where it is: behind its header, or, if it was thrown
// again from another thread, where the header of libstdc++ says.
static void *thrown(struct _Unwind_Exception *exception) {
  if (!(exception->exception_class & 0xff))
    return exception + 1;
  return exception->exception_class >> 56 == 'G' ? ((void **)exception)[-10] : NULL;
}

// what returns the text of a std::exception, which object is if its type, type, can be caught as one; else NULL. The
// places in the tables of virtual functions are those of the C++ ABI: std::type_info's test is the fifth function in
// libstdc++ and libc++, std::exception's what the third.
static const char *what(void *library, void *type, void *object) {
  typedef int test(void *self, void *type, void **object, unsigned outer);
  void *base = symbol(library, "_ZTISt9exception");
  if (!base || !type || !object || !(*(test ***)base)[4](base, type, &object, 1))
    return NULL;
  typedef const char *text(void *self);
  return (*(text ***)object)[2](object);
}

// describe ends an exception and makes an error of it.
static XLA_FFI_Error *describe(struct _Unwind_Exception *exception, void *library) {
  void *(*begin)(void *) = symbol(library, "__cxa_begin_catch");
  void (*finish)(void) = symbol(library, "__cxa_end_catch");
  void *(*type)(void) = symbol(library, "__cxa_current_exception_type");
  if (!is_cxx(exception->exception_class) || !begin || !finish || !type)
    return halo_error(XLA_FFI_Error_Code_UNKNOWN, "an exception left the function");
  void *object = thrown(exception);
  begin(exception);
  void *t = type();
  const char *message = what(library, t, object);
  XLA_FFI_Error *error;
  if (message) {
    XLA_FFI_Error_Create_Args a = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, message, XLA_FFI_Error_Code_UNKNOWN};
    error = halo_api.XLA_FFI_Error_Create(&a);
  } else {
    const char *name = t ? ((const char **)t)[1] : "unknown";
    error = halo_error(XLA_FFI_Error_Code_UNKNOWN, "an exception of type %s left the function", name);
  }
  finish();
  return error;
}

XLA_FFI_Error *halo_guard(void *(*f)(void *), void *arg, void *library) {
  void *exception = NULL;
  XLA_FFI_Error *error = halo_caught(f, arg, &exception);
  return exception ? describe(exception, library) : error;
}
