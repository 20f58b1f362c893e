// `warpath train --block`: what one transformer block costs, fused and with one kernel per operation.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/models/train_report.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "models/block_costs.h"

namespace warpath::cli {
namespace {

struct Sum {
  double flops = 0, bytes = 0, launches = 0;
};

Sum sum_of(const std::vector<models::Launch>& launches) {
  Sum s;
  for (const models::Launch& l : launches)
    s.flops += l.cost.flops, s.bytes += l.cost.bytes, s.launches += 1;
  return s;
}

nlohmann::ordered_json json_of(const std::vector<models::Launch>& launches) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const models::Launch& l : launches)
    rows.push_back(
        {{"part", l.layer}, {"op", l.op}, {"flops", l.cost.flops}, {"bytes", l.cost.bytes}});
  return rows;
}

std::string part_of(const models::Launch& l) {
  return l.layer.substr(l.layer.rfind('.') + 1);
}

void print_list(const std::string& title, const std::vector<models::Launch>& launches) {
  Table table({title, "op", "Gflop", "MB", "flop per byte"}, "llrrr");
  const auto add = [&](const std::string& part, const std::string& op, double flops, double bytes) {
    table.add({part, op, fmt::format("{:.2f}", flops / 1e9), fmt::format("{:.1f}", bytes / 1e6),
               fmt::format("{:.1f}", flops / bytes)});
  };
  std::string before;
  for (const models::Launch& l : launches) {
    const std::string part = part_of(l);
    add(part == before ? "" : part, l.op, l.cost.flops, l.cost.bytes);
    before = part;
  }
  const Sum all = sum_of(launches);
  add("all", fmt::format("{} kernels", launches.size()), all.flops, all.bytes);
  table.print();
  fmt::print("\n");
}

}  // namespace

void print_block(models::Backend& backend, const models::TrainSettings& s, bool json) {
  const models::BlockCosts costs = models::block_costs(backend, s.config, s.batch, s.dtype);
  if (json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"forward", json_of(costs.forward)},
                                               {"apart", json_of(costs.apart)},
                                               {"backward", json_of(costs.backward)}})
                           .dump());
    return;
  }
  fmt::print("one block of {} x {} tokens, width {}, in {}\n\n", s.batch.size, s.batch.sequence,
             s.config.width, name(s.dtype));
  print_list("forward, fused", costs.forward);
  print_list("forward, apart", costs.apart);
  print_list("backward, fused", costs.backward);
  const Sum fused = sum_of(costs.forward), apart = sum_of(costs.apart);
  fmt::print("fused: {:.0f} kernels instead of {:.0f}, {:.1f} MB instead of {:.1f}\n",
             fused.launches, apart.launches, fused.bytes / 1e6, apart.bytes / 1e6);
}

}  // namespace warpath::cli
