// Typed calls of the ops: ops.call(softmax::Forward{...}) launches the best rung for these sizes on this device. The rung is
// chosen once per op and shape (core/host/choose.h).
//
// Before memory is there, the same calls are made in a dry run, which launches nothing and records how much scratch
// memory the rungs want. All calls share one scratch allocation, because they run one after the other on one stream. Rungs
// whose scratch must start as zeros have their own: every launch leaves them zero again.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/host/case.h"
#include "models/arena.h"
#include "models/backend.h"

namespace warpath::models {

// One launch of a profiled step.
struct Launch {
  std::string op, rung, layer;
  Cost cost;
  double microseconds = 0;
};

class Ops {
 public:
  Ops(Backend& backend, bool deterministic) : backend_(backend), deterministic_(deterministic) {}
  ~Ops();
  Ops(const Ops&) = delete;
  Ops& operator=(const Ops&) = delete;

  template <class Args>
  void call(Args args) {
    run(Args::op, &args);
  }

  Backend& backend() const { return backend_; }

  // What kind of pass the calls are part of.
  struct Pass {
    // Random masks are drawn in training alone, from these: other ones for every micro-batch.
    bool trains = false;
    std::int64_t seed = 0, number = 0;
    // The tokens are the first ones of a text: nothing before them is in the cache.
    bool opens = false;
    // Tokens of the text with the new ones, where one text is read.
    std::int64_t length = 0;
  };
  const Pass& pass() const { return pass_; }
  void set_pass(const Pass& pass) { pass_ = pass; }

  // Until allocate_scratch() calls launch nothing.
  bool dry() const { return dry_; }
  std::int64_t scratch_bytes() const;
  void allocate_scratch();

  // Calls until end_profile() are timed, each by itself; in a dry run they are listed with what they would cost.
  void begin_profile();
  std::vector<Launch> end_profile();
  // Named in a profile, and in the message of a call that fails.
  void set_layer(std::string layer) { layer_ = std::move(layer); }

 private:
  struct Choice {
    const Rung* rung = nullptr;
    std::int64_t scratch = 0, zeroed = 0;
  };
  struct Block {  // of scratch
    std::int64_t bytes = 0;
    void* data = nullptr;
  };

  void run(const char* op, void* args);
  Choice choose(const Ladder& ladder, const void* args) const;
  const Choice& choice_of(const Ladder& ladder, const void* args);
  Block& block_of(const Choice& c);
  void launch_timed(const Ladder& ladder, const Choice& c, const void* args);

  Backend& backend_;
  const bool deterministic_;
  bool dry_ = true;
  std::string layer_;
  Pass pass_;
  std::unordered_map<std::string, Choice> choices_;  // by op, sizes, types, alignment and scalars
  Choice of_lists_;
  std::map<std::pair<const Rung*, std::int64_t>, Block> zeroed_blocks_;
  Block common_;
  std::vector<Launch>* profile_ = nullptr;
  std::unique_ptr<std::vector<Launch>> launches_;
  std::vector<std::pair<void*, void*>> marks_;
};

}  // namespace warpath::models
