// How measurements get into the result files and the pages.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cli/select.h"
#include "harness/outcome.h"
#include "harness/results.h"

namespace warpath::cli {

// ops/FAMILY/OP/results/DEVICE.json
std::filesystem::path result_file(const harness::Places& places, const OpEntry& entry,
                                  const Backend& backend);

// Writes what was measured into the files of its folders, and returns their names. `whole`: nothing else stays in them.
std::vector<std::string> save_results(const harness::Places& places, const Backend& backend,
                                      const harness::ResultHead& head,
                                      const std::vector<harness::OpOutcome>& outcomes, bool whole);

// Makes the tables on the pages of these folders again, and returns the pages that changed.
std::vector<std::string> refresh_tables(const harness::Places& places,
                                        const std::set<std::string>& folders);

}  // namespace warpath::cli
