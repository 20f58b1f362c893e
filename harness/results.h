// Measurements, rated against the roofline and the peers, and the file they are kept in.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/probe.h"
#include "harness/runner.h"

namespace warpath::harness {

// A record and what is derived from it. Every derived value needs a time.
struct Rated {
  Record record;
  std::optional<double> tbs, tflops;   // 1e12 bytes, 1e12 operations per second
  std::optional<double> of_roofline;   // the least time this device could need / the time taken
  std::optional<double> of_copy;       // bytes per second / the copy rate
  std::optional<double> vs_best_peer;  // the best peer's time / own time: above 1 is faster
  std::string best_peer;
};
std::vector<Rated> rate(const std::vector<Record>& records, const Roofline& roofline);

struct ResultHead {
  std::string device, driver, runtime, date, commit, method;
  int arch = 0;
  Roofline roofline;
};

nlohmann::ordered_json to_json(const Rated& r);
nlohmann::ordered_json to_json(const ResultHead& head);

// Indented, but with one record per line: a diff shows which rung changed. Writes the whole file or
// nothing.
void write_results(const std::filesystem::path& file, const ResultHead& head,
                   const std::vector<Rated>& records);

// The same where only a part was measured: these records replace those in the file, and all others
// stay, with the date of their own measurement. The peers' times and the rates of the roofline may
// be new, so all records are rated again, against the new times and the better rates.
void update_results(const std::filesystem::path& file, const ResultHead& head,
                    const std::vector<Rated>& records);

// Throws Error naming the file and what is wrong with it.
nlohmann::ordered_json read_results(const std::filesystem::path& file);

std::string utc_now();  // "2025-11-15T04:29:00Z"
std::string source_commit(
    const std::filesystem::path& root);  // git describe, "+dirty"; WARPATH_COMMIT overrides
std::string cuda_version(int number);    // 13000 is "13.0"

}  // namespace warpath::harness
