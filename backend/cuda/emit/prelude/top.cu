// The first k of a line by keys of up to 32 bits, the largest first, equal ones by their numbers. T threads have a
// line, and R keys each: of thread t key i is number i * T + t.
// The sum over the threads of a line; sums has room for one of each warp.
template <int T> FN u32 line_sum(u32 v, u32* sums) {
#pragma unroll
  for (u32 o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  if (T == 32) return v;
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
#pragma unroll
  for (u32 w = 0; w < T / 32; w++) v += sums[w];
  return v;
}
// Those of a thread's keys whose numbers are below end, a bit each.
template <int T> FN u32 top_before(u32 end) {
  const u32 n = (end + T - 1 - threadIdx.x % T) / T;
  return n < 32 ? (1u << n) - 1 : ~0u;
}
// Which of a thread's keys are among the first k, a bit each. The least key of those is found bit by bit, by counting,
// and then, where not all that are as small are among them, the number below which these are.
template <int R, int T> FN u32 top_find(const u32 (&key)[R], u32 bits, u32 k, u32* sums) {
  static_assert(R <= 32, "more keys than bits");
  u32 least = 0, count = 0, above = 0, equal = 0, end = 0;
  for (u32 bit = 1u << (bits - 1); bit && count != k; bit >>= 1) {
    count = 0;
#pragma unroll
    for (u32 i = 0; i < R; i++) count += key[i] >= (least | bit);
    count = line_sum<T>(count, sums);
    if (count >= k) least |= bit;
  }
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    above |= (u32)(key[i] > least) << i;
    equal |= (u32)(key[i] == least) << i;
  }
  if (count == k) return above | equal;
  for (u32 bit = 1u << (32 - __clz(R * T - 1)); bit; bit >>= 1)
    if (line_sum<T>(__popc(above | (equal & top_before<T>(end | bit))), sums) <= k) end |= bit;
  return above | (equal & top_before<T>(end));
}
// Puts the keys, turned round, and the numbers of the first k into list, which has room for a power of two of them.
template <int R, int T> FN void top_take(const u32 (&key)[R], u32 taken, u64* list, u32 room, u32* filled) {
  const u32 t = threadIdx.x % T, lane = threadIdx.x % 32;
  for (u32 q = t; q < room; q += T) list[q] = ~0ull;
  if (t == 0) *filled = 0;
  line_sync<T>();
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    const bool one = taken >> i & 1;
    const u32 all = __ballot_sync(~0u, one);
    u32 first = 0;
    if (lane == 0 && all) first = atomicAdd(filled, (u32)__popc(all));
    first = __shfl_sync(~0u, first, 0);
    if (one) list[first + __popc(all & ((1u << lane) - 1))] = (u64)~key[i] << 32 | (i * T + t);
  }
  line_sync<T>();
}
