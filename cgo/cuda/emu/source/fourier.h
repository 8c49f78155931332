// Transforms of lines of f32 in f32, in the order of operations of xla/fourier, whose files say what is done: what
// cuFFT's numbers are nobody can say here, and those of the reference are the ones that others can be compared with.
#ifndef HALO_EMU_FOURIER_H
#define HALO_EMU_FOURIER_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace fourier {

typedef long long index;

struct Pair { float re, im; };
typedef std::vector<Pair> Pairs;

inline Pair operator+(Pair a, Pair b) { return {a.re + b.re, a.im + b.im}; }
inline Pair operator-(Pair a, Pair b) { return {a.re - b.re, a.im - b.im}; }
inline Pair operator*(Pair a, float by) { return {a.re * by, a.im * by}; }
inline Pair conj(Pair a) { return {a.re, -a.im}; }
inline Pair quarter(Pair a, bool forward) { return forward ? Pair{a.im, -a.re} : Pair{-a.im, a.re}; }
inline Pair turn(Pair a, Pair w, bool forward) {
  if (forward) return {a.re * w.re + a.im * w.im, a.im * w.re - a.re * w.im};
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}

// unit_root is exp(2 pi i k/n), where eighth is the angle of 1/8n as exact as it shall be.
template <class A> void unit_root(index k, index n, A eighth, double *re, double *im) {
  const index octant = 8 * k / n % 8, rest = octant % 2 ? n - 8 * k % n : 8 * k % n;
  const A angle = eighth * A(rest);
  double s = double(sinl(angle)), c = double(cosl(angle));
  if (octant % 4 == 1 || octant % 4 == 2) std::swap(s, c);
  *re = octant >= 2 && octant < 6 ? -c : c;
  *im = octant >= 4 ? -s : s;
}

const long double eighth_turn = 0.785398163397448309615660845819875721L;

inline Pair exact_root(index k, index n) {
  double re, im;
  unit_root<long double>(k, n, eighth_turn / (long double)n, &re, &im);
  return {float(re), float(im)};
}

// table_root is root k of n as the product of two roots.
inline Pair table_root(index k, index n) {
  const bool mirrored = 2 * k > n;
  if (mirrored) k = n - k;
  int shift = 1;
  while ((index(1) << 2 * shift) < (n + 2) / 2) shift++;
  const index coarse = k >> shift << shift;
  const double eighth = double(eighth_turn / (long double)n);
  double ar, ai, br, bi;
  unit_root(k - coarse, n, eighth, &ar, &ai);
  unit_root(coarse, n, eighth, &br, &bi);
  const double im = ar * bi + ai * br;
  return {float(ar * br - ai * bi), float(mirrored ? -im : im)};
}

// factors splits n into eights, if largest is 8, fours, a two, which goes first, and odd primes.
inline std::vector<index> factors(index n, index largest) {
  std::vector<index> out;
  for (index f = largest; f >= 4; f /= 2)
    for (; n % f == 0; n /= f) out.push_back(f);
  if (n % 2 == 0) {
    out.push_back(2);
    std::swap(out.front(), out.back());
    n /= 2;
  }
  for (index f = 3; f * f <= n; f += 2)
    for (; n % f == 0; n /= f) out.push_back(f);
  if (n > 1) out.push_back(n);
  return out;
}

inline void fly4(Pair *v, bool forward) {
  const Pair even = v[0] + v[2], odd = v[0] - v[2], sum = v[1] + v[3], diff = quarter(v[1] - v[3], forward);
  v[0] = even + sum, v[1] = odd + diff, v[2] = even - sum, v[3] = odd - diff;
}

inline void fly8(Pair *v, bool forward) {
  const float half = float(M_SQRT2 / 2);
  Pair even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  const auto eighth = [=](Pair a) { return (a + quarter(a, forward)) * half; };
  fly4(even, forward), fly4(odd, forward);
  odd[1] = eighth(odd[1]), odd[2] = quarter(odd[2], forward), odd[3] = quarter(eighth(odd[3]), forward);
  for (int k = 0; k < 4; k++) v[k] = even[k] + odd[k], v[k + 4] = even[k] - odd[k];
}

// Odd sums an odd number of elements by the formula, in groups of pairs.
struct Odd {
  Pairs waves, sums, diffs;
  std::vector<index> groups;

