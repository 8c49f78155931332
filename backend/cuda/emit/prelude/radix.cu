// A stable sort of lines of n keys by digits of 8 bits, the lowest first. A block of 256 threads has a tile of a line:
// its digits are counted, the counts of the tiles before are summed, and its keys go where their digits begin.
template <class K> FN u32 digit(K key, u32 shift) { return (u32)(key >> shift) & 255; }

// Counts of the 256 digits in shared memory, four of each, so that fewer threads want the same one.
FN void radix_clear(u32* count) {
#pragma unroll
  for (u32 i = 0; i < 4; i++) count[i * 256 + threadIdx.x] = 0;
  __syncthreads();
}
template <class K> FN void radix_add(u32* count, K key, u32 shift) {
  atomicAdd(&count[digit(key, shift) * 4 + threadIdx.x % 4], 1u);
}
FN void radix_put(const u32* count, u32* counts) {
  __syncthreads();
  u32 sum = 0;
#pragma unroll
  for (u32 i = 0; i < 4; i++) sum += count[threadIdx.x * 4 + i];
  counts[(u64)blockIdx.x * 256 + threadIdx.x] = sum;
}
template <int R, class K, class I> FN void radix_count(const K* keys, u32* counts, u32 shift, I n, I tiles,
    u32* count) {
  const I line = (I)blockIdx.x / tiles, first = (I)blockIdx.x % tiles * (256 * R);
  radix_clear(count);
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    const I j = first + i * 256 + threadIdx.x;
    if (j < n) radix_add(count, keys[line * n + j], shift);
  }
  radix_put(count, counts);
}

// The counts of the tiles of a line become those of the tiles before, and totals those of all: for 8 digits, by 1024
// threads, each with a share of the tiles.
template <class I> FN void radix_sum(u32* counts, u32* totals, I tiles, u32* shared) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u64 line = blockIdx.x / 32, at = blockIdx.x % 32 * 8 + threadIdx.x % 8;
  u32* c = counts + line * tiles * 256 + at;
  const I share = (tiles + 127) / 128;
  const I from = x_min<I>(threadIdx.x / 8 * share, tiles), to = x_min(from + share, tiles);
  u32 own = 0;
  for (I t = from; t < to; t++) own += c[(u64)t * 256];
  u32 sum = own;
#pragma unroll
  for (u32 o = 8; o < 32; o *= 2) {
    const u32 other = __shfl_up_sync(~0u, sum, o);
    if (lane >= o) sum += other;
  }
  if (lane >= 24) shared[warp * 8 + lane % 8] = sum;
  __syncthreads();
  u32 before = sum - own;
  for (u32 w = 0; w < warp; w++) before += shared[w * 8 + lane % 8];
  for (I t = from; t < to; t++) {
    const u32 v = c[(u64)t * 256];
    c[(u64)t * 256] = before;
    before += v;
  }
  if (threadIdx.x >= 1016) totals[line * 256 + at] = before;
}

// The sum of what the 256 threads of a block have before this one.
FN u64 sum_before(u64 own, u64* shared) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u64 sum = own;
#pragma unroll
  for (u32 o = 1; o < 32; o *= 2) {
    const u64 other = __shfl_up_sync(~0u, sum, o);
    if (lane >= o) sum += other;
  }
  if (lane == 31) shared[warp] = sum;
  __syncthreads();
  u64 before = sum - own;
#pragma unroll
  for (u32 w = 0; w < 8; w++) before += w < warp ? shared[w] : 0;
  return before;
}

// How many of the keys of a warp that have the digit of this one come before it: those of earlier calls, which counts
// has by digits, and those of lanes before.
FN u32 radix_rank(u32* counts, u32 d) {
  u32 same = ~0u;
#pragma unroll
  for (int bit = 0; bit < 8; bit++) {
    const bool one = d >> bit & 1;
    const u32 ones = __ballot_sync(~0u, one);
    same &= one ? ones : ~ones;
  }
  const u32 lane = threadIdx.x % 32, last = 31 - __clz((s32)same);
  u32 before = 0;
  if (lane == last) before = atomicAdd(&counts[d], (u32)__popc(same));
  return __shfl_sync(~0u, before, last) + __popc(same & ((1u << lane) - 1));
}

