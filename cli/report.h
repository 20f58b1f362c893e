// How outcomes are shown: a ladder with its verdicts, tables of times, the same as JSON.
#pragma once
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/select.h"
#include "harness/outcome.h"
#include "harness/results.h"

namespace warpath::cli {

using harness::OpOutcome;
using harness::Summary;

// Runs every op, with progress on stderr.
std::vector<OpOutcome> run_with_progress(const std::vector<OpEntry>& ops,
                                         const harness::Settings& settings);

// Measures the copy and matmul rates, with a note on stderr that this takes a while.
harness::Roofline measure_roofline(const harness::Settings& settings);

void print_backend(const Backend& backend, const harness::Settings& settings);
// The ladder of one op, then why anything failed or was skipped.
void print_checks(const OpOutcome& outcome, bool verbose);
// The first lines, how many more there are, and what shows them.
void print_indented(const std::string& text, std::size_t lines, const std::string& rest = "-v");
// Why rungs failed or were skipped.
void print_reasons(const std::vector<Summary>& summaries, bool verbose);
// One table per bench case and dtype: time, rate, share of the roofline, ratio to the best peer, a
// bar.
void print_times(const OpOutcome& outcome, const harness::Roofline& roofline);
// "3 rungs on 12 cases: all passed"
void print_closing(const std::vector<OpOutcome>& outcomes);

nlohmann::ordered_json outcome_json(const OpOutcome& outcome, const harness::Roofline& roofline);
nlohmann::ordered_json backend_json(const Backend& backend);
void print_json(const nlohmann::ordered_json& j);

int exit_status(const std::vector<OpOutcome>& outcomes);

std::string time_text(double us);

}  // namespace warpath::cli