  Odd(index n, index of, bool reals) : waves(size_t(n)), sums(size_t(n / 2 + 1)), diffs(sums) {
    const bool small = n <= 5 || (!reals && (n == 7 || n == 11));
    for (index k = 0; k < n; k++) waves[size_t(k)] = small ? exact_root(k, n) : table_root(k * (of / n), of);
    groups.push_back(small ? n / 2 : 2);
    index rest = small ? 0 : n / 2 - 2;
    for (index size = reals ? 4 : 2; size > 0; size /= 2)
      for (; rest >= size; rest -= size) groups.push_back(size);
  }

  void transform(Pair *v, bool forward) {
    const index n = index(waves.size()), half = n / 2;
    Pair total = v[0];
    for (index j = 1; j <= half; j++) {
      sums[size_t(j)] = v[j] + v[n - j], diffs[size_t(j)] = v[j] - v[n - j];
      total = total + sums[size_t(j)];
    }
    sums[0] = v[0], v[0] = total;
    for (index k = 1; k <= half; k++) {
      Pair even, odd;
      sum(k, &even, &odd);
      odd = quarter(odd, forward);
      v[k] = even + odd, v[n - k] = even - odd;
    }
  }

  // sum gives the sum of cosines times sums, and of sines times differences, of result k.
  void sum(index k, Pair *even, Pair *odd) const {
    *even = sums[0] + sums[1] * waves[size_t(k)].re, *odd = diffs[1] * waves[size_t(k)].im;
    size_t at = size_t(k), j = 2;
    const auto next = [&](Pair *x, Pair *y) {
      at = (at + size_t(k)) % waves.size();
      *x = sums[j] * waves[at].re, *y = diffs[j] * waves[at].im;
      j++;
    };
    Pair x, y, c, s;
    for (index i = 1; i < groups[0]; i++) next(&x, &y), *even = *even + x, *odd = *odd + y;
    for (size_t g = 1; g < groups.size(); g++) {
      next(&c, &s);
      for (index i = 1; i < groups[g]; i++) next(&x, &y), c = c + x, s = s + y;
      *even = *even + c, *odd = *odd + s;
    }
  }
};

// Fly is the transform of a factor of a length.
struct Fly {
  index n;
  std::vector<Odd> odd;
  Fly(index n, index of, bool reals) : n(n) {
    if (n % 2) odd.emplace_back(n, of, reals);
  }
  void transform(Pair *v, bool forward) {
    if (n == 8) return fly8(v, forward);
    if (n == 4) return fly4(v, forward);
    if (n % 2) return odd[0].transform(v, forward);
    const Pair a = v[0];
    v[0] = a + v[1], v[1] = a - v[1];
  }
};

// complex transforms a line of complex numbers.
inline void complex(Pairs &line, bool forward) {
  const index n = index(line.size());
  Pairs next(line.size());
  index done = 1;
  for (const index radix : factors(n, 8)) {
    const index rest = n / radix / done;
    Fly fly(radix, n, false);
    Pairs v(size_t(radix), Pair{});
    for (index i = 0; i < rest; i++) {
      Pairs turns(size_t(radix), Pair{});
      for (index j = 1; j < radix; j++) turns[size_t(j)] = table_root(j * done * i, n);
      for (index k = 0; k < done; k++) {
        for (index j = 0; j < radix; j++) v[size_t(j)] = line[size_t(i + rest * (j + radix * k))];
        fly.transform(v.data(), forward);
        for (index j = 0; j < radix; j++) {
          const Pair w = v[size_t(j)];
          next[size_t(i + rest * (k + done * j))] = i && j ? turn(w, turns[size_t(j)], forward) : w;
        }
      }
    }
    line.swap(next);
    done *= radix;
  }
}

// RealPass is a pass between reals and the half of their spectrum, kept in as many numbers as there are reals: the real
// part of the first element, then both parts of each; forward it joins radix spectra of rest numbers to one.
struct RealPass {
  index radix, done, rest;
  Fly fly;
  Pairs turns, v;

  RealPass(index radix, index done, index n)
      : radix(radix), done(done), rest(n / radix / done), fly(radix, n, true), v(size_t(radix), Pair{}) {
    for (index i = 1; 2 * i < rest; i++)
      for (index j = 0; j < radix; j++) turns.push_back(j ? table_root(j * done * i, n) : Pair{1, 0});
  }

  Pair turned(index i, index j, Pair a, bool forward) const {
    return j ? turn(a, turns[size_t((i - 1) * radix + j)], forward) : a;
  }
  // place is where element j of column i lies in a spectrum, its mirror image if that is there.
  index place(index i, index j) const { return 2 * j < radix ? 2 * j * rest + 2 * i : 2 * (radix - j) * rest - 2 * i; }

