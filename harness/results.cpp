#include "harness/results.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <tuple>

#include "core/host/error.h"
#include "harness/process.h"

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace warpath::harness {
namespace {

constexpr int digits = 5;  // more would be noise, and change lines in every diff

ordered_json number(std::optional<double> x) {
  if (!x || !std::isfinite(*x)) return nullptr;
  return std::stod(fmt::format("{:.{}g}", *x, digits));
}

std::string status_name(Status s) {
  return s == Status::passed ? "passed" : s == Status::failed ? "failed" : "skipped";
}

// Shares of the device's best: of the roofline, and of its copy rate. Empty where that was not
// measured.
struct Shares {
  std::optional<double> of_roofline, of_copy;
};
Shares shares(const Cost& cost, double median_us, const Roofline& roofline) {
  const double seconds = median_us * 1e-6;
  Shares s;
  if (const double least = roofline.floor_seconds(cost.bytes, cost.flops); least > 0)
    s.of_roofline = least / seconds;
  if (roofline.copy) s.of_copy = cost.bytes / seconds / roofline.copy->per_second;
  return s;
}

}  // namespace

std::vector<Rated> rate(const std::vector<Record>& records, const Roofline& roofline) {
  using Key = std::tuple<std::string, std::string, DType>;
  std::map<Key, const Record*> best_peer;
  for (const Record& r : records) {
    if (!r.peer || !r.timing) continue;
    const Record*& best = best_peer[{r.op, r.test, r.dtype}];
    if (!best || r.timing->median_us < best->timing->median_us) best = &r;
  }
  std::vector<Rated> all;
  for (const Record& r : records) {
    Rated out{r, {}, {}, {}, {}, {}, {}};
    if (r.timing && r.timing->median_us > 0) {
      const double seconds = r.timing->median_us * 1e-6;
      out.tbs = r.cost.bytes / seconds * 1e-12;
      out.tflops = r.cost.flops / seconds * 1e-12;
      const Shares of = shares(r.cost, r.timing->median_us, roofline);
      out.of_roofline = of.of_roofline;
      out.of_copy = of.of_copy;
      const auto peer = best_peer.find({r.op, r.test, r.dtype});
      if (peer != best_peer.end()) {
        out.vs_best_peer = peer->second->timing->median_us / r.timing->median_us;
        out.best_peer = peer->second->name;
      }
    }
    all.push_back(std::move(out));
  }
  return all;
}

ordered_json to_json(const Rated& rated) {
  const Record& r = rated.record;
  ordered_json j;
  j["op"] = r.op;
  j["name"] = r.name;
  j["kind"] = r.peer ? "peer" : "rung";
  if (!r.source.empty()) j["source"] = r.source;
  j["case"] = r.test;
  j["dtype"] = std::string(name(r.dtype));
  j["shape"] = r.dims;
  j["status"] = status_name(r.status);
  j["passed"] = r.status == Status::passed;
  if (!r.reason.empty()) j["reason"] = r.reason;
  if (!r.output.empty()) j["output"] = r.output;
  if (!r.findings.empty()) j["findings"] = r.findings;
  j["max_error"] = number(r.error);
  j["allowed"] = number(r.allowed);
  if (r.judged < 1) j["judged"] = number(r.judged);
  j["bytes"] = r.cost.bytes;
  j["flops"] = r.cost.flops;
  if (r.scratch > 0) j["scratch_bytes"] = r.scratch;
  if (!r.timing) return j;
  j["time_us"] = {{"median", number(r.timing->median_us)},
                  {"p20", number(r.timing->p20_us)},
                  {"p80", number(r.timing->p80_us)}};
  j["samples"] = r.timing->samples;
  j["tbs"] = number(rated.tbs);
  j["tflops"] = number(rated.tflops);
  j["of_roofline"] = number(rated.of_roofline);
  j["of_copy"] = number(rated.of_copy);
  j["vs_best_peer"] = number(rated.vs_best_peer);
  return j;
}

ordered_json to_json(const ResultHead& head) {
  ordered_json j;
  j["device"] = head.device;
  j["arch"] = head.arch;
  j["driver"] = head.driver;
  j["runtime"] = head.runtime;
  j["date"] = head.date;
  j["commit"] = head.commit;
  j["method"] = head.method;
  const auto rate_json = [](const std::optional<MeasuredRate>& r, double unit) {
    return number(r ? std::optional(r->per_second * unit) : std::nullopt);
  };
  j["copy_tbs"] = rate_json(head.roofline.copy, 1e-12);
  j["copy_by"] = head.roofline.copy ? ordered_json(head.roofline.copy->how) : ordered_json(nullptr);
  j["matmul_tflops"] = rate_json(head.roofline.matmul, 1e-12);
  j["matmul_by"] =
      head.roofline.matmul ? ordered_json(head.roofline.matmul->how) : ordered_json(nullptr);
  return j;
}

namespace {

void write_file(const fs::path& file, const ResultHead& head,
                const std::vector<ordered_json>& records) {
  std::string text = to_json(head).dump(2);
  text.resize(text.rfind('\n'));  // reopen the object
  text += ",\n  \"records\": [";
  for (std::size_t i = 0; i < records.size(); ++i)
    text += (i ? ",\n    " : "\n    ") +
            records[i].dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text += "\n  ]\n}\n";

  fs::create_directories(file.parent_path());
  const fs::path beside = file.string() + "." + std::to_string(getpid()) + ".new";
  {
    std::ofstream out(beside);
    out << text;
    out.close();
    if (!out) throw Error("cannot write " + beside.string());
  }
  fs::rename(beside, file);
}

std::vector<ordered_json> all_json(const std::vector<Rated>& records) {
  std::vector<ordered_json> all;
  for (const Rated& r : records) all.push_back(to_json(r));
  return all;
}

// problem_of names the op, case and type of a record, key_of also the rung or peer.
std::string problem_of(const ordered_json& r) {
  return r.at("op").get<std::string>() + '\n' + r.at("case").get<std::string>() + '\n' +
         r.at("dtype").get<std::string>();
}
std::string key_of(const ordered_json& r) {
  return problem_of(r) + '\n' + r.at("name").get<std::string>();
}

// The better of the file's rates and the new ones. The roofline is the best that the device ever
// did: the rate of one run on a hot GPU would make the shares of the other records too large.
Roofline best_of(Roofline rates, const ordered_json& before) {
  const auto keep = [&](std::optional<MeasuredRate>& rate, const char* value, const char* by) {
    if (!before.contains(value) || !before.at(value).is_number()) return;
    const double known = before.at(value).get<double>() * 1e12;
    if (!rate || rate->per_second < known) rate = MeasuredRate{known, before.value(by, "")};
  };
  keep(rates.copy, "copy_tbs", "copy_by");
  keep(rates.matmul, "matmul_tflops", "matmul_by");
  return rates;
}

void rate_again(std::vector<ordered_json>& records, const Roofline& roofline) {
  std::map<std::string, double> best;
  for (const ordered_json& r : records)
    if (r.value("kind", "") == "peer" && r.contains("time_us")) {
      const double us = r.at("time_us").at("median");
      const auto [at, is_new] = best.emplace(problem_of(r), us);
      if (!is_new) at->second = std::min(at->second, us);
    }
  for (ordered_json& r : records) {
    if (!r.contains("time_us")) continue;
    const double us = r.at("time_us").at("median");
    const Cost cost{.flops = r.value("flops", 0.0), .bytes = r.value("bytes", 0.0)};
    const Shares of = shares(cost, us, roofline);
    r["of_roofline"] = number(of.of_roofline);
    r["of_copy"] = number(of.of_copy);
    if (const auto peer = best.find(problem_of(r)); peer != best.end())
      r["vs_best_peer"] = number(peer->second / us);
  }
}

}  // namespace

void write_results(const fs::path& file, const ResultHead& head,
                   const std::vector<Rated>& records) {
  write_file(file, head, all_json(records));
}

void update_results(const fs::path& file, const ResultHead& head,
                    const std::vector<Rated>& records) {
  const ordered_json before = read_results(file);
  std::vector<ordered_json> all;
  std::map<std::string, std::size_t> place;
  for (ordered_json r : before.at("records")) {
    if (!r.contains("date")) r["date"] = before.at("date");
    place[key_of(r)] = all.size();
    all.push_back(std::move(r));
  }
  for (ordered_json& r : all_json(records)) {
    if (const auto at = place.find(key_of(r)); at != place.end())
      all[at->second] = std::move(r);
    else
      all.push_back(std::move(r));
  }
  ResultHead rated = head;
  rated.roofline = best_of(head.roofline, before);
  rate_again(all, rated.roofline);
  write_file(file, rated, all);
}

ordered_json read_results(const fs::path& file) {
  const auto bad = [&](const std::string& why) { return Error(file.string() + ": " + why); };
  std::ifstream in(file);
  if (!in) throw bad("cannot be read");
  ordered_json j;
  try {
    j = ordered_json::parse(in);
  } catch (const ordered_json::parse_error& e) {
    throw bad(fmt::format("not valid JSON at byte {}", e.byte));
  }
  if (!j.is_object()) throw bad("not a result file: no object at the top");
  for (const char* field : {"device", "date", "commit", "method"})
    if (!j.contains(field) || !j[field].is_string())
      throw bad(fmt::format("not a result file: no text field '{}'", field));
  if (!j.contains("records") || !j["records"].is_array())
    throw bad("not a result file: no list 'records'");
  std::size_t at = 0;
  for (const auto& r : j["records"]) {
    const bool ok = r.is_object() && r.contains("op") && r["op"].is_string() &&
                    r.contains("name") && r["name"].is_string() && r.contains("case") &&
                    r["case"].is_string() && r.contains("dtype") && r["dtype"].is_string();
    if (!ok) throw bad(fmt::format("record {} lacks op, name, case or dtype", at));
    if (r.contains("time_us") && !r.value("passed", false))
      throw bad(
          fmt::format("record {} ({}) has a time but no pass", at, r["name"].get<std::string>()));
    ++at;
  }
  return j;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string source_commit(const fs::path& root) {
  if (const char* given = std::getenv("WARPATH_COMMIT"); given && *given) return given;
  const CommandResult r = run_command(
      {"git", "-C", root.string(), "describe", "--always", "--dirty=+dirty", "--abbrev=12"});
  if (r.status != 0) return "unknown";
  return r.output.substr(0, r.output.find('\n'));
}

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace warpath::harness
