#include "cli/command.h"
#include "harness/process.h"

int main(int argc, char** argv) {
  warpath::harness::install_signal_handlers();
  return warpath::cli::run_program(argc, argv);
}
