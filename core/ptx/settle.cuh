// A place in the program for a value.
#pragma once

namespace warpath::ptx {

// The value is known from here on. Compilers move what it takes to reckon one down to its first use; where other work
// runs meanwhile, up here is the better place.
__device__ __forceinline__ void settle([[maybe_unused]] int& value) {
  asm volatile("" : "+r"(value));
}

}  // namespace warpath::ptx
