// PyTorch, torch.compile and Triton as peers of `warpath bench`: timed by the Python package, in a child.
#pragma once
#include <string>
#include <vector>

#include "cli/report.h"

namespace warpath::cli {

// Runs `python -m warpath bench` for these ops and adds what it measured to their records. Throws Refusal when
// the child cannot measure.
void add_framework_peers(const std::string& python, std::vector<OpOutcome>& outcomes);

// The records in a file that the child wrote, for one op.
std::vector<harness::Record> framework_records(const nlohmann::json& file, const Op& op);

}  // namespace warpath::cli
