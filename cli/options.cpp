#include "cli/options.h"

#include <fmt/format.h>

#include "harness/runner.h"

namespace warpath::cli {

void add_json_flag(CLI::App& command, Options& o) {
  command.add_flag("--json", o.json, "the same as data: JSON and nothing else on stdout");
}

void add_selection_flags(CLI::App& command, Options& o) {
  command.add_option("--rung", o.rungs, "only these rungs: a name or the start of one (03)")
      ->type_name("R")
      ->allow_extra_args(false)
      ->delimiter(',');
  command.add_option("--case", o.cases, "only these cases: a name or the start of one")
      ->type_name("C")
      ->allow_extra_args(false);
  command.add_option("--dtype", o.dtypes, "only these types: f32, f16, bf16, i32 …")
      ->type_name("D")
      ->allow_extra_args(false)
      ->delimiter(',');
  command
      .add_option("--backend", o.backend,
                  "simt (this CPU) or cuda; default: the GPU when there is one")
      ->type_name("B");
}

void add_running_flags(CLI::App& command, Options& o) {
  command.add_option("--seed", o.seed, "another seed draws other inputs")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(
          "--timeout", o.timeout,
          fmt::format(
              "seconds one rung may take on one case (default {:g} on a CPU, {:g} on a GPU)",
              harness::default_timeout_cpu, harness::default_timeout_gpu))
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  command.add_flag(
      "!--no-fork", o.fork,
      "no processes of their own for rungs: for gdb, cuda-gdb, compute-sanitizer, ncu");
  command
      .add_option("-j,--jobs", o.jobs,
                  "rungs checked at the same time on a CPU (default: one a core)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
}

}  // namespace warpath::cli
