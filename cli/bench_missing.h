// bench --missing: what the result files lack, listed or measured.
#pragma once
#include <vector>

#include "cli/options.h"
#include "cli/select.h"
#include "harness/results.h"

namespace warpath::cli {

struct Measuring {
  const Options& options;
  const harness::Places& places;
  const Backend& backend;
  const harness::ResultHead& head;
  const harness::Settings& settings;
};

// All three return the exit status.
int bench_missing(const Measuring& m, const std::vector<OpEntry>& ops);
int list_missing_of(const Options& o, const harness::Places& places, const Backend& backend,
                    const std::vector<OpEntry>& ops);
// Where no GPU answers: by the files of each device that has left some.
int list_missing_of_files(const Options& o, const harness::Places& places,
                          const std::vector<OpEntry>& ops);

}  // namespace warpath::cli
