#include "harness/case_data.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "core/host/error.h"
#include "core/host/parallel.h"
#include "harness/convert.h"
#include "harness/fill.h"

namespace warpath::harness {
namespace {

constexpr std::int64_t grain = 1 << 15;

DType host_dtype(const TensorPlan& t) {
  return t.spec->index ? DType::i64 : DType::f64;
}

void draw(const Plan& plan, const TensorPlan& t, std::uint64_t seed, void* to) {
  const std::uint64_t key = make_key(seed, plan.op->contract.name(), plan.test->name, t.name);
  if (t.spec->index)
    fill_index(static_cast<std::int64_t*>(to), t.size, key);
  else
    fill(static_cast<double*>(to), t.shape, t.dtype, plan.test->fill, key);
}

// Calls f(i, at) for every row of the last axis: `i` is the index of its first element in the order
// of the shape, `at` its offset in memory.
template <class F>
void for_each_row(const TensorPlan& t, F&& f) {
  const std::int64_t cols = t.shape.empty() ? 1 : t.shape.back();
  parallel_for(cols ? t.size / cols : 0, 16, [&](std::int64_t row) {
    std::int64_t at = 0, rest = row;
    for (std::size_t axis = t.shape.size() - 1; axis-- > 0;) {
      at += rest % t.shape[axis] * t.stride[axis];
      rest /= t.shape[axis];
    }
    f(row * cols, at);
  });
}

// Copies the first matrix to the whole batch.
void repeat(const TensorPlan& t, void* values) {
  const std::int64_t each = t.shape[0] ? t.size / t.shape[0] : 0;
  auto* at = static_cast<std::int64_t*>(values);  // 8 bytes per element, double or int64
  for (std::int64_t b = 1; b < t.shape[0]; ++b) std::copy(at, at + each, at + b * each);
}

// Moves each element from its place in the order of the shape to its place in memory. The gaps hold
// NaN, as the zones around a buffer do, so a kernel that reads a gap gives a wrong result.
void spread(const TensorPlan& t, const char* packed, char* arena) {
  const auto bytes = static_cast<std::int64_t>(size_of(t.dtype));
  for (std::int64_t i = 0; i < t.bytes; ++i) arena[i] = i % 2 == 0 ? '\xFE' : '\x7F';
  for_each_row(t, [&](std::int64_t first, std::int64_t at) {
    for (std::int64_t c = 0; c < t.shape.back(); ++c)
      std::memcpy(arena + (at + c * t.stride.back()) * bytes, packed + (first + c) * bytes,
                  static_cast<std::size_t>(bytes));
  });
}

// Rounds to the dtype into the arena, and reads the rounded values back: the reference must see
// what the kernel sees.
void round_into(const TensorPlan& t, void* values, char* arena) {
  const auto bytes = static_cast<std::int64_t>(size_of(t.dtype));
  parallel_for(t.size, grain, [&](std::int64_t begin, std::int64_t end) {
    char* at = arena + begin * bytes;
    if (t.spec->index) {
      encode_index(static_cast<std::int64_t*>(values) + begin, t.dtype, at, end - begin);
      decode_index(at, t.dtype, static_cast<std::int64_t*>(values) + begin, end - begin);
    } else {
      encode(static_cast<double*>(values) + begin, t.dtype, at, end - begin);
      decode(at, t.dtype, static_cast<double*>(values) + begin, end - begin);
    }
  });
}

}  // namespace

CaseData::CaseData(const Plan& plan, std::uint64_t seed, const SharedArena& inputs) : plan_(plan) {
  // Cost and tolerance depend on the types the kernel works in.
  const ArgsBlob typed(plan);
  cost_ = plan.op->cost(typed.get());
  tolerance_ = plan.op->tolerance(typed.get());

  ArgsBlob args(plan), scale(plan);
  std::map<const TensorPlan*, PrivateBuffer> values, scales;
  for (const TensorPlan& t : plan.tensors) {
    if (!t.present) continue;
    PrivateBuffer& v = values[&t] = PrivateBuffer(t.size * 8);
    set_tensor(args.tensor(t), v.as<void>(), host_dtype(t), t.shape);
    set_tensor(scale.tensor(t), v.as<void>(), t.dtype, t.shape);
    if (t.spec->is_input()) draw(plan, t, seed, v.as<void>());
    if (!t.spec->is_output() || t.spec->index) continue;
    PrivateBuffer& s = scales[&t] = PrivateBuffer(t.size * 8);
    parallel_for(t.size, grain, [p = s.as<double>()](std::int64_t i) { p[i] = std::nan(""); });
    scale.tensor(t).data = s.as<void>();
  }
  if (plan.op->prepare) plan.op->prepare(args.get());
  for (const TensorPlan& t : plan.tensors)
    if (t.input_at >= 0) {
      if (t.layout == Layout::broadcast) repeat(t, values[&t].as<void>());
      if (t.layout == Layout::rows) {
        round_into(t, values[&t].as<void>(), inputs.at(t.input_at));
        continue;
      }
      const PrivateBuffer packed(t.size * static_cast<std::int64_t>(size_of(t.dtype)));
      round_into(t, values[&t].as<void>(), packed.as<char>());
      spread(t, packed.as<char>(), inputs.at(t.input_at));
    }

  // Only a timed case may be judged in part: that is what the checks of small cases are for.
  const bool sampled = plan.test->bench && plan.op->sampled;
  const std::string& op = plan.op->contract.name();
  if (sampled)
    plan.op->sampled(args.get(), scale.get(), make_key(seed, op, plan.test->name, "sampled"));
  else
    plan.op->reference(args.get(), scale.get());
  for (const TensorPlan& t : plan.tensors)
    if (t.output_at >= 0) outputs_.push_back({&t, std::move(values[&t]), std::move(scales[&t])});
  check_judged(sampled);
}

void CaseData::check_judged(bool sampled) const {
  for (const Output& o : outputs_) {
    const TensorPlan& t = *o.tensor;
    if (t.spec->index || t.size == 0) continue;
    std::atomic<std::int64_t> judged{0};
    parallel_for(t.size, grain, [&](std::int64_t begin, std::int64_t end) {
      const double* scale = o.scale.as<double>();
      judged += end - begin - std::count(scale + begin, scale + end, not_judged);
    });
    const std::string where = plan_.op->contract.name() + ", case '" + plan_.test->name + "': ";
    WARPATH_CHECK(judged > 0, where + "no element of " + t.name + " is judged");
    WARPATH_CHECK(sampled || judged == t.size,
                  where + "the reference leaves elements of " + t.name +
                      " out; only the sampled one of a timed case may");
  }
}

Verdict CaseData::judge(const char* outputs) const {
  Verdict worst;
  for (const Output& o : outputs_) {
    const TensorPlan& t = *o.tensor;
    const char* got = outputs + t.output_at;
    Verdict v = t.spec->index
                    ? compare_index(t.name, t.dtype, t.shape, o.reference.as<std::int64_t>(), got)
                    : compare({t.name, t.dtype, t.shape, o.reference.as<double>(),
                               o.scale.as<double>(), tolerance_},
                              got);
    v.output = static_cast<int>(&t - plan_.tensors.data());
    const double largest = std::max(worst.largest, v.largest);
    const std::int64_t judged = worst.judged + v.judged, elements = worst.elements + v.elements;
    if (worst.index < 0 || v.ratio > worst.ratio) worst = v;
    worst.largest = largest;
    worst.judged = judged;
    worst.elements = elements;
  }
  return worst;
}

}  // namespace warpath::harness
