// Compiled with the translator's own flags; with -DSIMT_LIBFUZZER it is libFuzzer's entry.

#include "target.h"

#include <cstddef>
#include <cstdint>

#include "translate.h"

void try_translate(std::string_view text) {
  simt::cc::translate(text);
}

#ifdef SIMT_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_translate({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
