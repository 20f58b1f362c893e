// check --sanitize: rungs built with simt's checks, which watch every access of their kernels.
#pragma once
#include <cstdint>
#include <vector>

#include "cli/report.h"
#include "cli/select.h"

namespace warpath::cli {

// Cases with more bytes or operations than this take the checks too long; they are left out unless they are named.
inline constexpr std::int64_t sanitize_limit = 256 << 10;
inline constexpr double sanitize_flops = 8 << 20;
// How many (case, type) pairs were left out.
int leave_out_large(std::vector<OpEntry>& ops);

// The ladder of one op with the verdict of each check, then every finding.
void print_sanitized(const OpOutcome& outcome, bool verbose);
// What all records of a rung found, one of each kind and line.
nlohmann::ordered_json sanitized_json(const OpOutcome& outcome);

// Of the wrong kernels, which the checks find something in. A race must be found, whatever its results
// were.
int report_wrong_sanitized(const Options& o, const Backend& backend,
                           const std::vector<OpOutcome>& outcomes);

}  // namespace warpath::cli
