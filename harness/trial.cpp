#include "harness/trial.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "core/host/error.h"
#include "harness/buffer.h"
#include "harness/compare.h"
#include "harness/convert.h"
#include "harness/sanitizer.h"
#include "harness/timing.h"

using nlohmann::json;

namespace warpath::harness {
namespace {

// What outputs and scratch hold before each launch. First NaN for every float type; then ordinary
// numbers, so that a kernel that reads what it should only write gives another result; then zeros,
// which a fresh allocation often holds.
constexpr int poisons[] = {0xFF, 0x55, 0x00};

constexpr const char* depends_on_memory =
    " depends on what the output or the scratch held before the launch; that is not zero: whoever "
    "adds to it sets it first";

// What is changed in place is set before each launch; the memory around it is not.
constexpr const char* depends_on_surroundings =
    " depends on memory that is no input: past the end of a tensor, or scratch that nobody set";

struct Skipped : Error {
  using Error::Error;
};

class Trial {
 public:
  Trial(const TrialSetup& setup, const Device& device, const Sanitizer* sanitizer, const Plan& plan)
      : setup_(setup), device_(device), sanitizer_(sanitizer), plan_(plan), args_(plan_) {
    for (const TensorPlan& t : plan_.tensors) {
      if (!t.present || t.shares >= 0) continue;
      Held h{&t, t.spec->is_output() ? &t : nullptr,
             GuardedBuffer(device_, sanitizer_, t.name, t.bytes, lead(t)), std::nullopt,
             std::nullopt};
      args_.tensor(t).data = h.buffer.data();
      held_.push_back(std::move(h));
    }
    for (const TensorPlan& t : plan_.tensors) {
      if (!t.present || t.shares < 0) continue;
      for (Held& h : held_) {
        if (h.tensor != &plan_.tensors[static_cast<std::size_t>(t.shares)]) continue;
        h.output = &t;
        args_.tensor(t).data = h.buffer.data();
      }
    }
    if (const std::string why = setup_.rung->supports(args_.get()); !why.empty())
      throw Skipped(why);
    for (Held& h : held_) {
      const TensorPlan& t = *h.tensor;
      if (!t.spec->is_input()) continue;
      h.pristine.emplace(device_, sanitizer_, t.name, t.bytes, lead(t));
      if (t.bytes == 0) continue;
      must(device_.upload(h.pristine->data(), setup_.inputs->at(t.input_at), t.bytes));
      must(device_.copy(h.buffer.data(), h.pristine->data(), t.bytes));
    }
    take_scratch();
  }

  void check(std::int64_t slot, int launches) {
    launch(poisons[0]);
    printed_ = Worker::printed_so_far();
    for (Held& h : held_) {
      if (!h.output) continue;
      h.first.emplace(device_, sanitizer_, h.buffer.name(), h.tensor->bytes, lead(*h.tensor));
      if (h.tensor->bytes > 0)
        must(device_.copy(h.first->data(), h.buffer.data(), h.tensor->bytes));
    }
    store(slot);
    for (int i = 1; i < launches; ++i) {
      launch(poisons[i % 3]);
      for (const Held& h : held_)
        if (h.first) compare_with_first(h, poisons[i % 3]);
    }
  }

  // One turn, in microseconds.
  std::vector<double> time(TimerOptions options) {
    prepare(poisons[1]);
    options.expected_us = expected_us_;
    std::vector<double> samples(static_cast<std::size_t>(options.max_samples));
    int count = 0;
    const auto work = [](void* self, void* stream) {
      const Trial& t = *static_cast<const Trial*>(self);
      call(*t.plan_.op, *t.setup_.rung, t.args_.get(), static_cast<cudaStream_t>(stream));
    };
    must(device_.time(&options, work, this, samples.data(), &count));
    samples.resize(static_cast<std::size_t>(count));
    if (count > 0) expected_us_ = summarise_samples(samples).median_us;
    return samples;
  }

  // After the last turn: stores the outputs of the timed launches. True: they are what the check stored, bit for bit, and
  // need not be judged again.
  bool hand_over(std::int64_t slot) {
    inspect();
    // After many launches an in-place tensor holds no valid answer: launch once more, on fresh
    // input.
    for (const Held& h : held_)
      if (h.overwritten()) {
        launch(poisons[1]);
        break;
      }
    if (std::all_of(held_.begin(), held_.end(), [&](const Held& h) {
          return !h.output || (h.first && first_difference(h.buffer.data(), h.first->data(),
                                                           h.tensor->bytes) < 0);
        }))
      return true;
    store(slot);
    return false;
  }

