// control.h: the instructions that move: jumps, loads and stores, selections, comparisons. A part of program.c.

OP(Next) {
  if (--n <= 0)
    return 0;
  POLL
  for (int k = 0; k < in->a; k++)
    s[k].at += s[k].stride;
  in = code;
  GO;
}
OP(Jump) { in = code + in->imm; GO; }
OP(JumpIf) { in = A.i ? code + in->imm : in + 1; GO; }
OP(JumpIfNo) { in = A.i ? in + 1 : code + in->imm; GO; }
OP(Again) { AGAIN(A.i) }
OP(AgainLtS) { AGAIN(A.i < B.i) }
OP(AgainNeS) { AGAIN(A.i != B.i) }

#define LOAD(name, T, field)                                                                                           \
  OP(name) {                                                                                                           \
    T v;                                                                                                               \
    memcpy(&v, s[in->a].at + in->imm, sizeof v);                                                                       \
    RESULT.field = v;                                                                                                  \
    NEXT;                                                                                                              \
  }
HALO_LOADS(LOAD)
OP(LoadBF16) {
  uint16_t v;
  memcpy(&v, s[in->a].at + in->imm, 2);
  RESULT.d = from_bf16(v);
  NEXT;
}
OP(LoadF16) {
  uint16_t v;
  memcpy(&v, s[in->a].at + in->imm, 2);
  RESULT.d = from_f16(v);
  NEXT;
}
OP(LoadSmall) {
  RESULT.d = halo_widen(in->b, (uint8_t)s[in->a].at[in->imm]);
  NEXT;
}

#define STORE(name, T, value)                                                                                          \
  OP(name) {                                                                                                           \
    T v = (T)(value);                                                                                                  \
    memcpy(s[in->a].at + in->imm, &v, sizeof v);                                                                       \
    NEXT;                                                                                                              \
  }
#define STORE_PLAIN(name, T) STORE(name, T, B.u)
HALO_STORES(STORE_PLAIN)
STORE(StoreBF16, uint16_t, halo_round(TYPE_BF16, B.d))
STORE(StoreF16, uint16_t, halo_round(TYPE_F16, B.d))
STORE(StoreSmall, uint8_t, halo_round(in->d, B.d))

SET(Move, i, A.i)
OP(MoveMany) {
  memcpy(&RESULT, &A, sizeof(halo_reg) * (size_t)in->imm);
  NEXT;
}
OP(LoadMany) {
  load_many(&RESULT, s[in->a].at + in->imm, in->b, in->c);
  NEXT;
}
OP(StoreMany) {
  store_many(&B, s[in->a].at + in->imm, in->d, in->c);
  NEXT;
}
SET(Fetch, i, r[in->a + (B.u <= (uint32_t)in->imm ? B.u : 0)].i)
OP(Put) {
  if (A.u <= (uint32_t)in->imm)
    r[in->d + A.u] = B;
  NEXT;
}
OP(CopyArray) {
  if (s[in->d].at != s[in->a].at)
    memcpy(s[in->d].at, s[in->a].at, (size_t)in->imm);
  NEXT;
}

// Loads from and stores to arrays in memory, at an element whose place the program computes and clamps.
#define ELEMENT(bytes, place) (s[in->a].at + in->imm + (place).u * (bytes))
#define LOAD_AT(name, T, field)                                                                                        \
  OP(name##At) {                                                                                                       \
    T v;                                                                                                               \
    memcpy(&v, ELEMENT(sizeof v, B), sizeof v);                                                                        \
    RESULT.field = v;                                                                                                  \
    NEXT;                                                                                                              \
  }
HALO_LOADS(LOAD_AT)
OP(LoadBF16At) {
  uint16_t v;
  memcpy(&v, ELEMENT(2, B), 2);
  RESULT.d = from_bf16(v);
  NEXT;
}
OP(LoadF16At) {
  uint16_t v;
  memcpy(&v, ELEMENT(2, B), 2);
  RESULT.d = from_f16(v);
  NEXT;
}
OP(LoadSmallAt) {
  RESULT.d = halo_widen(in->c, (uint8_t)*ELEMENT(1, B));
  NEXT;
}

#define STORE_AT(name, T, value)                                                                                       \
  OP(name) {                                                                                                           \
    T v = (T)(value);                                                                                                  \
    memcpy(ELEMENT(sizeof v, r[in->c]), &v, sizeof v);                                                                 \
    NEXT;                                                                                                              \
  }
