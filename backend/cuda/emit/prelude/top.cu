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
// Where the first k end: all keys above least are among them, and of those that are least the ones below number end. It
// is found bit by bit, by counting.
struct top_end { u32 least, end; };
template <int R, int T> FN top_end top_find(const u32 (&key)[R], u32 bits, u32 k, u32* sums) {
  const u32 t = threadIdx.x % T;
  top_end e = {0, 0};
  for (u32 bit = 1u << (bits - 1); bit; bit >>= 1) {
    u32 c = 0;
#pragma unroll
    for (u32 i = 0; i < R; i++) c += key[i] >= (e.least | bit);
    c = line_sum<T>(c, sums);
    if (c >= k) e.least |= bit;
    if (c == k) return top_end{e.least, R * T};
  }
  for (u32 bit = 1u << (32 - __clz(R * T - 1)); bit; bit >>= 1) {
    u32 c = 0;
#pragma unroll
    for (u32 i = 0; i < R; i++) c += key[i] > e.least || (key[i] == e.least && i * T + t < (e.end | bit));
    if (line_sum<T>(c, sums) <= k) e.end |= bit;
  }
  return e;
}
// Puts the keys, turned round, and the numbers of the first k into list, which has room for a power of two of them.
template <int R, int T> FN void top_take(const u32 (&key)[R], top_end e, u64* list, u32 room, u32* filled) {
  const u32 t = threadIdx.x % T, lane = threadIdx.x % 32;
  for (u32 q = t; q < room; q += T) list[q] = ~0ull;
  if (t == 0) *filled = 0;
  line_sync<T>();
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    const bool taken = key[i] > e.least || (key[i] == e.least && i * T + t < e.end);
    const u32 all = __ballot_sync(~0u, taken);
    u32 first = 0;
    if (lane == 0 && all) first = atomicAdd(filled, (u32)__popc(all));
    first = __shfl_sync(~0u, first, 0);
    if (taken) list[first + __popc(all & ((1u << lane) - 1))] = (u64)~key[i] << 32 | (i * T + t);
  }
  line_sync<T>();
}