  // Who wrote an element of an output, by its linear index; empty where that is not known.
  std::string writer(int tensor, std::int64_t index) const {
    for (const Held& h : held_) {
      if (!h.output || h.output != &plan_.tensors.at(static_cast<std::size_t>(tensor))) continue;
      std::int64_t at = 0;
      for (std::size_t axis = h.output->shape.size(); axis-- > 0;) {
        at += index % h.output->shape[axis] * h.output->stride[axis];
        index /= h.output->shape[axis];
      }
      const auto* data = static_cast<const char*>(h.buffer.data());
      const auto bytes = static_cast<std::int64_t>(size_of(h.output->dtype));
      return sanitizer_ ? sanitizer_->last_writer(data + at * bytes) : "";
    }
    return "";
  }

  const json& findings() const { return findings_; }
  // What the process had printed when the first launch of a check had ended.
  off_t printed() const { return printed_; }
  std::int64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  struct Held {
    const TensorPlan* tensor;
    const TensorPlan*
        output;  // what a launch leaves there: itself, or the output in its memory; null: an input
    GuardedBuffer buffer;
    std::optional<GuardedBuffer> pristine;  // a copy of an input
    std::optional<GuardedBuffer> first;     // a copy of an output after the first launch

    bool overwritten() const { return output && tensor->spec->is_input(); }
  };

  std::int64_t lead(const TensorPlan& t) const {
    return t.offset * static_cast<std::int64_t>(size_of(t.dtype));
  }

  void take_scratch() {
    const std::int64_t bytes = scratch_bytes_ = setup_.rung->scratch(args_.get());
    zeroed_ = setup_.rung->zeroed(args_.get());
    WARPATH_CHECK(zeroed_ >= 0 && zeroed_ <= bytes, "wants more of its scratch zeroed than it has");
    for (const ArgSpec& a : plan_.op->contract.args()) {
      if (a.role != Role::scratch) continue;
      scratch_.emplace(device_, sanitizer_, a.name, bytes, 0);
      scratch_->zero(zeroed_);
      scratch_at(args_.get(), a) = {scratch_->data(), bytes};
      return;
    }
    WARPATH_CHECK(bytes == 0, "asks for scratch, which the contract does not have");
  }

  void prepare(int poison) {
    const Zone zone = poison == poisons[0] ? Zone::output : Zone::number;
    for (Held& h : held_) {
      if (h.output) h.buffer.surround(zone);
      if (!h.tensor->spec->is_input()) h.buffer.poison(poison);
      if (h.overwritten() && h.tensor->bytes > 0)
        must(device_.copy(h.buffer.data(), h.pristine->data(), h.tensor->bytes));
    }
    if (scratch_) {
      scratch_->surround(zone);
      scratch_->poison(poison, zeroed_);
    }
    must(device_.synchronise());
  }

  void launch(int poison) {
    prepare(poison);
    if (sanitizer_) sanitizer_->take_findings();  // about the harness's own copies: discarded
    try {
      call(*plan_.op, *setup_.rung, args_.get(), static_cast<cudaStream_t>(device_.stream()));
      must(device_.synchronise());
    } catch (...) {
      take_findings();
      throw;
    }
    take_findings();
    inspect();
  }

  void take_findings() {
    if (!sanitizer_) return;
    for (json& f : sanitizer_->take_findings()) findings_.push_back(std::move(f));
  }

  // -1: they are equal. The buffers of a checked rung are compared on the host: a kernel of the
  // harness is compiled without checks, and would count as having written everything.
  std::int64_t first_difference(const void* a, const void* b, std::int64_t bytes) const {
    std::int64_t at = -1;
    if (!sanitizer_) {
      must(device_.first_difference(a, b, bytes, &at));
      return at;
    }
    if (bytes == 0) return -1;
    std::vector<char> x(static_cast<std::size_t>(bytes)), y(x.size());
    must(device_.download(x.data(), a, bytes));
    must(device_.download(y.data(), b, bytes));
    const auto differ = std::mismatch(x.begin(), x.end(), y.begin()).first;
    return differ == x.end() ? -1 : differ - x.begin();
  }

