// plain_choose.h: the choice of a window's element, and what is added to it. A part of plain_impl.h.

// CHOOSER defines the choice: an element stays chosen as long as it stands in the relation to the later ones.
#define CHOOSER(NAME, T, A, LOAD, RELATION)                                                                            \
  static void NAME(const void *R px, const int64_t *R p, int64_t count, int64_t taps, int64_t step, int64_t n,         \
                   int64_t move, int32_t *R chosen) {                                                                  \
    const T *R x = px;                                                                                                 \
    A best[CHOOSE_PLACES];                                                                                             \
    int32_t tap = 0;                                                                                                   \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      best[j] = LOAD(x[p[0] + j * move]), chosen[j] = 0;                                                               \
    for (int64_t t = 0; t < count; t++)                                                                                \
      for (int64_t k = 0; k < taps; k++, tap++) {                                                                      \
        const T *R q = x + p[t] + k * step;                                                                            \
        if (move == 1)                                                                                                 \
          for (int64_t j = 0; j < n; j++) {                                                                            \
            A v = LOAD(q[j]);                                                                                          \
            int keep = best[j] RELATION v || tap == 0;                                                                 \
            best[j] = keep ? best[j] : v;                                                                              \
            chosen[j] = keep ? chosen[j] : tap;                                                                        \
          }                                                                                                            \
        else                                                                                                           \
          for (int64_t j = 0; j < n; j++) {                                                                            \
            A v = LOAD(q[j * move]);                                                                                   \
            int keep = best[j] RELATION v || tap == 0;                                                                 \
            best[j] = keep ? best[j] : v;                                                                              \
            chosen[j] = keep ? chosen[j] : tap;                                                                        \
          }                                                                                                            \
      }                                                                                                                \
  }
#define RELATIONS(DEFINE, ...)                                                                                         \
  DEFINE(ge, >=, __VA_ARGS__)                                                                                          \
  DEFINE(gt, >, __VA_ARGS__)                                                                                           \
  DEFINE(le, <=, __VA_ARGS__)                                                                                          \
  DEFINE(lt, <, __VA_ARGS__)
#define CHOOSERS(OP, RELATION, TAG, T, A, LOAD) CHOOSER(choose_##OP##TAG, T, A, LOAD, RELATION)
RELATIONS(CHOOSERS, f32, float, float, SAME)
RELATIONS(CHOOSERS, f64, double, double, SAME)
RELATIONS(CHOOSERS, bf16, uint16_t, float, from_bf16)
RELATIONS(CHOOSERS, f16, uint16_t, float, from_f16)
RELATIONS(CHOOSERS, s32, int32_t, int32_t, SAME)

#define ADDER(NAME, T, LOAD, STORE)                                                                                    \
  static void NAME(void *po, const int64_t *p, const int32_t *chosen, int64_t move, const void *ps, int64_t n,         \
                   int64_t stride) {                                                                                   \
    T *out = po;                                                                                                       \
    const T *s = ps;                                                                                                   \
    for (int64_t j = 0; j < n; j++, out += move)                                                                       \
      out[p[chosen[j]]] = STORE(LOAD(out[p[chosen[j]]]) + LOAD(s[j * stride]));                                        \
  }
ADDER(add_at_f32, float, SAME, SAME)
ADDER(add_at_f64, double, SAME, SAME)
ADDER(add_at_bf16, uint16_t, from_bf16, bf16_of)
ADDER(add_at_f16, uint16_t, from_f16, f16_of)

// Vectors of places side by side: loads, and stores of sums where mask says so and of what was there elsewhere.
typedef int32_t vplace __attribute__((vector_size(VECTOR), aligned(4), may_alias));
typedef int64_t vlong __attribute__((vector_size(VECTOR), aligned(8), may_alias));
typedef uint16_t vnarrow __attribute__((vector_size(VECTOR / 2), aligned(2), may_alias));
#define LOAD_f32(p) (*(const vfloat *)(p))
#define LOAD_f64(p) (*(const vdouble *)(p))
#define LOAD_bf16(p) ((vfloat)(__builtin_convertvector(*(const vnarrow *)(p), vplace) << 16))
#define STORE_f32(p, mask, sum, old) (*(vfloat *)(p) = (vfloat)((mask & (vplace)(sum)) | (~mask & (vplace)old)))
#define STORE_f64(p, mask, sum, old) (*(vdouble *)(p) = (vdouble)((mask & (vlong)(sum)) | (~mask & (vlong)old)))
#define STORE_bf16(p, mask, sum, old) store_bf16(p, mask, sum, (vplace)old)
static inline void store_bf16(uint16_t *p, vplace mask, vfloat sum, vplace old) {
  const vplace v = (vplace)sum, nan = sum != sum, odd = v >> 16 & 1;
  const vplace narrow = (nan & (v | 0x400000)) | (~nan & (v + 0x7FFF + odd));
  *(vnarrow *)p = __builtin_convertvector(((mask & narrow) | (~mask & old)) >> 16 & 0xFFFF, vnarrow);
}

// SIDE defines choice and addition for places side by side. What a vector of them has chosen stays in a register, and
// every element is written, with the sum or with what it was: nobody else writes any of them meanwhile.
#define SIDE(OP, RELATION, TAG, T, V, I)                                                                               \
  static int64_t side_##OP##TAG(const void *R px, void *R po, const void *R ps, const int64_t *R p, int64_t count,     \
                                int64_t n) {                                                                           \
    enum { LANES = sizeof(V) / sizeof(((V){0})[0]) };                                                                  \
    int64_t j = 0;                                                                                                     \
    for (; j + LANES <= n; j += LANES) {                                                                               \
      const T *x = (const T *)px + j;                                                                                  \
      T *out = (T *)po + j;                                                                                            \
      const V add = LOAD_##TAG((const T *)ps + j);                                                                     \
      V best = LOAD_##TAG(x + p[0]);                                                                                   \
      I chosen = {0};                                                                                                  \
      for (int64_t t = 1; t < count; t++) {                                                                            \
        const V v = LOAD_##TAG(x + p[t]);                                                                              \
        const I keep = best RELATION v;                                                                                \
        best = (V)((keep & (I)best) | (~keep & (I)v));                                                                 \
        chosen = (keep & chosen) | (~keep & ((I){0} + (int32_t)t));                                                    \
      }                                                                                                                \
      for (int64_t t = 0; t < count; t++) {                                                                            \
        const V old = LOAD_##TAG(out + p[t]);                                                                          \
        const I mask = chosen == (int32_t)t;                                                                           \
        STORE_##TAG(out + p[t], mask, old + add, old);                                                                 \
      }                                                                                                                \
    }                                                                                                                  \
    return j;                                                                                                          \
  }
RELATIONS(SIDE, f32, float, vfloat, vplace)
RELATIONS(SIDE, f64, double, vdouble, vlong)
RELATIONS(SIDE, bf16, uint16_t, vfloat, vplace)
