// called.h: what code that is made while a program is compiled calls: with vectors of 64 bytes the stages, which have
// all of a block in registers; with those of 32 bytes loops of functions.h.
#if VB == 64
#if LANE == 32
#define CALL32 CALL
#else
#define CALL32(name)
#endif
#define LEAVE1(a, k) *(VIm *)(to + k * VB) = a;
static void give_back(ARGS) {
  (void)s;
  char *to = p[0];
  EACH(LEAVE1)
}
INLINE void called(stage_fn f, char *v, const char *w) {
  char *p[] = {v, (char *)w};
  const stage list[] = {{.a = 1}, {.fn = (void (*)(void))give_back}};
  f(p, list, LOAD(v, 0), LOAD(v, 1), LOAD(v, 2), LOAD(v, 3), LOAD(v, 4), LOAD(v, 5), LOAD(v, 6), LOAD(v, 7));
}
#define CALL(name)                                                                                                     \
  static void s_call_##name(char *v, const char *w) { called(s_##name, v, w); }
#include "calls.def"
#undef CALL
#undef CALL32
#endif