  // After a launch: it ended well, wrote nothing around its tensors, and left its inputs alone.
  void inspect() {
    must(device_.synchronise());
    for (const Held& h : held_)
      if (const std::string d = h.buffer.damage(); !d.empty()) throw Error(d);
    if (scratch_)
      if (const std::string d = scratch_->damage(); !d.empty()) throw Error(d);
    for (const Held& h : held_) {
      if (h.output) continue;
      const std::int64_t at =
          first_difference(h.buffer.data(), h.pristine->data(), h.tensor->bytes);
      if (at >= 0) throw Error("changed its input " + element(*h.tensor, at));
    }
  }

  void store(std::int64_t slot) {
    for (const Held& h : held_)
      if (h.output && h.tensor->bytes > 0)
        must(device_.download(setup_.outputs->at(slot + h.output->output_at), h.buffer.data(),
                              h.tensor->bytes));
  }

  void compare_with_first(const Held& h, int poison) {
    const std::int64_t at = first_difference(h.buffer.data(), h.first->data(), h.tensor->bytes);
    if (at < 0) return;
    if (const std::vector<std::size_t> left = unwritten(h, poison); !left.empty())
      throw Error(why_unwritten(h, left));
    if (!setup_.rung->deterministic) return look_for_old_contents(h, poison, at);
    const std::string where = element(*h.output, at);
    // A repetition with the same poison tells nondeterminism from a dependence on earlier memory
    // contents.
    launch(poisons[0]);
    const std::int64_t again = first_difference(h.buffer.data(), h.first->data(), h.tensor->bytes);
    throw Error(again < 0 ? where + (h.overwritten() ? depends_on_surroundings : depends_on_memory)
                          : where +
                                " differs from run to run: a race, or atomics whose order "
                                "changes; a rung that may do that is registered with "
                                ".deterministic = false");
  }

  // A rung that may differ from run to run, as sums by atomics do, must still not depend on earlier memory contents. It
  // does where a NaN comes out only if one was there before; and with integers, where each contents gives its own result
  // every time.
  void look_for_old_contents(const Held& h, int poison, std::int64_t at) {
    const DType type = h.tensor->dtype;
    const std::string why = h.overwritten() ? depends_on_surroundings : depends_on_memory;
    const std::vector<char> first = contents(*h.first), now = contents(h.buffer);
    if (is_float(type)) {
      const auto n = static_cast<std::int64_t>(first.size() / size_of(type));
      std::vector<double> was(static_cast<std::size_t>(n)), is(was.size());
      decode(first.data(), type, was.data(), n);
      decode(now.data(), type, is.data(), n);
      for (std::size_t i = 0; i < was.size(); ++i)
        if (std::isnan(was[i]) && !std::isnan(is[i])) throw Error(name_of(h, i) + why);
      return;
    }
    for (int i = 0; i < 2; ++i) {
      launch(poisons[0]);
      if (contents(h.buffer) != first) return;
      launch(poison);
      if (contents(h.buffer) != now) return;
    }
    throw Error(element(*h.output, at) + why);
  }

  std::vector<char> contents(const GuardedBuffer& buffer) const {
    std::vector<char> bytes(static_cast<std::size_t>(buffer.bytes()));
    must(device_.download(bytes.data(), buffer.data(), buffer.bytes()));
    return bytes;
  }

  // The elements that still hold the poison of each launch.
  std::vector<std::size_t> unwritten(const Held& h, int poison) const {
    if (h.overwritten()) return {};
    const std::size_t size = size_of(h.tensor->dtype);
    const std::vector<char> now = contents(h.buffer), first = contents(*h.first);
    const std::string was(size, static_cast<char>(poisons[0])), is(size, static_cast<char>(poison));
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < now.size(); at += size)
      if (std::memcmp(&first[at], was.data(), size) == 0 &&
          std::memcmp(&now[at], is.data(), size) == 0)
        found.push_back(at / size);
    return found;
  }

  // NaN plus a number is the same NaN, and a large number plus a small one may be that large
  // number: only zeros tell an element that was added to from one that was left alone.
  std::string why_unwritten(const Held& h, const std::vector<std::size_t>& left) {
    launch(0);
    const std::size_t size = size_of(h.tensor->dtype);
    const std::vector<char> now = contents(h.buffer);
    const std::string zero(size, '\0');
    for (const std::size_t i : left)
      if (std::memcmp(&now[i * size], zero.data(), size) != 0)
        return name_of(h, i) + depends_on_memory;
    return "did not write " + name_of(h, left.front());
  }

  static std::string name_of(const Held& h, std::size_t index) {
    return element_name(h.tensor->name, h.tensor->shape, static_cast<std::int64_t>(index));
  }