  void forward(const float *in, float *out) {
    for (index k = 0; k < done; k++) {
      float *to = out + k * radix * rest;
      const auto from = [&](index i, index j) { return in[i + rest * (k + done * j)]; };
      for (index j = 0; j < radix; j++) v[size_t(j)] = {from(0, j), 0};
      fly.transform(v.data(), true);
      to[0] = v[0].re;
      for (index j = 1; 2 * j <= radix; j++) {
        to[2 * j * rest - 1] = v[size_t(j)].re;
        if (2 * j < radix) to[2 * j * rest] = v[size_t(j)].im;
      }
      for (index i = 1; 2 * i < rest; i++) {
        for (index j = 0; j < radix; j++) v[size_t(j)] = turned(i, j, {from(2 * i - 1, j), from(2 * i, j)}, true);
        fly.transform(v.data(), true);
        for (index j = 0; j < radix; j++) {
          const Pair c = 2 * j < radix ? v[size_t(j)] : conj(v[size_t(j)]);
          to[place(i, j) - 1] = c.re, to[place(i, j)] = c.im;
        }
      }
      if (rest % 2 == 0) middle_forward(to, from);
    }
  }

  template <class From> void middle_forward(float *to, const From &from) const {
    const float half = float(M_SQRT2 / 2);
    const auto x = [&](index j) { return from(rest - 1, j); };
    if (radix == 2) {
      to[rest - 1] = x(0), to[rest] = -x(1);
      return;
    }
    const float i = -half * (x(1) + x(3)), r = half * (x(1) - x(3));
    to[rest - 1] = x(0) + r, to[3 * rest - 1] = x(0) - r;
    to[3 * rest] = i + x(2), to[rest] = i - x(2);
  }

  void back(const float *in, float *out) {
    for (index k = 0; k < done; k++) {
      const float *from = in + k * radix * rest;
      const auto to = [&](index i, index j) -> float & { return out[i + rest * (k + done * j)]; };
      v[0] = {from[0], 0};
      for (index j = 1; 2 * j <= radix; j++) {
        const Pair c = {from[2 * j * rest - 1], 2 * j < radix ? from[2 * j * rest] : 0};
        v[size_t(j)] = c, v[size_t(radix - j)] = conj(c);
      }
      fly.transform(v.data(), false);
      for (index j = 0; j < radix; j++) to(0, j) = v[size_t(j)].re;
      for (index i = 1; 2 * i < rest; i++) {
        for (index j = 0; j < radix; j++) {
          const Pair c = {from[place(i, j) - 1], from[place(i, j)]};
          v[size_t(j)] = 2 * j < radix ? c : conj(c);
        }
        fly.transform(v.data(), false);
        for (index j = 0; j < radix; j++) {
          const Pair c = turned(i, j, v[size_t(j)], false);
          to(2 * i - 1, j) = c.re, to(2 * i, j) = c.im;
        }
      }
      if (rest % 2 == 0) middle_back(from, to);
    }
  }

  template <class To> void middle_back(const float *from, const To &to) const {
    const float root = float(M_SQRT2);
    const auto y = [&](index j) -> float & { return to(rest - 1, j); };
    if (radix == 2) {
      y(0) = 2 * from[rest - 1], y(1) = -2 * from[rest];
      return;
    }
    const float i1 = from[3 * rest] + from[rest], i2 = from[3 * rest] - from[rest];
    const float r1 = from[rest - 1] - from[3 * rest - 1], r2 = from[rest - 1] + from[3 * rest - 1];
    y(0) = 2 * r2, y(2) = 2 * i2;
    y(1) = root * (r1 - i1), y(3) = -root * (r1 + i1);
  }
};

// real transforms a line of reals to the half of their spectrum or, not forward, back.
inline void real(std::vector<float> &line, bool forward) {
  const index n = index(line.size());
  std::vector<RealPass> passes;
  index done = 1;
  for (const index radix : factors(n, 4)) {
    passes.emplace_back(radix, done, n);
    done *= radix;
  }
  if (forward) std::reverse(passes.begin(), passes.end());
  std::vector<float> next(line.size());
  for (RealPass &p : passes) {
    forward ? p.forward(line.data(), next.data()) : p.back(line.data(), next.data());
    line.swap(next);
  }
}

// does says whether lines of n numbers go in one row of passes here: no factor wants a convolution, and n is not large.
inline bool does(index n, bool reals) {
  const index greatest = reals ? 133 : 109, longest = reals ? 1000 : 10000;
  index most = 1;
  for (const index f : factors(n, 4)) most = std::max(most, f);
  return n <= longest && most <= greatest;
}

} // namespace fourier

#endif
