// smallround.h: rounding to the floats of small.def, for the level and lane of lanes.h. What is too large becomes
// infinity, NaN, or the largest number, by the codes that there are.
#define POWER_OF_TWO(e) ((F)((e) < 0 ? 1.0 / ((I)1 << -(e)) : (F)((I)1 << (e))))
#define MOST(exp, bias, last, unit) (POWER_OF_TWO((1 << (exp)) - 1 - (last) - (bias)) * (unit))
// The largest mantissa, and such that the last code of it is no number.
#define FULL(man) ((F)2 - POWER_OF_TWO(-(man)))
#define BUT_ONE(man) ((F)2 - 2 * POWER_OF_TWO(-(man)))

INLINE VI round_IEEE(VF x, int exp, int man, int bias) {
  return I(round_to(x, man, POWER_OF_TWO(1 - bias), MOST(exp, bias, 1, FULL(man))));
}
INLINE VI round_ONES(VF x, int exp, int man, int bias) {
  const VF r = round_to(x, man, POWER_OF_TWO(1 - bias), MOST(exp, bias, 0, BUT_ONE(man)));
  return I(r) | ((I(magnitude(r)) >= INFINITE) & I(same(NAN)));
}
// There is one zero, and one NaN, whose sign is that of its code.
INLINE VI round_ZERO(VF x, int exp, int man, int bias) {
  const VF r = round_to(x, man, POWER_OF_TWO(1 - bias), MOST(exp, bias, 0, FULL(man)));
  return pick(I(magnitude(r)) >= INFINITE, I(same(-NAN)), I(r) & (r != 0));
}
// NaN becomes a zero with the other sign.
INLINE VI round_NONE(VF x, int exp, int man, int bias) {
  const F most = MOST(exp, bias, 0, FULL(man));
  const VF r = round_to(x, man, POWER_OF_TWO(1 - bias), most);
  const VF near = with_sign(pickf(magnitude(r) > most, same(most), magnitude(r)), x);
  return pick(x == x, I(near), ~I(x) & SIGN);
}

// round_power rounds to a power of two, a tie up; the least is 2^-127, and what is not above 0 becomes NaN.
INLINE VI round_power(VI x) {
#if LANE == 32
  const VI up = (x + (1 << (MANTISSA - 1))) & INFINITE;
  const VI r = pick(x < 0x600000, samei(0x400000), up);
#else
  const VI up = (x + ((I)1 << (MANTISSA - 1))) & INFINITE, least = samei((I)(BIAS - 127) << MANTISSA);
  const VI r = pick(up > least, up, least);
#endif
  const VI over = samei((I)(BIAS + 127) << MANTISSA | (I)1 << (MANTISSA - 1)); // and NaN
  return pick((x <= 0) | (x >= over), I(same(NAN)), r);
}
