// How outcomes are shown: a ladder with its verdicts, tables of times, the same as JSON.
#pragma once
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/select.h"
#include "harness/results.h"

namespace warpath::cli {

// All records of one contestant in one op.
struct Summary {
  std::string name;
  bool peer = false;
  int passed = 0, failed = 0, skipped = 0;
  const harness::Record* worst = nullptr;  // the passed record nearest to its bound
  std::vector<const harness::Record*> failures, skips;
  bool ok() const { return failed == 0 && passed > 0; }
};
std::vector<Summary> summarise(const std::vector<harness::Record>& records);

struct OpOutcome {
  const OpEntry* entry = nullptr;
  std::vector<harness::Record> records;
  double seconds = 0;  // all of it together
};

// A wrong kernel that errs only when threads run in an unlucky order.
bool is_race(const OpOutcome& outcome, const std::string& rung);

// Runs every op, with progress on stderr.
std::vector<OpOutcome> run_all(const std::vector<OpEntry>& ops, const harness::Settings& settings);

// The copy and matmul rates, with a word on stderr about the wait.
harness::Roofline measure_roofline(const harness::Settings& settings);

void print_backend(const Backend& backend, const harness::Settings& settings);
// The ladder of one op, then why anything failed or was skipped.
void print_checks(const OpOutcome& outcome, bool verbose);
// Why rungs failed or were skipped.
void print_reasons(const std::vector<Summary>& summaries, bool verbose);
// One table a bench case and dtype: time, rate, share of the roofline, ratio to the best peer, a
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
