#include "cli/result_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cli/report.h"
#include "harness/results.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr std::size_t widest = 10;  // columns that still fit a page on GitHub

struct Column {
  std::string test, dtype;
  bool operator==(const Column&) const = default;
};

struct Row {
  std::string name;
  bool peer = false;
  bool operator==(const Row&) const = default;
};

// One op of one result file: records by rung and column, each list in the file's order.
struct OpResults {
  std::string op;
  std::vector<Row> rows;
  std::vector<Column> columns;
  std::vector<const ordered_json*> records;

  const ordered_json* find(const Row& row, const Column& c) const {
    for (const ordered_json* r : records)
      if ((*r)["name"] == row.name && (*r)["case"] == c.test && (*r)["dtype"] == c.dtype) return r;
    return nullptr;
  }
};

std::optional<double> number(const ordered_json& r, const char* field) {
  if (!r.contains(field) || !r[field].is_number()) return {};
  return r[field].get<double>();
}

double median_us(const ordered_json* r) {
  const bool timed = r && r->contains("time_us") && r->at("time_us").contains("median") &&
                     r->at("time_us")["median"].is_number();
  return timed ? r->at("time_us")["median"].get<double>() : std::numeric_limits<double>::infinity();
}

template <class T>
void add_unique(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

OpResults results_of(const ordered_json& file, const std::string& op) {
  OpResults out{op, {}, {}, {}};
  std::vector<Row> peers;
  for (const auto& r : file["records"]) {
    if (r["op"] != op) continue;
    const Row row{r["name"].get<std::string>(), r.value("kind", "") == "peer"};
    add_unique(row.peer ? peers : out.rows, row);
    add_unique(out.columns, {r["case"].get<std::string>(), r["dtype"].get<std::string>()});
    out.records.push_back(&r);
  }
  out.rows.insert(out.rows.end(), peers.begin(), peers.end());
  return out;
}

// The fastest rung of a column; null when none was timed.
const ordered_json* best_of(const OpResults& results, const Column& c, bool peer = false) {
  const ordered_json* best = nullptr;
  for (const Row& row : results.rows) {
    const ordered_json* r = row.peer == peer ? results.find(row, c) : nullptr;
    if (median_us(r) < median_us(best)) best = r;
  }
  return best;
}

std::vector<fs::path> result_files(const fs::path& root, const std::string& folder) {
  std::set<fs::path> files;
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(root / "ops" / folder / "results", ignored))
    if (e.path().extension() == ".json") files.insert(e.path());
  return {files.begin(), files.end()};
}

std::string day(const ordered_json& file) {
  return file["date"].get<std::string>().substr(0, 10);
}

std::string link(const std::string& text, const fs::path& file, const fs::path& page) {
  return fmt::format("[{}]({})", text, file.lexically_relative(page).generic_string());
}

std::string percent(double share) {
  return 100 * share < 0.1 ? "<0.1" : fmt::format("{:.1f}", 100 * share);
}

std::string cell(const ordered_json* r, const ordered_json* best) {
  if (!r) return "";
  const auto share = number(*r, "of_roofline");
  if (!share) return r->value("status", "") == "failed" ? "failed" : "–";
  return r == best ? "**" + percent(*share) + "**" : percent(*share);
}

std::string join_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string one_table(const OpResults& results, const std::vector<Column>& columns) {
  std::vector<std::string> heads{"percent of the roofline"}, rule{"---"};
  for (const Column& c : columns) {
    heads.push_back(c.test + "<br>" + c.dtype);
    rule.push_back("---:");
  }
  std::string text = join_row(heads) + join_row(rule);
  for (const Row& row : results.rows) {
    std::vector<std::string> cells{row.peer ? row.name + " (peer)" : row.name};
    for (const Column& c : columns)
      cells.push_back(cell(results.find(row, c), best_of(results, c)));
    text += join_row(cells);
  }
  std::vector<std::string> times{"*time of the best*"}, ratios{"*best peer's time / that*"};
  bool peers = false;
  for (const Column& c : columns) {
    const ordered_json* best = best_of(results, c);
    times.push_back(best ? time_text(median_us(best)) : "–");
    const auto ratio = best ? number(*best, "vs_best_peer") : std::nullopt;
    ratios.push_back(ratio ? fmt::format("{:.2f}×", *ratio) : "–");
    peers = peers || ratio;
  }
  text += join_row(times);
  if (peers) text += join_row(ratios);
  return text;
}

