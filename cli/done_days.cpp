#include "cli/done_days.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "core/host/error.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

using nlohmann::ordered_json;

fs::path progress_file() {
  const char* named = std::getenv("WARPATH_PROGRESS");
  return named && *named ? fs::path(named) : fs::path("my") / "progress.json";
}

// A damaged file is the learner's: it is neither read in part nor written over.
[[noreturn]] void refuse_damaged(const fs::path& file, const std::string& why) {
  throw Error(fmt::format("{} is damaged ({}); mend it, or move it away to begin again",
                          file.string(), why));
}

}  // namespace

DoneDays DoneDays::load() {
  DoneDays d;
  d.file_ = progress_file();
  std::error_code error;
  if (!fs::exists(d.file_, error) && !error) return d;
  std::ifstream in(d.file_);
  if (!in) throw Error(d.file_.string() + " cannot be read");
  try {
    d.whole_ = ordered_json::parse(in);
  } catch (const ordered_json::parse_error& e) {
    refuse_damaged(d.file_, fmt::format("no JSON at byte {}", e.byte));
  }
  if (!d.whole_.is_object()) refuse_damaged(d.file_, "it holds no object");
  if (d.whole_.contains("done") && !d.whole_["done"].is_object())
    refuse_damaged(d.file_, "'done' is no object");
  return d;
}

const ordered_json& DoneDays::days() const {
  static const ordered_json none = ordered_json::object();
  const auto at = whole_.find("done");
  return at == whole_.end() ? none : *at;
}

bool DoneDays::has(const std::string& day) const {
  return days().contains(day);
}

std::string DoneDays::when(const std::string& day) const {
  const auto at = days().find(day);
  if (at == days().end() || !at->is_object()) return "";
  const auto on = at->find("on");
  return on != at->end() && on->is_string() ? on->get<std::string>() : "";
}

std::string DoneDays::latest() const {
  std::string last;
  for (const auto& [day, what] : days().items()) last = day;
  return last;
}

void DoneDays::add(const std::string& day, const std::string& date, const std::string& by) {
  ordered_json entry = has(day) && days()[day].is_object() ? days()[day] : ordered_json::object();
  entry["on"] = date;
  entry["by"] = by;
  remove(day);  // to the end: the order is that of the marks
  whole_["done"][day] = std::move(entry);
}

bool DoneDays::remove(const std::string& day) {
  return whole_.contains("done") && whole_["done"].erase(day) > 0;
}

int DoneDays::hints(const std::string& exercise) const {
  const auto shown = whole_.find("hints");
  if (shown == whole_.end() || !shown->is_object()) return 0;
  const auto at = shown->find(exercise);
  return at != shown->end() && at->is_number_integer() ? at->get<int>() : 0;
}

void DoneDays::set_hints(const std::string& exercise, int shown) {
  if (!whole_["hints"].is_object()) whole_["hints"] = ordered_json::object();
  whole_["hints"][exercise] = shown;
}

void DoneDays::save() const {
  const fs::path target = fs::weakly_canonical(file_);  // through a link, which stays one
  const fs::path beside = target.string() + "." + std::to_string(getpid()) + ".new";
  std::error_code ignored;
  fs::create_directories(target.parent_path(), ignored);
  std::ofstream out(beside);
  out << whole_.dump(2) << "\n";
  out.close();
  std::error_code error;
  if (out) fs::rename(beside, target, error);
  if (out && !error) return;
  fs::remove(beside, ignored);
  throw Error(fmt::format("cannot write {}", file_.string()));
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

}  // namespace warpath::cli
