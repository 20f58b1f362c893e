#include "models/call.h"

#include <algorithm>

#include "core/host/choose.h"
#include "core/host/error.h"
#include "harness/buffer.h"
#include "models/cpu_rungs.h"

namespace warpath::models {
namespace {

const ArgSpec* scratch_of(const Contract& c) {
  for (const ArgSpec& a : c.args())
    if (a.role == Role::scratch) return &a;
  return nullptr;
}

bool takes_lists(const Contract& c) {
  return std::any_of(c.args().begin(), c.args().end(),
                     [](const ArgSpec& a) { return a.is_list(); });
}

// What a rung's choice may depend on. Of an address that is its alignment, as far as arenas align. Of random numbers it is
// nothing: they are others in every step.
std::string signature(const Contract& c, const void* args) {
  std::string key = c.name();
  const auto add = [&](std::int64_t n) { key.append(reinterpret_cast<const char*>(&n), sizeof n); };
  for (const ArgSpec& a : c.args()) {
    const char* const at = static_cast<const char*>(args) + a.offset;
    if (a.is_tensor()) {
      const Tensor& t = tensor_at(args, a);
      add(t.data ? 1 + static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(t.data) %
                                                 Arena::alignment)
                 : 0);
      if (!t.data) continue;
      add(static_cast<std::int64_t>(t.dtype));
      for (int i = 0; i < t.rank; ++i) add(t.shape[i]), add(t.stride[i]);
    } else if (a.role == Role::scalar && a.name != "seed" && a.name != "offset") {
      switch (a.scalar) {
        case ScalarType::boolean:
          add(*reinterpret_cast<const bool*>(at));
          break;
        case ScalarType::choice:
          add(*reinterpret_cast<const int*>(at));
          break;
        default:  // the bits of a double too
          key.append(at, sizeof(std::int64_t));
      }
    }
  }
  return key;
}

}  // namespace

Ops::~Ops() {
  for (auto& [key, block] : zeroed_blocks_)
    if (block.data) backend_.device().release(block.data);
  if (common_.data) backend_.device().release(common_.data);
}

Ops::Choice Ops::choose(const Ladder& ladder, const void* args) const {
  const Rung* rung = nullptr;
  if (const char* name =
          backend_.gpu() ? nullptr : rung_on_cpu(ladder.op->contract.name().c_str(), args))
    for (const Rung* r : ladder.rungs)
      if (r->name == name && obstacle(*r, args, backend_.info().arch).empty()) rung = r;
  if (!rung) rung = choose_rung(ladder.rungs, args, backend_.info().arch);
  if (!rung) {
    std::string reasons;
    for (const Rung* r : ladder.rungs)
      reasons += "\n  " + r->name + ": " + obstacle(*r, args, backend_.info().arch);
    throw Error(ladder.op->contract.name() + " in " + layer_ +
                ": no rung can take this call:" + reasons);
  }
  return {rung, rung->scratch(args), rung->zeroed(args)};
}

const Ops::Choice& Ops::choice_of(const Ladder& ladder, const void* args) {
  // The sizes of a list's tensors are not in the args.
  if (takes_lists(ladder.op->contract)) {
    check_args(ladder.op->contract, args);
    return of_lists_ = choose(ladder, args);
  }
  const std::string key = signature(ladder.op->contract, args);
  if (const auto known = choices_.find(key); known != choices_.end()) return known->second;
  check_args(ladder.op->contract, args);
  return choices_.emplace(key, choose(ladder, args)).first->second;
}

Ops::Block& Ops::block_of(const Choice& c) {
  return c.zeroed > 0 ? zeroed_blocks_[{c.rung, c.zeroed}] : common_;
}

void Ops::run(const char* op, void* args) {
  const Ladder& ladder = backend_.ladder(op, deterministic_);
  const Choice& c = choice_of(ladder, args);
  const ArgSpec* const spec = scratch_of(ladder.op->contract);
  if (spec && c.scratch > 0) {
    Block& block = block_of(c);
    if (dry_) block.bytes = std::max(block.bytes, c.scratch);
    WARPATH_CHECK(c.scratch <= block.bytes,
                  std::string(op) + " wants scratch that was not planned");
    auto& scratch = *reinterpret_cast<Scratch*>(static_cast<char*>(args) + spec->offset);
    scratch = {block.data, c.scratch};
  }
  if (dry_) {
    if (profile_)
      profile_->push_back(
          {ladder.op->contract.name(), c.rung->name, layer_, ladder.op->cost(args)});
    return;
  }
  if (profile_)
    launch_timed(ladder, c, args);
  else
    c.rung->launch(args, backend_.stream());
}

std::int64_t Ops::scratch_bytes() const {
  std::int64_t bytes = common_.bytes;
  for (const auto& [key, block] : zeroed_blocks_) bytes += block.bytes;
  return bytes;
}

void Ops::allocate_scratch() {
  const auto allocate = [&](Block& b) {
    if (b.bytes == 0) return;
    harness::must(backend_.device().alloc(&b.data, b.bytes));
    harness::must(backend_.device().fill(b.data, 0, b.bytes));
  };
  allocate(common_);
  for (auto& [key, block] : zeroed_blocks_) allocate(block);
  dry_ = false;
}

void Ops::begin_profile() {
  launches_ = std::make_unique<std::vector<Launch>>();
  profile_ = launches_.get();
  marks_.clear();
}

void Ops::launch_timed(const Ladder& ladder, const Choice& c, const void* args) {
  const harness::Device& device = backend_.device();
  std::pair<void*, void*> marks{};
  harness::must(device.mark(&marks.first));
  c.rung->launch(args, backend_.stream());
  harness::must(device.mark(&marks.second));
  marks_.push_back(marks);
  profile_->push_back({ladder.op->contract.name(), c.rung->name, layer_, ladder.op->cost(args), 0});
}

std::vector<Launch> Ops::end_profile() {
  const harness::Device& device = backend_.device();
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    harness::must(device.between(marks_[i].first, marks_[i].second, &(*profile_)[i].microseconds));
    harness::must(device.drop_mark(marks_[i].first));
    harness::must(device.drop_mark(marks_[i].second));
  }
  marks_.clear();
  profile_ = nullptr;
  return std::move(*launches_);
}

}  // namespace warpath::models
