// A result file as it is read: the measurements on one device, by op, case and type.
#pragma once
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warpath::harness {

// A case in one type: a column of a result table.
struct MeasuredCase {
  std::string test, dtype;
  bool operator==(const MeasuredCase&) const = default;
};

// The result of one rung or peer in that cell.
struct Measured {
  std::string op, name;
  bool peer = false;
  MeasuredCase at;
  bool failed = false, skipped = false;
  double work = 0;     // operations or bytes, whichever are more
  std::string source;  // the digest of the rung's code; empty: not known
  std::optional<double> median_us, tbs, of_roofline, vs_best_peer;
  double scratch_bytes = 0;  // that the rung asked for
};

// The range of a ratio from its worst case to its best.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::string lowest;  // which cell that is, in words
  void add(double x, const std::string& cell);
  bool empty() const { return low > high; }
};

// One op of a file. Everything is in the file's order, peers after rungs.
struct OpResults {
  std::string op;
  std::vector<std::string> rungs, peers;
  std::vector<MeasuredCase> cases;
  std::vector<Measured> records;

  const Measured* find(const std::string& name, const MeasuredCase& at) const;
  // The fastest of a case; null when none was timed.
  const Measured* best_rung(const MeasuredCase& at) const;
  const Measured* best_peer(const MeasuredCase& at) const;
  // For the fastest rung of each case; a cell is named as "8191x4097 bf16".
  Range of_roofline() const;
  Range vs_best_peer() const;
};

struct ResultFile {
  std::filesystem::path path;
  std::string device, date, commit, method;
  int arch = 0;  // 0: not known
  std::optional<double> copy_tbs;
  std::string copy_by;
  std::vector<OpResults> ops;

  std::string day() const { return date.substr(0, 10); }
  const OpResults* find(const std::string& op) const;  // null: nothing of it here
};

// Throws Error naming the file and what is wrong with it.
ResultFile read_result_file(const std::filesystem::path& file);
// results/*.json of an op's folder, by name.
std::vector<ResultFile> result_files(const std::filesystem::path& op_folder);

}  // namespace warpath::harness
