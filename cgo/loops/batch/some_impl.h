/* A block of matrices: its parts into lanes, the operation, and back. */

static void (*const NAME(ops)[BATCH_OPS])(const halo_batch_record *r, vec *const *x) = {
    [BATCH_PRODUCT] = NAME(product), [BATCH_CHOLESKY] = NAME(cholesky), [BATCH_LU] = NAME(lu),
    [BATCH_SOLVE] = NAME(solve),     [BATCH_QR] = NAME(qr),             [BATCH_Q] = NAME(q),
    [BATCH_TRANSPOSE] = NAME(transpose)};

/* integers writes those of some lanes. */
static void NAME(integers)(int32_t *to, const ivec *from, int64_t e, int64_t some) {
  for (int64_t j = 0; j < e; j++)
    for (int64_t l = 0; l < some; l++) to[l * e + j] = (int32_t)from[j][l];
}

static void NAME(some)(const halo_batch_record *r, halo_run *run, int64_t from, int64_t some) {
  vec lanes[BATCH_ELEMENTS], *x[BATCH_PARTS], *next = lanes;
  T pad[BATCH_ELEMENTS * LANES + SIDE] __attribute__((aligned(64)));
  for (int p = 0; p < BATCH_PARTS; p++) {
    const int64_t e = r->part[p].elements;
    x[p] = next, next += e < SIDE ? SIDE : e;
    if (r->part[p].src.slot < 0) continue;
    const T *src = (const T *)HALO_AT(run, r->part[p].src) + from * e;
    if (some < LANES || e < SIDE) { /* nothing is read behind the array */
      memcpy(pad, src, some * e * sizeof(T));
      memset(pad + some * e, 0, ((LANES - some) * e + SIDE) * sizeof(T));
      src = pad;
    }
    NAME(into)(x[p], src, e);
  }
  NAME(ops)[r->op](r, x);
  for (int p = 0; p < BATCH_PARTS; p++) {
    const int64_t e = r->part[p].elements;
    if (r->part[p].dst.slot < 0) continue;
    if (r->part[p].integers) {
      NAME(integers)((int32_t *)HALO_AT(run, r->part[p].dst) + from * e, (const ivec *)x[p], e, some);
      continue;
    }
    T *dst = (T *)HALO_AT(run, r->part[p].dst) + from * e;
    const int whole = some == LANES && e >= SIDE;
    NAME(back)(whole ? dst : pad, x[p], e);
    if (!whole) memcpy(dst, pad, some * e * sizeof(T));
  }
}

#undef vec
#undef ivec
#undef LANES
#undef SIDE
