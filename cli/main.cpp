#include "cli/command.h"
#include "harness/process.h"

int main(int argc, char** argv) {
  using namespace warpath::cli;
  warpath::harness::install_signal_handlers();
  const Command* commands[] = {&doctor_command, &days_command, &day_command,      &start_command,
                               &watch_command,  &hint_command, &solution_command, &grade_command,
                               &done_command,   &ops_command,  &run_command,      &check_command,
                               &bench_command,  &xray_command, &profile_command,  &tables_command};
  return run_program(argc, argv, commands);
}
