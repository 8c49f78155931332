// The reductions of the emulated NCCL, in the order of the ranks.
#include <algorithm>
#include <cstring>

#include "nccl.h"

size_t width(unsigned type) {
  static const size_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type < sizeof widths / sizeof *widths ? widths[type] : 0;
}

namespace {

template <class T> T one(unsigned operation, T a, T b) {
  switch (operation) {
  case 0: return static_cast<T>(a + b);
  case 1: return static_cast<T>(a * b);
  case 2: return std::max(a, b);
  }
  return std::min(a, b);
}

template <class T> bool arrays_of(unsigned operation, size_t count, const std::vector<char *> &arrays) {
  for (size_t k = 1; k < arrays.size(); k++)
    for (size_t i = 0; i < count; i++) {
      T a, b;
      memcpy(&a, arrays[0] + i * sizeof a, sizeof a);
      memcpy(&b, arrays[k] + i * sizeof b, sizeof b);
      a = one(operation, a, b);
      memcpy(arrays[0] + i * sizeof a, &a, sizeof a);
    }
  return true;
}

} // namespace

// Integers are folded without a sign where that is the same, so that too large a sum is no fault.
bool fold(unsigned type, unsigned operation, size_t count, const std::vector<char *> &arrays) {
  const bool plain = operation < 2;
  switch (type) {
  case 0: return plain ? arrays_of<uint8_t>(operation, count, arrays) : arrays_of<int8_t>(operation, count, arrays);
  case 1: return arrays_of<uint8_t>(operation, count, arrays);
  case 2: return plain ? arrays_of<uint32_t>(operation, count, arrays) : arrays_of<int32_t>(operation, count, arrays);
  case 3: return arrays_of<uint32_t>(operation, count, arrays);
  case 4: return plain ? arrays_of<uint64_t>(operation, count, arrays) : arrays_of<int64_t>(operation, count, arrays);
  case 5: return arrays_of<uint64_t>(operation, count, arrays);
  case 7: return arrays_of<float>(operation, count, arrays);
  case 8: return arrays_of<double>(operation, count, arrays);
  }
  return false;
}
