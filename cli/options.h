// What every command shares: its flags, its way to end.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpath::cli {

enum Exit { all_passed = 0, check_failed = 1, cannot = 2 };

// The command was wrong, or a part is missing: one line that says how to go on, and exit status 2.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  bool json = false;
  std::vector<std::string> names;  // ops, and a learner's own files
  std::vector<std::string> rungs, cases, dtypes;
  std::string backend;  // empty: the GPU when there is one
  std::uint64_t seed = 0;
  std::optional<double> timeout;
  int jobs = 0;  // 0: as many as there are cores
  bool wrong = false;
  bool sanitize = false;
  bool save = false;
  bool check_only = false;
  bool peers = true;
  std::string python;  // that times the frameworks; empty: none
  double seconds = 0.3;
  double patience = 0.05;
  bool verbose = false;
  bool fork = true;
};

// Adds a subcommand; its action leaves the exit status behind.
struct Registry {
  CLI::App& app;
  Options& options;
  int& status;
};
using AddCommand = void (*)(Registry&);

void add_doctor(Registry&);
void add_ops(Registry&);
void add_run(Registry&);
void add_check(Registry&);
void add_bench(Registry&);
void add_tables(Registry&);
void add_cc(Registry&);
int tour(const Options&);
void run_tool(int argc, char** argv);  // `cc` and `debug`: every word after them is the tool's

void add_json_flag(CLI::App& command, Options& o);
void add_selection_flags(CLI::App& command, Options& o);  // --rung --case --dtype --backend
void add_running_flags(CLI::App& command, Options& o);    // --seed --timeout -j

}  // namespace warpath::cli
