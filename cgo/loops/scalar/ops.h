// ops.h: the instructions, in the order of backend/cpu/scalar/op.go.
#ifndef HALO_OPS_H
#define HALO_OPS_H

// clang-format off
#define HALO_OPS(X) \
  X(Next) X(Jump) X(JumpIf) X(JumpIfNo) X(Again) X(AgainLtS) X(AgainNeS) X(Load8U) X(Load8S) X(Load16U) X(Load16S) \
  X(Load32U) X(Load32S) X(Load64) X(LoadBF16) X(LoadF16) X(LoadSmall) X(Store8) X(Store16) X(Store32) X(Store64) \
  X(StoreBF16) X(StoreF16) X(StoreSmall) X(Move) X(MoveMany) X(LoadMany) X(StoreMany) X(Fetch) X(Put) \
  X(CopyArray) X(Load8UAt) X(Load8SAt) X(Load16UAt) X(Load16SAt) X(Load32UAt) X(Load32SAt) X(Load64At) X(LoadBF16At) \
  X(LoadF16At) X(LoadSmallAt) X(Store8At) X(Store16At) X(Store32At) X(Store64At) X(StoreBF16At) X(StoreF16At) \
  X(StoreSmallAt) \
  X(Select) X(Extend) X(Cut) X(NotZero) X(NotZeroF) X(NotZeroD) \
  X(EqS) X(NeS) X(LtS) X(LeS) X(LtU) X(LeU) X(EqF) X(NeF) X(LtF) X(LeF) X(EqD) X(NeD) X(LtD) X(LeD) X(KeyF) X(KeyD) \
  X(And) X(Or) X(Xor) X(NotS) X(NotU) X(AddS) X(AddU) X(SubS) X(SubU) X(MulS) X(MulU) X(DivS) X(DivU) X(RemS) \
  X(RemU) X(NegS) X(NegU) X(AbsS) X(SignS) X(MinS) X(MinU) X(MaxS) X(MaxU) X(MulhiS) X(MulhiU) X(PowS) X(PowU) \
  X(PopCount) X(LeadingZeros) X(ShiftLeftS) X(ShiftLeftU) X(ShiftRightS) X(ShiftRightU) X(ShiftLogicalS) \
  X(ShiftLogicalU) X(AddF) X(SubF) X(MulF) X(DivF) X(NegF) X(AbsF) X(MinF) X(MaxF) X(SqrtF) X(FloorF) X(CeilF) \
  X(RoundF) X(RoundEvenF) X(SignF) X(RemF) X(FiniteF) X(AddD) X(SubD) X(MulD) X(DivD) X(NegD) X(AbsD) X(MinD) \
  X(MaxD) X(SqrtD) X(FloorD) X(CeilD) X(RoundD) X(RoundEvenD) X(SignD) X(RemD) X(FiniteD) X(FToD) X(DToF) X(DToS) \
  X(DToU) X(SToF) X(UToF) X(SToD) X(UToD) X(OddS) X(OddU) X(Round) X(Bits) X(OfBits) X(ReducePrecision) X(Call) \
  X(CallC64) X(CallC128) X(MulC64) X(Vec) X(VecMove) X(VecFold) X(VecLoad) X(VecStore) X(VecLoadAt) X(VecStoreAt) \
  X(VecFetch) X(VecPut) X(VecCopy) X(VecWindow) X(VecPutWindow) X(VecDot) \
  X(VecTranspose)

// The functions of one and of two numbers that programs call, in the order of backend/cpu/scalar/call.go; those of one
// with what call.c calls for them.
#define HALO_CALLS1(X) \
  X(acos, acos) X(acosh, acosh) X(asin, asin) X(asinh, asinh) X(atan, atan) X(atanh, atanh) X(cbrt, cbrt) \
  X(cos, cosine) X(cosh, cosh) X(erf, erf) X(exp, exp) X(expm1, expm1) X(log, log) X(log1p, log1p) \
  X(logistic, logistic) X(rsqrt, rsqrt) X(sin, sine) X(sinh, sinh) X(tan, tangent) X(tanh, tanh)
#define HALO_CALLS2(X) X(atan2) X(pow) X(hypot)
// clang-format on

#endif
