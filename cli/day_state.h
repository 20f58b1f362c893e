// What a day of the course is on this tree: open or not, and what to type for it. Ops are looked up by
// their folders, so that a day opens when the folder of its op appears.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/course.h"
#include "harness/library.h"

namespace warpath::cli {

struct CommandLine {
  std::string text, why;
};

struct DayState {
  std::vector<std::string> missing;   // "the op attention"; empty: the day is open
  std::vector<CommandLine> commands;  // empty while the day is not open
  std::string lesson;                 // a page of the tree, relative to its root; may be empty
  std::filesystem::path rung;         // the file of the rung, relative to the root; may be empty
  bool open() const { return missing.empty(); }
};

// Reads the folders of the tree once for all days.
class OpsOfTree {
 public:
  explicit OpsOfTree(const std::filesystem::path& root);

  // An op, the folder of several, or with a slash at its end a family.
  bool has(const std::string& name) const;
  // The rungs of an op from the bottom up, as files.
  std::vector<std::filesystem::path> ladder(const std::string& op) const;
  DayState state(const Day& day) const;

 private:
  const harness::OpFolder* folder(const std::string& op) const;
  std::string relative(const std::filesystem::path& file) const;
  std::vector<CommandLine> own_commands(const Day& day, const DayState& state) const;

  std::filesystem::path root_;
  std::vector<harness::OpFolder> folders_;
};

// "  # why" at the end of a line is its reason.
CommandLine split_command(const std::string& line);

}  // namespace warpath::cli
