#include "models/backend.h"

#include "core/host/error.h"
#include "harness/buffer.h"
#include "harness/trial.h"

namespace warpath::models {

Backend::Backend(harness::Places places, std::string name)
    : places_(std::move(places)),
      name_(std::move(name)),
      device_(&harness::open_device(places_.device_library(name_))) {
  harness::must(device_->describe(&info_));
}

const Ladder& Backend::ladder(const char* op, bool deterministic) {
  const auto key = std::pair(std::string(op), deterministic);
  if (const auto known = ladders_.find(key); known != ladders_.end()) return known->second;
  const auto folder = harness::find_folder(places_.root, op);
  if (!folder) throw Error("there is no op " + key.first);
  const harness::OpenFolder opened = harness::open_folder(places_, folder->name, name_);
  if (!opened.ok())
    throw Error(key.first + ": " + opened.error + "; ./warpath run " + folder->name + " builds it");
  Ladder ladder;
  for (const Op* o : opened.ops)
    if (o->contract.name() == op) ladder.op = o;
  for (const Rung* r : opened.rungs)
    if (r->op == op && !r->peer && (r->deterministic || !deterministic)) ladder.rungs.push_back(r);
  if (!ladder.op || ladder.rungs.empty())
    throw Error(key.first + ": the library has no rung" +
                (deterministic ? " that gives the same bits in every run" : ""));
  return ladders_.emplace(key, std::move(ladder)).first->second;
}

}  // namespace warpath::models
