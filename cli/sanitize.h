// check --sanitize: rungs built with simt's checks, which observe every access of their kernels.
#pragma once
#include <cstdint>
#include <vector>

#include "cli/report.h"
#include "cli/select.h"

namespace warpath::cli {

// The checks take too long on many cases with more bytes or operations than this. Of those with more
// bytes one runs, the largest up to `most`; the others are left out unless they are named.
inline constexpr std::int64_t sanitize_limit = 256 << 10, sanitize_most = 8 << 20;
inline constexpr double sanitize_flops = 8 << 20;
// How many (case, type) pairs were left out.
int leave_out_large(std::vector<OpEntry>& ops);

// The ladder of one op with the verdict of each check, then every finding.
void print_sanitized(const OpOutcome& outcome, bool verbose);
// The findings of all records of a rung, one per kind and line.
nlohmann::ordered_json sanitized_json(const OpOutcome& outcome);

// Reports in which of the wrong kernels the checks find something. A race must be found, even if
// its results were right.
int report_wrong_sanitized(const Options& o, const Backend& backend,
                           const std::vector<OpOutcome>& outcomes);

}  // namespace warpath::cli
