// What the compiler calls on every branch of the translator (-fsanitize-coverage=trace-pc).

#include "coverage.h"

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t slots = 1 << 16;
std::uint8_t seen[slots];  // edges that any input has taken
std::uintptr_t previous;
unsigned news;

}  // namespace

void start_coverage() {
  previous = 0;
  news = 0;
}

unsigned new_edges() {
  return news;
}

extern "C" void __sanitizer_cov_trace_pc() {
  // Relative to this function, so that a run is the same wherever the program is loaded.
  const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                              reinterpret_cast<std::uintptr_t>(&start_coverage);
  std::uint8_t& edge = seen[(here ^ previous) % slots];
  news += edge == 0;
  edge = 1;
  previous = here * 31;
}
