// wgmma: the bits that come out, for each form 20 random cases, a quarter of them with any bits (infinities,
// NaN, subnormal numbers), in each layout. A line is a checksum of all of D, and two of its elements.
#include "wgmma_cases.h"

#include <cstdlib>

#include "facts.h"

// Every NaN is one fact.
uint32_t plain_word(uint32_t word, const cases::Shape& shape) {
  if (shape.a >= cases::s8) return word;
  if (!shape.half_sum) return (word & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : word;
  for (int at = 0; at < 32; at += 16) {
    if ((word >> at & 0x7fffu) > 0x7c00u) word |= 0x7fffu << at, word &= ~(0x8000u << at);
  }
  return word;
}

template <class Form, bool ARegisters>
void tell(const char* name, const cases::Shape& shape) {
  for (int seed = 0; seed < 20; ++seed) {
    const cases::Case c = cases::make_case(shape, Form::registers, seed);
    const uint32_t* const d = cases::run<Form, ARegisters>(c);
    uint64_t sum = 14695981039346656037ull;
    for (int i = 0; i < 128 * Form::registers; ++i) {
      sum = (sum ^ plain_word(d[i], shape)) * 1099511628211ull;
    }
    printf("%s %d: %016llx %08x %08x\n", name, seed, static_cast<unsigned long long>(sum),
           plain_word(d[0], shape), plain_word(d[77 * Form::registers + 1], shape));
  }
}

int main() {
  setenv("SIMT_TENSOR_CORES", "exact", 1);
  using namespace cases;
#define TELL(FORM, REGISTERS, ...) tell<wgmma::FORM, REGISTERS>(#FORM, Shape __VA_ARGS__);
  FOR_EACH_WGMMA(TELL)
  return finished();
}
