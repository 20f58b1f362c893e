#include "cli/models/train_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/report.h"
#include "cli/terminal.h"

namespace warpath::cli {
namespace {

std::string duration_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

double rate_of(const char* (*ask)(harness::Rate*)) {
  harness::Rate rate{};
  return ask && !ask(&rate) ? rate.per_second : 0;
}

}  // namespace

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 4) bytes /= 1024, ++unit;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

void print_memory_plan(const models::Trainer& trainer) {
  Table table({"purpose", "bytes", ""}, "rrl");
  std::int64_t all = 0;
  for (const auto& p : trainer.memory_plan()) {
    table.add({p.name, bytes_text(static_cast<double>(p.bytes)), std::to_string(p.bytes)});
    all += p.bytes;
  }
  table.add({{"all", Tone::strong},
             {bytes_text(static_cast<double>(all)), Tone::strong},
             std::to_string(all)});
  table.print();
}

void print_memory_plan(const models::Trainer& trainer,
                       const std::vector<models::Trainer::Purpose>& full) {
  Table table({"purpose", "adapters", "", "all trained", ""}, "rrrrr");
  std::int64_t all = 0, all_of_full = 0;
  const auto text = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  const std::vector<models::Trainer::Purpose> plan = trainer.memory_plan();
  for (std::size_t i = 0; i < plan.size(); ++i) {
    table.add({plan[i].name, text(plan[i].bytes), std::to_string(plan[i].bytes),
               text(full[i].bytes), std::to_string(full[i].bytes)});
    all += plan[i].bytes, all_of_full += full[i].bytes;
  }
  table.add({{"all", Tone::strong},
             {text(all), Tone::strong},
             std::to_string(all),
             text(all_of_full),
             std::to_string(all_of_full)});
  table.print();
}

double matmul_peak(const models::Backend& backend) {
  return backend.gpu() ? rate_of(backend.device().matmul_rate) : 0;
}

void print_profile(const std::vector<models::Launch>& launches, const models::Backend& backend,
                   bool json) {
  struct Row {
    int launches = 0;
    double microseconds = 0, floor = 0, bytes = 0, flops = 0;
  };
  const bool gpu = backend.gpu();
  const double copy = gpu ? rate_of(backend.device().copy_rate) : 0, product = matmul_peak(backend);
  std::map<std::string, Row> rows;
  double all = 0;
  for (const models::Launch& l : launches) {
    Row& row = rows[l.op + " " + l.rung];
    ++row.launches;
    row.microseconds += l.microseconds;
    row.bytes += static_cast<double>(l.cost.bytes), row.flops += static_cast<double>(l.cost.flops);
    const double by_bytes = copy > 0 ? static_cast<double>(l.cost.bytes) / copy : 0;
    const double by_flops = product > 0 ? static_cast<double>(l.cost.flops) / product : 0;
    row.floor += 1e6 * std::max(by_bytes, by_flops);
    all += l.microseconds;
  }
  std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.microseconds > b.second.microseconds;
  });
  if (json) {
    nlohmann::ordered_json j = nlohmann::ordered_json::object();
    j["microseconds"] = all;
    for (const auto& [name, r] : sorted)
      j["profile"].push_back({{"op", name},
                              {"launches", r.launches},
                              {"microseconds", r.microseconds},
                              {"bytes", r.bytes},
                              {"flops", r.flops},
                              {"of_roofline", r.floor > 0 ? r.floor / r.microseconds : 0}});
    fmt::print("{}\n", j.dump());
    return;
  }
  Table table({"op and rung", "launches", "ms", "of the step", gpu ? "of its roofline" : ""},
              "lrrrr");
  for (const auto& [name, r] : sorted)
    table.add({name, std::to_string(r.launches), fmt::format("{:.3f}", r.microseconds / 1e3),
               fmt::format("{:.1f}%", all > 0 ? 100 * r.microseconds / all : 0),
               r.floor > 0 ? fmt::format("{:.0f}%", 100 * r.floor / r.microseconds) : ""});
  table.add({{"all", Tone::strong},
             std::to_string(launches.size()),
             {fmt::format("{:.3f}", all / 1e3), Tone::strong},
             "",
             ""});
  table.print();
}

std::string TrainProgress::line() const {
  std::string text = fmt::format(
      "step {:>5}/{}  loss {:.4f}  norm {:.3f}  rate {:.2e}  {:.{}f} tokens/s", step, steps,
      result.loss, result.norm, result.rate, tokens_per_second, tokens_per_second < 100 ? 1 : 0);
  if (share_of_peak > 0) text += fmt::format("  {:.1f}% of peak", 100 * share_of_peak);
  return text + fmt::format("  {}  {} left", bytes_text(static_cast<double>(memory)),
                            duration_text(seconds_left));
}

}  // namespace warpath::cli
