// wgmma of every pair of types, in every layout, with A in shared memory or in registers, against sums on the
// host.
#include <cmath>

#include "../conformance/wgmma_cases.h"

float half_value(unsigned bits) {
  return static_cast<float>(cases::value_of(bits & 0xffffu, cases::f16));
}

template <class Form, bool ARegisters>
void check(const char* name, const cases::Shape& shape) {
  int wrong = 0;
  for (int seed = 0; seed < 16; ++seed) {
    if (seed % 4 == 3) continue;  // any bits: sums of infinities and NaN
    const cases::Case c = cases::make_case(shape, Form::registers, seed);
    const uint32_t* const d = cases::run<Form, ARegisters>(c);
    for (int row = 0; row < 64; ++row) {
      for (int column = 0; column < shape.n; ++column) {
        const uint32_t word = d[cases::sum_register(row, column, Form::registers, shape.half_sum)];
        const double wanted = c.wanted[row * shape.n + column];
        double got;
        if (shape.a >= cases::s8) {
          got = static_cast<int32_t>(word);
        } else if (shape.half_sum) {
          if (std::fabs(wanted) > 65000) continue;
          got = half_value(word >> 16 * (column % 2));
        } else {
          float sum;
          memcpy(&sum, &word, 4);
          got = sum;
        }
        const double slack = c.size[row * shape.n + column] * (shape.half_sum ? 1e-3 : 2e-6);
        wrong += !(std::fabs(got - wanted) <= (shape.a >= cases::s8 ? 0 : slack));
      }
    }
  }
  printf("%s: %d wrong\n", name, wrong);
}

int main() {
  using namespace cases;
#define CHECK(FORM, REGISTERS, ...) check<wgmma::FORM, REGISTERS>(#FORM, Shape __VA_ARGS__);
  FOR_EACH_WGMMA(CHECK)
}
