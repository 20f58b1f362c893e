// Compiled with the translator's own flags; with -DSIMT_LIBFUZZER it is libFuzzer's entry.

#include "target.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "messages/diagnostics.h"
#include "messages/source_map.h"
#include "split/split.h"
#include "translate/translate.h"

void try_translate(std::string_view text) {
  using namespace simt::cc;
  if (const SplitText split = split_kernels(text); split.changed) translate(split.text);
  for (const bool linked : {false, true}) {
    for (const bool checked : {false, true}) {
      const spaces::Options rules{linked, linked, checked, checked, linked};
      const Translation translation = translate(text, linked, checked, false, &rules);
      const SourceMap map(text, translation.text, translation.pieces);
      const Diagnostics diagnostics(map, "/include");
      for (const Finding& error : translation.errors) {
        diagnostics.message(map.of_offset(error.offset), "error", error.what);
      }
      diagnostics.rewrite(std::string(text.substr(0, 2000)));
    }
  }
}

#ifdef SIMT_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_translate({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
