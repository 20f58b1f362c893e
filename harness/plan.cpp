#include "harness/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/error.h"
#include "harness/memory.h"

namespace warpath::harness {
namespace {

constexpr std::int64_t arena_alignment = 4096;

DType dtype_of(const Op& op, const ArgSpec& a, DType run) {
  if (!a.same_as.empty()) {
    const ArgSpec* other = op.contract.find(a.same_as);
    WARPATH_CHECK(other != nullptr, op.contract.name() + ": '" + a.name +
                                        "' has the type of the unknown '" + a.same_as + "'");
    return dtype_of(op, *other, run);
  }
  if (!a.index && std::find(a.dtypes.begin(), a.dtypes.end(), run) != a.dtypes.end()) return run;
  WARPATH_CHECK(!a.dtypes.empty(), op.contract.name() + ": '" + a.name + "' lists no types");
  return a.dtypes.front();
}

}  // namespace

Plan make_plan(const Op& op, const Case& test, DType dtype) {
  Plan plan;
  plan.op = &op;
  plan.test = &test;
  plan.dtype = dtype;
  for (const ArgSpec& a : op.contract.args()) {
    if (!a.is_tensor()) continue;
    TensorPlan t;
    t.spec = &a;
    t.dtype = dtype_of(op, a, dtype);
    t.shape = shape_of(a, test.dims);
    t.size = 1;
    for (const std::int64_t d : t.shape) t.size *= d;
    t.bytes = t.size * static_cast<std::int64_t>(size_of(t.dtype));
    // A case leaves an optional tensor out by setting its name to 0 among its scalars.
    const auto given = test.scalars.find(a.name);
    t.present = !(a.optional && given != test.scalars.end() && given->second == 0);
    if (t.present && a.is_input()) {
      t.input_at = plan.input_bytes;
      plan.input_bytes += round_up(t.bytes, arena_alignment);
    }
    if (t.present && a.is_output()) {
      t.output_at = plan.output_bytes;
      plan.output_bytes += round_up(t.bytes, arena_alignment);
    }
    plan.tensors.push_back(std::move(t));
  }
  return plan;
}

std::vector<DType> dtypes_of(const Op& op, const Case& test) {
  return test.dtypes.empty() ? op.contract.dtypes() : test.dtypes;
}

void ArgsBlob::Release::operator()(void* p) const {
  std::free(p);
}

ArgsBlob::ArgsBlob(const Plan& plan) {
  constexpr std::size_t alignment = 64;
  const auto size =
      static_cast<std::size_t>(round_up(static_cast<std::int64_t>(plan.op->args_size), alignment));
  storage_.reset(std::aligned_alloc(alignment, size));
  if (!storage_) throw std::bad_alloc();
  plan.op->construct(get());
  for (const TensorPlan& t : plan.tensors) set_tensor(tensor(t), nullptr, t.dtype, t.shape);
  for (const ArgSpec& a : plan.op->contract.args()) {
    if (a.role != Role::scalar) continue;
    const auto given = plan.test->scalars.find(a.name);
    set_scalar(get(), a, given == plan.test->scalars.end() ? a.fallback : given->second);
  }
}

void set_tensor(Tensor& t, void* data, DType dtype, const std::vector<std::int64_t>& shape) {
  WARPATH_CHECK(shape.size() <= max_rank, "more axes than a tensor can have");
  t.data = data;
  t.dtype = dtype;
  t.rank = static_cast<int>(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    t.shape[i] = shape[i];
    t.stride[i] = step;
    step *= shape[i];
  }
}

void check_case(const Op& op, const Case& test) {
  const auto& args = op.contract.args();
  for (const auto& [name, size] : test.dims) {
    const bool known = std::any_of(args.begin(), args.end(), [&, n = name](const ArgSpec& a) {
      return std::any_of(a.dims.begin(), a.dims.end(), [&](const Dim& d) { return d.name == n; });
    });
    WARPATH_CHECK(known && size >= 0, fmt::format("{}: case '{}' sizes the unknown dimension '{}'",
                                                  op.contract.name(), test.name, name));
  }
  for (const auto& [name, value] : test.scalars) {
    const ArgSpec* a = op.contract.find(name);
    WARPATH_CHECK(a && (a->role == Role::scalar || a->optional),
                  fmt::format("{}: case '{}' sets the unknown scalar '{}'", op.contract.name(),
                              test.name, name));
    (void)value;
  }
}

std::string describe_case(const Op& op, const Case& test) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, size] : test.dims) add(fmt::format("{} {}", name, size));
  for (const auto& [name, value] : test.scalars) {
    const ArgSpec* a = op.contract.find(name);
    const auto choice = static_cast<std::size_t>(value);
    if (a && a->scalar == ScalarType::choice && choice < a->choices.size())
      add(name + " " + a->choices[choice]);
    else
      add(fmt::format("{} {:g}", name, value));
  }
  if (test.offset) add(fmt::format("offset {}", test.offset));
  return text;
}

}  // namespace warpath::harness