#define STORE_PLAIN_AT(name, T) STORE_AT(name##At, T, B.u)
HALO_STORES(STORE_PLAIN_AT)
STORE_AT(StoreBF16At, uint16_t, halo_round(TYPE_BF16, B.d))
STORE_AT(StoreF16At, uint16_t, halo_round(TYPE_F16, B.d))
STORE_AT(StoreSmallAt, uint8_t, halo_round(in->d, B.d))

// Instructions on vectors, whose lanes lie in registers side by side. In memory a predicate takes a byte.
#define LANE(reg, k) ((char *)&(reg) + (size_t)(k) * sizeof(int32_t))
#define WITHIN(place, last) ((place).u <= (uint32_t)(last) ? (place).u : 0)
OP(Vec) {
  vectors->each[in->e](LANE(RESULT, 0), LANE(A, 0), LANE(B, 0), LANE(C, 0), in->imm);
  NEXT;
}
OP(VecMove) {
  memcpy(&RESULT, &A, sizeof(int32_t) * (size_t)in->imm);
  NEXT;
}
OP(VecFold) {
  const uint32_t v = vectors->folds[in->e](LANE(A, 0), in->imm);
  RESULT.i = in->c ? (int64_t)(int32_t)v : (int64_t)v;
  NEXT;
}
OP(VecLoad) {
  load_lanes(LANE(RESULT, 0), s[in->a].at, in->imm, in->b);
  NEXT;
}
OP(VecStore) {
  store_lanes(s[in->a].at, LANE(B, 0), in->imm, in->d);
  NEXT;
}
OP(VecLoadAt) {
  load_lanes(LANE(RESULT, 0), ELEMENT(in->e ? 1 : 4, B), in->c, in->e);
  NEXT;
}
OP(VecStoreAt) {
  store_lanes(ELEMENT(in->d ? 1 : 4, r[in->c]), LANE(B, 0), in->e, in->d);
  NEXT;
}
OP(VecFetch) {
  int32_t v;
  memcpy(&v, LANE(A, WITHIN(B, in->imm)), sizeof v);
  RESULT.i = in->e ? (int64_t)v : (int64_t)(uint32_t)v;
  NEXT;
}
OP(VecPut) {
  const int32_t v = (int32_t)B.u;
  memcpy(LANE(RESULT, WITHIN(A, in->imm)), &v, sizeof v);
  NEXT;
}
OP(VecCopy) {
  memmove(LANE(RESULT, in->c), LANE(A, in->e), sizeof(int32_t) * (size_t)in->imm);
  NEXT;
}
OP(VecWindow) {
  memmove(LANE(RESULT, 0), LANE(A, WITHIN(B, in->e)), sizeof(int32_t) * (size_t)in->imm);
  NEXT;
}
OP(VecPutWindow) {
  memmove(LANE(RESULT, WITHIN(A, in->e)), LANE(B, 0), sizeof(int32_t) * (size_t)in->imm);
  NEXT;
}
OP(VecDot) {
  vectors->dot(LANE(RESULT, 0), LANE(A, in->c), LANE(B, 0), in->imm, in->e);
  NEXT;
}
OP(VecTranspose) {
  transpose_lanes(LANE(RESULT, 0), LANE(A, 0), in->c, in->e);
  NEXT;
}
SET(Select, i, A.i ? B.i : r[in->c].i)
SET(Extend, i, extend(A.u, in->imm))
SET(Cut, u, cut(A.u, in->imm))
SET(NotZero, i, A.i != 0)
SET(NotZeroF, i, A.f != 0)
SET(NotZeroD, i, A.d != 0)
SET(EqS, i, A.i == B.i)
SET(NeS, i, A.i != B.i)
SET(LtS, i, A.i < B.i)
SET(LeS, i, A.i <= B.i)
SET(LtU, i, A.u < B.u)
SET(LeU, i, A.u <= B.u)
SET(EqF, i, A.f == B.f)
SET(NeF, i, A.f != B.f)
SET(LtF, i, A.f < B.f)
SET(LeF, i, A.f <= B.f)
SET(EqD, i, A.d == B.d)
SET(NeD, i, A.d != B.d)
SET(LtD, i, A.d < B.d)
SET(LeD, i, A.d <= B.d)
SET(KeyF, i, order_key((int32_t)A.u))
SET(KeyD, i, order_key(A.i))