// As few tables as the width allows, each with whole cases and about as many columns.
std::vector<std::vector<Column>> share_out(const std::vector<Column>& columns) {
  std::vector<std::vector<Column>> cases;
  for (const Column& c : columns) {
    if (cases.empty() || cases.back().front().test != c.test) cases.emplace_back();
    cases.back().push_back(c);
  }
  const std::size_t tables = (columns.size() + widest - 1) / widest;
  const std::size_t each = (cases.size() + tables - 1) / std::max<std::size_t>(tables, 1);
  std::vector<std::vector<Column>> shares;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i % each == 0) shares.emplace_back();
    shares.back().insert(shares.back().end(), cases[i].begin(), cases[i].end());
  }
  return shares;
}

std::string caption(const ordered_json& file, const fs::path& path, const fs::path& page) {
  std::string copy = "not measured";
  if (const auto rate = number(file, "copy_tbs"))
    copy =
        fmt::format("{:.3f} TB/s", *rate) + (file.contains("copy_by") && file["copy_by"].is_string()
                                                 ? " by " + file["copy_by"].get<std::string>()
                                                 : "");
  return fmt::format(
      "<sub>{}, {}, commit {}: {}. Copy rate of the same run: {}. Bold: the fastest rung. Method: "
      "{}.</sub>\n",
      file["device"].get<std::string>(), day(file), file["commit"].get<std::string>(),
      link(path.filename().string(), path, page), copy, file["method"].get<std::string>());
}

std::string nothing_yet(const std::string& what) {
  return fmt::format("no result file yet: run `./warpath bench {} --save` on a GPU\n", what);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  Column lowest;
  void add(double x, const Column& c) {
    if (x < low) low = x, lowest = c;
    high = std::max(high, x);
  }
  bool empty() const { return low > high; }
};

// "94.1% (8191x4097 bf16) to 98.0%"
std::string range_text(const Range& range, const auto& shown) {
  if (range.empty()) return "–";
  if (shown(range.low) == shown(range.high)) return shown(range.low);
  return fmt::format("{} ({} {}) to {}", shown(range.low), range.lowest.test, range.lowest.dtype,
                     shown(range.high));
}

std::string best_row(const OpResults& results, const ordered_json& file, const fs::path& path,
                     const fs::path& page) {
  std::vector<std::string> rungs, peers;
  Range roofline, ratio;
  for (const Column& c : results.columns) {
    const ordered_json* best = best_of(results, c);
    if (!best) continue;
    add_unique(rungs, (*best)["name"].get<std::string>());
    if (const auto x = number(*best, "of_roofline")) roofline.add(*x, c);
    if (const auto x = number(*best, "vs_best_peer")) ratio.add(*x, c);
    if (const ordered_json* peer = best_of(results, c, true))
      add_unique(peers, (*peer)["name"].get<std::string>());
  }
  if (rungs.empty()) return "";
  std::sort(rungs.begin(), rungs.end());
  const fs::path lesson = path.parent_path().parent_path() / "README.md";
  const auto shown_ratio = [](double x) { return fmt::format("{:.2f}×", x); };
  return join_row({link(results.op, lesson, page), fmt::format("{}", fmt::join(rungs, ", ")),
                   range_text(roofline, [](double x) { return percent(x) + "%"; }),
                   peers.empty() ? "–"
                                 : fmt::format("{}: {}", fmt::join(peers, ", "),
                                               range_text(ratio, shown_ratio)),
                   file["device"].get<std::string>() + ", " + link(day(file), path, page)});
}

}  // namespace

std::string op_table(const fs::path& root, const std::string& folder, const std::string& op,
                     const fs::path& page) {
  std::string text;
  for (const fs::path& path : result_files(root, folder)) {
    const ordered_json file = harness::read_results(path);
    const OpResults results = results_of(file, op);
    for (const auto& columns : share_out(results.columns))
      text += one_table(results, columns) + "\n";
    if (!results.columns.empty()) text += caption(file, path, page);
  }
  return text.empty() ? nothing_yet(folder) : text;
}

std::string best_table(const fs::path& root, const fs::path& page) {
  std::set<std::string> folders;
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(root / "ops", ignored))
    folders.insert(e.path().filename().string());
  std::string rows;
  for (const std::string& folder : folders)
    for (const fs::path& path : result_files(root, folder)) {
      const ordered_json file = harness::read_results(path);
      std::vector<std::string> ops;
      for (const auto& r : file["records"]) add_unique(ops, r["op"].get<std::string>());
      for (const std::string& op : ops) rows += best_row(results_of(file, op), file, path, page);
    }
  if (rows.empty()) return nothing_yet("all");
  return join_row(
             {"op", "fastest rungs", "of the roofline", "best peer's time / ours", "measured"}) +
         join_row({"---", "---", "---", "---", "---"}) + rows;
}

}  // namespace warpath::cli
