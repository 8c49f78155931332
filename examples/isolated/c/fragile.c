// A function behind a custom call, of the oldest convention, that has a bad day now and then.
#include <stdlib.h>

void fragile(void *out, const void **in) {
  float x = *(const float *)in[0];
  if (x < 0) *(volatile int *)16 = 1;         // touches memory that is not there
  if (x == 0) abort();                        // as a failed assertion does
  if (x > 100) for (volatile int i = 0;; i++); // never ends
  *(float *)out = 1 / x;
}
