// Which days a learner has done: one readable JSON file, my/progress.json in the current folder, or the
// file that WARPATH_PROGRESS names.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace warpath::cli {

class DoneDays {
 public:
  // Reads the file; one that is not there is empty. Throws Error in one line when it is damaged.
  static DoneDays load();

  const std::filesystem::path& file() const { return file_; }
  bool has(const std::string& day) const;
  std::string when(const std::string& day) const;  // "2026-01-31"; empty where it is not known
  std::string latest() const;                      // the day that was marked last, or empty

  void add(const std::string& day, const std::string& date, const std::string& by);
  bool remove(const std::string& day);  // false: was not there

  int hints(const std::string& exercise) const;  // how many were shown
  void set_hints(const std::string& exercise, int shown);

  // Writes the whole file or nothing. Fields of other programs stay as they are.
  void save() const;

 private:
  const nlohmann::ordered_json& days() const;
  std::filesystem::path file_;
  nlohmann::ordered_json whole_ = nlohmann::ordered_json::object();
};

std::string today();  // "2026-01-31", local time

}  // namespace warpath::cli
