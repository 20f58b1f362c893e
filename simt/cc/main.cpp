// warpath-cc: compiles CUDA C++ for the CPU, used as nvcc is.

#include <cstdio>
#include <exception>

#include "driver/driver.h"
#include "driver/options.h"
#include "driver/process.h"

int main(int argc, char** argv) {
  using namespace simt::cc;
  int status = 2;
  try {
    const Options options = parse_options({argv + 1, argv + argc});
    if (options.help) {
      std::fputs(help_text, stdout);
      return 0;
    }
    if (options.version) {
      std::puts("warpath cc (simt), CUDA 13.0 for this CPU");
      return 0;
    }
    clean_up_on_signals();
    status = drive(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpath cc: %s\n", error.what());
  }
  remove_temporary_files();
  return status;
}
