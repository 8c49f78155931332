// target_end.h: ends what target.h has begun.
#if defined(__clang__)
#pragma clang attribute pop
#endif