// What a block has in shared memory: counts by warp and digit, where digits begin, sums of warps, and a tile.
template <int R, class T> struct radix_room {
  u32 counts[8][256], begin[256];
  u64 sums[8];
  T tile[256 * R];
};

// How the digits before a tile are known: it is the only one, by the counts of few tiles, or by those of all before.
enum { RADIX_ONE, RADIX_FEW, RADIX_MANY };
// Flags of a pass: the values are the keys' numbers, the keys are not wanted any more.
enum { RADIX_FIRST = 1, RADIX_LAST = 2 };

// The keys of digit threadIdx.x in all tiles of the line, unless it has one, and in those before.
template <int WAY, class I> FN void radix_known(const u32* counts, const u32* totals, I tiles, u64* all, u32* before) {
  const u64 line = (I)blockIdx.x / tiles;
  const I tile = (I)blockIdx.x % tiles;
  *all = *before = 0;
  if (WAY == RADIX_MANY) {
    *all = totals[line * 256 + threadIdx.x];
    *before = counts[(u64)blockIdx.x * 256 + threadIdx.x];
  } else if (WAY == RADIX_FEW) {
#pragma unroll 8
    for (I t = 0; t < tiles; t++) {
      const u32 c = counts[(line * tiles + t) * 256 + threadIdx.x];
      *all += c;
      if (t < tile) *before += c;
    }
  }
}

// Moves the keys of a tile, and the values that belong to them.
template <int R, int WAY, class K, class V, class T, class I> FN void radix_move(const K* from, K* to, const V* vfrom,
    V* vto, const u32* counts, const u32* totals, u32 shift, u32 flags, I n, I tiles, radix_room<R, T>& room) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const I start = (I)blockIdx.x / tiles * n, first = (I)blockIdx.x % tiles * (256 * R);
  const u32 size = n - first < 256 * R ? n - first : 256 * R, at = warp * 32 * R + lane;
  K key[R];
  V value[R];
  u32 rank[R];
#pragma unroll
  for (u32 i = 0; i < 8; i++) room.counts[warp][i * 32 + lane] = 0;
#pragma unroll
  for (u32 i = 0; i < R; i++) key[i] = at + i * 32 < size ? from[start + first + at + i * 32] : (K)~(K)0;
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    const u32 j = at + i * 32;
    value[i] = flags & RADIX_FIRST ? (V)(first + j) : j < size ? vfrom[start + first + j] : (V)0;
  }
  u32 own = 0, before;
  u64 all;
  radix_known<WAY>(counts, totals, tiles, &all, &before);
  __syncwarp();
#pragma unroll
  for (u32 i = 0; i < R; i++) rank[i] = radix_rank(room.counts[warp], digit(key[i], shift));
  __syncthreads();
#pragma unroll
  for (u32 w = 0; w < 8; w++) own += room.counts[w][threadIdx.x];
  if (WAY == RADIX_ONE) all = own;
  const u64 sums = sum_before(all << 16 | own, room.sums);
  u32 next = (u32)(sums & 0xffff);
  room.begin[threadIdx.x] = (u32)(sums >> 16) + before - next;
#pragma unroll
  for (u32 w = 0; w < 8; w++) {
    const u32 c = room.counts[w][threadIdx.x];
    room.counts[w][threadIdx.x] = next;
    next += c;
  }
  __syncthreads();
  K* keys = (K*)room.tile;
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    rank[i] += room.counts[warp][digit(key[i], shift)];
    keys[rank[i]] = key[i];
  }
  __syncthreads();
  u32 place[R];
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    const u32 j = i * 256 + threadIdx.x;
    key[i] = keys[j];
    place[i] = room.begin[digit(key[i], shift)] + j;
    if (j < size && !(flags & RADIX_LAST)) to[start + place[i]] = key[i];
  }
  __syncthreads();
  V* values = (V*)room.tile;
#pragma unroll
  for (u32 i = 0; i < R; i++) values[rank[i]] = value[i];
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < R; i++) {
    const u32 j = i * 256 + threadIdx.x;
    if (j < size) vto[start + place[i]] = values[j];
  }
}
