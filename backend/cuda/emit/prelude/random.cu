// ThreeFry2x32 with 20 rounds, and Philox4x32 with 10; Salmon et al.
FN u32 rotate(u32 v, int n) { return v << n | v >> (32 - n); }
FN u64 three_fry(u64 key, u64 counter) {
  const int r[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  u32 k[3] = {(u32)key, (u32)(key >> 32), 0x1BD11BDAu ^ (u32)key ^ (u32)(key >> 32)};
  u32 x0 = (u32)counter + k[0], x1 = (u32)(counter >> 32) + k[1];
#pragma unroll
  for (int g = 0; g < 5; g++) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      x0 += x1;
      x1 = rotate(x1, r[g % 2 * 4 + i]) ^ x0;
    }
    x0 += k[(g + 1) % 3];
    x1 += k[(g + 2) % 3] + (u32)g + 1;
  }
  return (u64)x1 << 32 | x0;
}
struct words { u32 v[4]; };
FN words philox(u64 key, u64 low, u64 high) {
  u32 k0 = (u32)key, k1 = (u32)(key >> 32), a = (u32)low, b = (u32)(low >> 32), c = (u32)high, d = (u32)(high >> 32);
#pragma unroll
  for (int i = 0; i < 10; i++) {
    u32 h0 = __umulhi(a, 0xD2511F53u), l0 = a * 0xD2511F53u, h1 = __umulhi(c, 0xCD9E8D57u), l1 = c * 0xCD9E8D57u;
    a = h1 ^ b ^ k0;
    b = l1;
    c = h0 ^ d ^ k1;
    d = l0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return words{{a, b, c, d}};
}
// Draw i of the stream of a key and a turn: a block of Philox has two, the upper one first.
FN u64 draw(u64 key, u64 turn, u64 i) {
  const words w = philox(key, i / 2, turn);
  return i % 2 ? (u64)w.v[1] << 32 | w.v[0] : (u64)w.v[3] << 32 | w.v[2];
}
// A multiple of 2^-53 in [0, 1).
FN f64 uniform_of(u64 b) { return (f64)(b >> 11) * 1.1102230246251565e-16; }
// A number of the standard normal distribution, by Box and Muller.
FN f64 normal_of(u64 a, u64 b) {
  return sqrt(-2 * log(1 - uniform_of(a))) * cos(6.283185307179586 * uniform_of(b));
}
// v, of magnitude a, as the neighbour low or high of a in another type; u in [0, 1) decides.
FN f64 stochastic(f64 v, f64 a, f64 low, f64 high, f64 u) {
  if (!x_finite(v)) return v;
  return copysign(a > low && u < (a - low) / (high - low) ? high : low, v);
}
