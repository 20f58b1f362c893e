#include "harness/result_file.h"

#include <algorithm>
#include <set>

#include "harness/results.h"

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace warpath::harness {
namespace {

std::optional<double> number(const ordered_json& j, const char* field) {
  if (!j.contains(field) || !j[field].is_number()) return {};
  return j[field].get<double>();
}

template <class T>
void add_unique(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

Measured parse(const ordered_json& j) {
  Measured m;
  m.op = j.at("op").get<std::string>();
  m.name = j.at("name").get<std::string>();
  m.peer = j.value("kind", "") == "peer";
  m.at = {j.at("case").get<std::string>(), j.at("dtype").get<std::string>()};
  m.failed = j.value("status", "") == "failed";
  m.skipped = j.value("status", "") == "skipped";
  m.work = std::max(number(j, "flops").value_or(0), number(j, "bytes").value_or(0));
  m.source = j.value("source", "");
  m.scratch_bytes = number(j, "scratch_bytes").value_or(0);
  if (j.contains("time_us") && j["time_us"].is_object())
    m.median_us = number(j["time_us"], "median");
  m.tbs = number(j, "tbs");
  m.of_roofline = number(j, "of_roofline");
  m.vs_best_peer = number(j, "vs_best_peer");
  return m;
}

const Measured* fastest(const OpResults& results, const std::vector<std::string>& names,
                        const MeasuredCase& at) {
  const Measured* best = nullptr;
  for (const std::string& name : names) {
    const Measured* m = results.find(name, at);
    if (m && m->median_us && (!best || *m->median_us < *best->median_us)) best = m;
  }
  return best;
}

Range range_of(const OpResults& results, std::optional<double> Measured::*field) {
  Range range;
  for (const MeasuredCase& c : results.cases)
    if (const Measured* best = results.best_rung(c); best && best->*field)
      range.add(*(best->*field), c.test + " " + c.dtype);
  return range;
}

}  // namespace

void Range::add(double x, const std::string& cell) {
  if (x < low) low = x, lowest = cell;
  high = std::max(high, x);
}

const Measured* OpResults::find(const std::string& name, const MeasuredCase& at) const {
  for (const Measured& m : records)
    if (m.name == name && m.at == at) return &m;
  return nullptr;
}
const Measured* OpResults::best_rung(const MeasuredCase& at) const {
  return fastest(*this, rungs, at);
}
const Measured* OpResults::best_peer(const MeasuredCase& at) const {
  return fastest(*this, peers, at);
}
Range OpResults::of_roofline() const {
  return range_of(*this, &Measured::of_roofline);
}
Range OpResults::vs_best_peer() const {
  return range_of(*this, &Measured::vs_best_peer);
}

const OpResults* ResultFile::find(const std::string& op) const {
  for (const OpResults& r : ops)
    if (r.op == op) return &r;
  return nullptr;
}

ResultFile read_result_file(const fs::path& file) {
  const ordered_json j = read_results(file);
  ResultFile f;
  f.path = file;
  f.device = j["device"].get<std::string>();
  f.date = j["date"].get<std::string>();
  f.commit = j["commit"].get<std::string>();
  f.method = j["method"].get<std::string>();
  f.arch = j.value("arch", 0);
  f.copy_tbs = number(j, "copy_tbs");
  if (j.contains("copy_by") && j["copy_by"].is_string()) f.copy_by = j["copy_by"];
  for (const ordered_json& r : j["records"]) {
    Measured m = parse(r);
    auto at =
        std::find_if(f.ops.begin(), f.ops.end(), [&](const OpResults& o) { return o.op == m.op; });
    if (at == f.ops.end()) at = f.ops.insert(at, OpResults{m.op, {}, {}, {}, {}});
    add_unique(m.peer ? at->peers : at->rungs, m.name);
    add_unique(at->cases, m.at);
    at->records.push_back(std::move(m));
  }
  return f;
}

std::vector<ResultFile> result_files(const fs::path& op_folder) {
  std::set<fs::path> paths;
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(op_folder / "results", ignored))
    if (e.path().extension() == ".json") paths.insert(e.path());
  std::vector<ResultFile> files;
  for (const fs::path& path : paths) files.push_back(read_result_file(path));
  return files;
}

}  // namespace warpath::harness