  static std::string element(const TensorPlan& t, std::int64_t byte) {
    if (t.layout != Layout::rows) return t.name + fmt::format(" (byte {} of it)", byte);
    return element_name(t.name, t.shape, byte / static_cast<std::int64_t>(size_of(t.dtype)));
  }

  const TrialSetup& setup_;
  const Device& device_;
  const Sanitizer* sanitizer_;
  Plan plan_;
  ArgsBlob args_;
  std::vector<Held> held_;
  std::optional<GuardedBuffer> scratch_;
  std::int64_t scratch_bytes_ = 0;
  std::int64_t zeroed_ =
      0;  // its leading bytes, zeroed once and kept by the rung from launch to launch
  double expected_us_ = 0;  // per launch, from the turn before
  json findings_ = json::array();
  off_t printed_ = 0;
};

// What a worker keeps between commands.
struct Bench {
  const TrialSetup& setup;
  const Device& device;
  std::optional<Sanitizer> sanitizer;
  std::unique_ptr<Trial> trial;
};

Plan plan_of(const TrialSetup& setup, const json& command) {
  const Case& test = setup.op->cases.at(command.at("case").get<std::size_t>());
  const DType dtype = parse_dtype(command.at("dtype").get<std::string>()).value();
  return make_plan(*setup.op, test, dtype);
}

// The device memory that a trial takes: inputs and outputs twice, and the scratch. It is asked for
// before anything is allocated, so the tensors have dummy addresses, and a rung's refusal of these
// args is ignored.
std::int64_t bytes_wanted(const TrialSetup& setup, const Plan& plan) {
  const std::int64_t tensors = 2 * (plan.input_bytes + plan.output_bytes);
  ArgsBlob args(plan);
  for (const TensorPlan& t : plan.tensors)
    if (t.present) args.tensor(t).data = reinterpret_cast<void*>(std::uintptr_t{1} << 20);
  try {
    return tensors + std::max<std::int64_t>(0, setup.rung->scratch(args.get()));
  } catch (const std::exception&) {
    return tensors;
  }
}

json answer(Bench& bench, const json& command) {
  const TrialSetup& setup = bench.setup;
  std::unique_ptr<Trial>& trial = bench.trial;
  const std::string what = command.at("do");
  if (what == "drop") {
    trial.reset();
    return {{"status", "ok"}};
  }
  if (what == "size") {
    std::int64_t free_bytes = 0;
    must(bench.device.free_memory(&free_bytes));
    return {{"status", "ok"},
            {"bytes", bytes_wanted(setup, plan_of(setup, command))},
            {"free", free_bytes}};
  }
  if (what == "check") {
    trial.reset();
    trial =
        std::make_unique<Trial>(setup, bench.device, bench.sanitizer ? &*bench.sanitizer : nullptr,
                                plan_of(setup, command));
    trial->check(command.at("slot").get<std::int64_t>(), command.at("launches").get<int>());
    return {{"status", "ok"}, {"printed", trial->printed()}, {"scratch", trial->scratch_bytes()}};
  }
  WARPATH_CHECK(trial != nullptr, "nothing was checked yet");
  if (what == "writer")
    return {{"status", "ok"},
            {"writer", trial->writer(command.at("tensor").get<int>(),
                                     command.at("index").get<std::int64_t>())}};
  if (what == "hand_over") {
    const bool same = trial->hand_over(command.at("slot").get<std::int64_t>());
    return {{"status", "ok"}, {"same", same}};
  }
  TimerOptions options;
  options.seconds = command.at("seconds").get<double>();
  options.min_samples = command.at("least").get<int>();
  options.max_samples = command.at("most").get<int>();
  return {{"status", "ok"}, {"samples", trial->time(options)}};
}

}  // namespace

Worker::Serve serve_trials(const TrialSetup& setup) {
  if (!Worker::in_this_process()) setup.inputs->make_read_only();
  auto bench = std::make_shared<Bench>(Bench{setup, open_device(setup.device_library), {}, {}});
  if (!setup.check_library.empty()) bench->sanitizer.emplace(setup.check_library);
  return [bench](const json& command) {
    json reply;
    try {
      reply = answer(*bench, command);
    } catch (const Skipped& e) {
      reply = {{"status", "skipped"}, {"reason", e.what()}};
    } catch (const std::exception& e) {
      reply = {{"status", "failed"}, {"reason", e.what()}};
    }
    if (bench->sanitizer && bench->trial) reply["findings"] = bench->trial->findings();
    return reply;
  };
}

}  // namespace warpath::harness
