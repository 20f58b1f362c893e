#include "cli/command.h"

#include <fmt/format.h>

#include "harness/runner.h"

namespace warpath::cli {

void add_json_flag(Flags& flags, Options& o) {
  flags.yes("--json", o.json, "the same as data: JSON and nothing else on stdout");
}

void add_selection_flags(Flags& flags, Options& o) {
  flags.list("--rung", o.rungs, true, "R", "only these rungs: a name or the start of one (03)");
  flags.list("--case", o.cases, false, "C", "only these cases: a name or the start of one");
  flags.list("--dtype", o.dtypes, true, "D", "only these types: f32, f16, bf16, i32 …");
  flags.text("--backend", o.backend, "B",
             "simt (this CPU) or cuda; default: the GPU when there is one");
}

void add_running_flags(Flags& flags, Options& o) {
  flags.number("--seed", o.seed, "another seed draws other inputs");
  flags.seconds(
      "--timeout", o.timeout,
      fmt::format("seconds one rung may take on one case (default {:g} on a CPU, {:g} on a GPU)",
                  harness::default_timeout_cpu, harness::default_timeout_gpu));
  flags.yes("!--no-fork", o.fork,
            "no processes of their own for rungs: for gdb, cuda-gdb, compute-sanitizer, ncu");
  flags.count("-j,--jobs", o.jobs,
              "rungs checked at the same time on a CPU (default: one per core)");
}

}  // namespace warpath::cli
