#include "cli/frameworks.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>

#include "harness/process.h"

using nlohmann::json;

namespace warpath::cli {
namespace {

double number(const json& record, const char* name) {
  return record.contains(name) && record[name].is_number() ? record[name].get<double>() : 0;
}

}  // namespace

std::vector<harness::Record> framework_records(const json& file, const Op& op) {
  std::vector<harness::Record> records;
  for (const json& j : file) {
    if (j.value("op", "") != op.contract.name()) continue;
    harness::Record r;
    r.op = op.contract.name();
    r.name = j.at("name");
    r.test = j.at("case");
    r.peer = r.bench = true;
    if (const auto dtype = parse_dtype(j.at("dtype").get<std::string>())) r.dtype = *dtype;
    for (const Case& c : op.cases)
      if (c.name == r.test) r.dims = c.dims;
    r.reason = j.value("reason", "");
    const json& passed = j.at("passed");
    r.status = passed.is_null()     ? harness::Status::skipped
               : passed.get<bool>() ? harness::Status::passed
                                    : harness::Status::failed;
    r.error = number(j, "error");
    r.allowed = std::nan("");  // the child judges it and reports only the error
    r.cost = {.flops = number(j, "flops"), .bytes = number(j, "bytes")};
    if (r.status == harness::Status::passed && j.at("median_us").is_number())
      r.timing =
          harness::Timing{number(j, "median_us"), number(j, "p20_us"), number(j, "p80_us"), 0};
    // A framework that is wrong is not our failure: its row says so, without a time.
    if (r.status == harness::Status::failed) r.status = harness::Status::skipped;
    records.push_back(std::move(r));
  }
  return records;
}

void add_framework_peers(const std::string& python, std::vector<OpOutcome>& outcomes) {
  harness::TemporaryFolder folder;
  const std::filesystem::path file = folder.file("frameworks.json");
  std::vector<std::string> command = {python, "-m", "warpath", "bench", "--output", file.string()};
  std::set<std::string> cases, dtypes;  // on which the rungs were timed
  for (const OpOutcome& o : outcomes) {
    command.push_back(o.entry->name());
    for (const harness::Attempt& a : o.entry->attempts) {
      cases.insert(o.entry->op->cases[a.test].name);
      dtypes.emplace(name(a.dtype));
    }
  }
  for (const std::string& c : cases) command.insert(command.end(), {"--case", c});
  for (const std::string& d : dtypes) command.insert(command.end(), {"--dtype", d});
  const harness::CommandResult done = harness::run_command(command);
  std::ifstream in(file);
  const json measured = in ? json::parse(in, nullptr, false) : json();
  if (done.status != 0 || !measured.is_array()) {
    const std::string& text = done.output;
    const std::size_t last = text.find_last_not_of('\n');
    const std::size_t line = last == text.npos ? text.npos : text.rfind('\n', last);
    throw Refusal(fmt::format(
        "{} cannot time the frameworks: {}; ./warpath python makes an environment that can", python,
        last == text.npos ? "it says nothing" : text.substr(line + 1, last - line)));
  }
  for (OpOutcome& o : outcomes)
    for (harness::Record& r : framework_records(measured, *o.entry->op))
      o.records.push_back(std::move(r));
}

}  // namespace warpath::cli
