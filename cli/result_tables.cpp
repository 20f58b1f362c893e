#include "cli/result_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/lesson_order.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "harness/result_file.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

using harness::Measured;
using harness::MeasuredCase;
using harness::OpResults;
using harness::Range;
using harness::ResultFile;

constexpr std::size_t widest = 10;  // columns that still fit a page on GitHub

std::string link(const std::string& text, const fs::path& file, const fs::path& page) {
  return fmt::format("[{}]({})", text, file.lexically_relative(page).generic_string());
}

std::string percent(double share) {
  return 100 * share < 0.1 ? "<0.1" : fmt::format("{:.1f}", 100 * share);
}
std::string percent_sign(double share) {
  return percent(share) + "%";
}
std::string megabytes(double bytes) {
  const double mb = bytes * 1e-6;
  return mb < 0.1 ? "<0.1 MB" : fmt::format("{:.{}f} MB", mb, mb < 10 ? 1 : 0);
}
std::string times(double ratio) {
  return fmt::format("{:.2f}×", ratio);
}

// A share of the roofline; the time where no roofline was measured.
std::string cell(const Measured* m, const Measured* best) {
  if (!m) return "";
  if (!m->of_roofline && !m->median_us) return m->failed ? "failed" : "–";
  const std::string text = m->of_roofline ? percent(*m->of_roofline) : time_text(*m->median_us);
  return m == best ? "**" + text + "**" : text;
}

bool has_roofline(const OpResults& results, const std::vector<MeasuredCase>& columns) {
  for (const MeasuredCase& c : columns)
    if (const Measured* best = results.best_rung(c); best && best->of_roofline) return true;
  return false;
}

std::string join_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string one_table(const OpResults& results, const std::vector<MeasuredCase>& columns) {
  std::vector<std::string> rule{"---"},
      heads{has_roofline(results, columns) ? "percent of the roofline" : "time"};
  for (const MeasuredCase& c : columns) {
    heads.push_back(c.test + "<br>" + c.dtype);
    rule.push_back("---:");
  }
  std::string text = join_row(heads) + join_row(rule);
  const auto add = [&](const std::string& name, const std::string& shown) {
    std::vector<std::string> cells{shown};
    for (const MeasuredCase& c : columns)
      cells.push_back(cell(results.find(name, c), results.best_rung(c)));
    text += join_row(cells);
  };
  for (const std::string& name : results.rungs) add(name, name);
  for (const std::string& name : results.peers) add(name, name + " (peer)");
  std::vector<std::string> taken{"*time of the best*"}, ratios{"*best peer's time / that*"},
      scratch{"*scratch memory of the best*"};
  bool peers = false, wants_scratch = false;
  for (const MeasuredCase& c : columns) {
    const Measured* best = results.best_rung(c);
    taken.push_back(best ? time_text(*best->median_us) : "–");
    const auto ratio = best ? best->vs_best_peer : std::nullopt;
    ratios.push_back(ratio ? times(*ratio) : "–");
    peers = peers || ratio;
    scratch.push_back(best && best->scratch_bytes > 0 ? megabytes(best->scratch_bytes) : "–");
    wants_scratch = wants_scratch || scratch.back() != "–";
  }
  text += join_row(taken);
  if (peers) text += join_row(ratios);
  if (wants_scratch) text += join_row(scratch);
  return text;
}

// As few tables as the width allows. Cases are not split, and the tables have about the same number
// of columns.
std::vector<std::vector<MeasuredCase>> share_out(const std::vector<MeasuredCase>& columns) {
  std::vector<std::vector<MeasuredCase>> cases;
  for (const MeasuredCase& c : columns) {
    if (cases.empty() || cases.back().front().test != c.test) cases.emplace_back();
    cases.back().push_back(c);
  }
  const std::size_t tables = (columns.size() + widest - 1) / widest;
  const std::size_t each = (cases.size() + tables - 1) / std::max<std::size_t>(tables, 1);
  std::vector<std::vector<MeasuredCase>> shares;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i % each == 0) shares.emplace_back();
    shares.back().insert(shares.back().end(), cases[i].begin(), cases[i].end());
  }
  return shares;
}

// The file is ops/family/op/results/device.json.
std::string caption(const ResultFile& file, const fs::path& page) {
  const fs::path op_folder = file.path.parent_path().parent_path(),
                 root = op_folder.parent_path().parent_path().parent_path(),
                 measuring = root / "docs/measuring.md";
  const std::string copy = !file.copy_tbs ? "not measured"
                                          : fmt::format("{:.3f} TB/s", *file.copy_tbs) +
                                                (file.copy_by.empty() ? "" : " by " + file.copy_by);
  return fmt::format(
      "<sub>[How to read this table]({}#the-tables). {}, {}, commit {}: {}. Copy rate of the same "
      "run: {}. Bold: the fastest rung. Method: {}.</sub>\n",
      measuring.lexically_relative(page).generic_string(), file.device, file.day(), file.commit,
      link(file.path.filename().string(), file.path, page), copy, file.method);
}

