// ends.h: blocks of one number, and blocks that are not whole, for the level of lanes.h.
static void fill(char *room, const void *lane) {
  I v;
  __builtin_memcpy(&v, lane, sizeof v);
  for (int k = 0; k < 8; k++)
    *(VIm *)(room + k * VB) = samei(v);
}

// tail is the vector that begins with so many bytes, fewer than it has; leave writes them.
INLINE VI tail(const char *from, int64_t bytes) {
  VI v = {};
  if (bytes == sizeof(I))
    v[0] = *(const Im *)from;
  else if (bytes)
#if defined(__x86_64__) && VB == 64
    v = (VI)_mm512_maskz_loadu_epi8(((__mmask64)1 << bytes) - 1, from);
#else
    __builtin_memcpy(&v, from, bytes);
#endif
  return v;
}
INLINE void leave(char *to, VI v, int64_t bytes) {
  if (bytes == sizeof(I))
    *(Im *)to = v[0];
  else if (bytes)
#if defined(__x86_64__) && VB == 64
    _mm512_mask_storeu_epi8(to, ((__mmask64)1 << bytes) - 1, (__m512i)v);
#else
    __builtin_memcpy(to, &v, bytes);
#endif
}

static void part(char *room, const char *from, int64_t bytes) {
  const char *end = room + 8 * VB;
  for (; bytes >= VB; bytes -= VB, room += VB, from += VB)
    *(VIm *)room = LOAD(from, 0);
  for (VI v = tail(from, bytes); room < end; room += VB, v = (VI){})
    *(VIm *)room = v;
}

static void give(char *to, const char *room, int64_t bytes) {
  for (; bytes >= VB; bytes -= VB, room += VB, to += VB)
    *(VIm *)to = LOAD(room, 0);
  leave(to, LOAD(room, 0), bytes);
}
