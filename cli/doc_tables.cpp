#include "cli/doc_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "cli/course.h"
#include "cli/day_state.h"
#include "core/host/error.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string leading_comment(const fs::path& file) {
  std::ifstream in(file);
  std::string text;
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    line.erase(0, line.find_first_not_of("/ "));
    text += (text.empty() ? "" : " ") + line;
  }
  if (text.empty())
    throw Error(fmt::format("{} does not begin with a comment that says what it shows",
                            file.filename().string()));
  return text;
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string cell(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return fmt::format("{}", value.get<long long>());
  const double number = value.get<double>();
  return fmt::format("{:.{}f}", number, number < 10 ? 2 : number < 100 ? 1 : 0);
}

}  // namespace

std::string program_table(const fs::path& folder, const fs::path& link_from) {
  std::set<fs::path> programs;
  if (!fs::is_directory(folder)) throw Error("no such folder: " + folder.string());
  for (const auto& e : fs::directory_iterator(folder))
    if (e.path().extension() == ".cu") programs.insert(e.path());
  std::string table = "| program | what it shows |\n|---|---|\n";
  for (const fs::path& file : programs)
    table += row(
        {fmt::format("[{}]({})", file.stem().string(), file.lexically_relative(link_from).string()),
         escaped(first_sentence(leading_comment(file)))});
  return table;
}

std::string measured_table(const fs::path& file) {
  try {
    std::ifstream in(file);
    if (!in) throw Error(file.string() + ": cannot be read");
    const nlohmann::json data = nlohmann::json::parse(in);
    std::vector<std::string> columns = data.at("columns"), rule;
    for (std::size_t i = 0; i < columns.size(); ++i) rule.push_back(i == 0 ? "---" : "---:");
    std::string table = row(columns) + row(rule);
    for (const nlohmann::json& values : data.at("rows")) {
      std::vector<std::string> cells;
      for (const nlohmann::json& value : values) cells.push_back(cell(value));
      table += row(cells);
    }
    return table + fmt::format("\n<sub>{}</sub>\n", data.at("note").get<std::string>());
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("{}: {}", file.filename().string(), e.what()));
  }
}

std::string course_table(const fs::path& root) {
  const OpsOfTree ops(root);
  std::string table = row({"track", "days", "open", ""}) + row({"---", "---:", "---:", "---"});
  for (const Track& t : load_course(root)) {
    const auto open = std::count_if(t.days.begin(), t.days.end(),
                                    [&](const Day& d) { return ops.state(d).open(); });
    table += row({t.id, std::to_string(t.days.size()), std::to_string(open), escaped(t.title)});
  }
  return table;
}

}  // namespace warpath::cli
