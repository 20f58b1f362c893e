// bin/warpath-models: the commands that need the models. bin/warpath hands them on, so that its own build, which every
// first command waits for, has no part in them.
#include "cli/command.h"
#include "harness/process.h"

int main(int argc, char** argv) {
  using namespace warpath::cli;
  warpath::harness::install_signal_handlers();
  const Command* commands[] = {&train_command, &generate_command};
  return run_program(argc, argv, commands);
}
