// What every command shares: its options and its error type.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/train_options.h"

namespace warpath::cli {

enum Exit { all_passed = 0, check_failed = 1, cannot = 2 };

// The command was wrong, or a part is missing: one line that says what to do, and exit status 2.
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
  std::optional<double> case_timeout;  // of grade, where `timeout` is that of a step
  int jobs = 0;                        // 0: as many as there are cores
  bool wrong = false;
  bool sanitize = false;
  bool ladder = false;  // the shipped rungs beside a learner's own
  bool brief = false;   // each case in one type; the types rotate from case to case
  bool save = false;
  bool missing = false, list = false;  // of bench: what result files lack
  std::optional<double> within;        // seconds
  bool check_only = false;
  bool undo = false;
  bool peers = true;
  std::string why;                          // a call; `ops` explains which rung is chosen for it
  std::string python;                       // the Python that times the frameworks; empty: none
  std::string kernel, grid, block, shared;  // of a plain kernel: which one, and its launch
  std::string op, compare, html;            // of xray
  std::string source;                       // of a library with several rungs, the one to check
  std::string smaller;                      // a timed case, to be checked in a small version
  std::string gpu = "H200";                 // whose limits and roofline it names
  int launches = 0;                         // of a case, in `check`; 0: as it has them
  int blocks = 0;                           // to count of each launch; 0: all
  bool registers = true;                    // ask nvcc for them
  bool counts = false;                      // of each rung, in `run`
  bool no_counts = false;                   // of none, where `run` has them unasked
  double count_seconds = 18;                // of `run OP`, all of it
  double seconds = 0.3;
  double patience = 0.05;
  bool print_only = false;  // `start` writes no file
  bool all_hints = false;
  bool where = false;  // `start` says which folder and file, and writes nothing
  bool once = false;   // `watch` ends after one verdict
  bool writer = true;  // `check` says which thread wrote a wrong element
  std::string folder;  // of submissions, for `grade`
  std::string output;  // of image
  bool verbose = false;
  bool fork = true;
  TrainOptions train;
  GenerateOptions generate;
};

int tour(const Options&);
// `cc`, `debug` and `image` are programs of their own: every word after them belongs to the tool, so this is called
// before any parsing. Does not return when the first word is one of them.
void run_tool(int argc, char** argv);

}  // namespace warpath::cli