std::string nothing_yet(const std::string& what) {
  return fmt::format("no result file yet: run `./warpath bench {} --save` on a GPU\n", what);
}

// "94.1% (8191x4097 bf16) to 98.0%"
std::string range_text(const Range& range, std::string (*shown)(double)) {
  if (range.empty()) return "–";
  if (shown(range.low) == shown(range.high)) return shown(range.low);
  return fmt::format("{} ({}) to {}", shown(range.low), range.lowest, shown(range.high));
}

std::vector<std::string> best_names(const OpResults& results, bool peer) {
  std::vector<std::string> names;
  for (const MeasuredCase& c : results.cases)
    if (const Measured* m = peer ? results.best_peer(c) : results.best_rung(c))
      add_unique(names, m->name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string best_row(const OpResults& results, const ResultFile& file, const fs::path& page) {
  const std::vector<std::string> rungs = best_names(results, false),
                                 peers = best_names(results, true);
  if (rungs.empty()) return "";
  const fs::path lesson = file.path.parent_path().parent_path() / "README.md";
  return join_row(
      {link(results.op, lesson, page), join(rungs), range_text(results.of_roofline(), percent_sign),
       peers.empty() ? "–" : join(peers) + ": " + range_text(results.vs_best_peer(), times),
       file.device + ", " + link(file.day(), file.path, page)});
}

// The folders of a family, or of all, in the order of their lessons.
std::vector<harness::OpFolder> folders_in_order(const fs::path& root, const std::string& family) {
  std::vector<harness::OpFolder> folders = lesson_order(root);
  if (!family.empty())
    std::erase_if(folders, [&](const harness::OpFolder& f) { return f.family != family; });
  return folders;
}

void widen(Range& all, const Range& one, const std::string& op) {
  if (one.empty()) return;
  all.add(one.low, op + ", " + one.lowest);
  all.add(one.high, "");
}

}  // namespace

std::string op_table(const fs::path& op_folder, const std::string& op, const fs::path& page) {
  std::string text;
  for (const ResultFile& file : harness::result_files(op_folder)) {
    const OpResults* results = file.find(op);
    if (!results) continue;
    for (const auto& columns : share_out(results->cases))
      text += one_table(*results, columns) + "\n";
    text += caption(file, page);
  }
  return text.empty() ? nothing_yet(op_folder.filename().string()) : text;
}

std::string best_table(const fs::path& family, const fs::path& page) {
  std::string rows;
  const fs::path root = family.parent_path().parent_path();
  for (const harness::OpFolder& f : folders_in_order(root, family.filename().string()))
    for (const ResultFile& file : harness::result_files(f.path))
      for (const OpResults& results : file.ops) rows += best_row(results, file, page);
  if (rows.empty()) return nothing_yet(family.filename().string() + "/");
  return join_row(
             {"op", "fastest rungs", "of the roofline", "best peer's time / ours", "measured"}) +
         join_row({"---", "---", "---", "---", "---"}) + rows;
}

std::string family_table(const fs::path& root, const fs::path& page) {
  struct Family {
    std::size_t ops = 0;
    std::vector<std::string> devices;
    Range roofline, peers;
  };
  std::map<std::string, Family> families;
  std::vector<std::string> order;
  for (const harness::OpFolder& f : folders_in_order(root, "")) {
    add_unique(order, f.family);
    Family& family = families[f.family];
    family.ops += f.ops.size();
    for (const ResultFile& file : harness::result_files(f.path)) {
      add_unique(family.devices, file.device);
      for (const OpResults& results : file.ops) {
        widen(family.roofline, results.of_roofline(), results.op);
        widen(family.peers, results.vs_best_peer(), results.op);
      }
    }
  }
  if (order.empty()) return nothing_yet("all");
  std::string rows;
  for (const std::string& name : order) {
    const Family& f = families[name];
    rows += join_row({link(name, root / "ops" / name / "README.md", page), std::to_string(f.ops),
                      range_text(f.roofline, percent_sign), range_text(f.peers, times),
                      f.devices.empty() ? "–" : join(f.devices)});
  }
  return join_row({"family", "ops", "of the roofline", "best peer's time / ours", "on"}) +
         join_row({"---", "---", "---", "---", "---"}) + rows;
}

}  // namespace warpath::cli
