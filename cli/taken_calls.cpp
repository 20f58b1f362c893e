#include "cli/taken_calls.h"

#include <fmt/format.h>

#include "cli/call.h"
#include "harness/worker.h"

namespace warpath::cli {

using nlohmann::json;

namespace {

json answers(const OpEntry& entry) {
  json all = json::array();
  for (const harness::Attempt& a : entry.attempts) {
    const harness::ArgsBlob args =
        args_without_data(harness::make_plan(*entry.op, entry.op->cases[a.test], a.dtype));
    json row = json::array();
    for (const harness::Contestant& c : entry.contestants)
      row.push_back(c.rung->supports(args.get()).empty());
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

const std::vector<std::vector<bool>>& TakenCalls::of(const OpEntry& entry) {
  const auto known = known_.find(entry.name());
  if (known != known_.end()) return known->second;
  harness::Worker child([&] { return [&](const json&) { return answers(entry); }; });
  child.send({});
  const std::optional<json> answer = child.receive();
  if (!answer)
    throw Refusal(fmt::format("{}: the process that asks which cases its rungs take {}",
                              entry.name(), child.end()));
  if (!answer->is_array())
    throw Refusal(fmt::format("{}: {}", entry.name(), answer->value("reason", "no answer")));
  return known_.emplace(entry.name(), answer->get<std::vector<std::vector<bool>>>()).first->second;
}

}  // namespace warpath::cli
