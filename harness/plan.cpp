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

DType dtype_of(const Op& op, const Case& test, const ArgSpec& a, DType run) {
  if (!a.same_as.empty()) {
    const ArgSpec* other = op.contract.find(a.same_as);
    WARPATH_CHECK(other != nullptr, op.contract.name() + ": '" + a.name +
                                        "' has the type of the unknown '" + a.same_as + "'");
    return dtype_of(op, test, *other, run);
  }
  if (const auto given = test.types.find(a.name); given != test.types.end()) return given->second;
  if (!a.index && std::find(a.dtypes.begin(), a.dtypes.end(), run) != a.dtypes.end()) return run;
  WARPATH_CHECK(!a.dtypes.empty(), op.contract.name() + ": '" + a.name + "' lists no types");
  return a.dtypes.front();
}

constexpr std::int64_t gap = 8;  // elements: a row stays aligned to 16 bytes in every type

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape, Layout layout) {
  std::vector<std::int64_t> stride(shape.size());
  std::int64_t step = layout == Layout::spread ? 2 : 1;
  const bool columns = layout == Layout::columns || layout == Layout::padded_columns;
  const bool padded = layout == Layout::padded || layout == Layout::padded_columns;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t last = shape.size() - 1;
    const std::size_t axis = columns && shape.size() >= 2 && i + 1 >= last ? 2 * last - 1 - i : i;
    stride[axis] = step;
    step *= layout == Layout::rows ? shape[axis] : std::max<std::int64_t>(shape[axis], 1);
    if (layout == Layout::spread) ++step;
    if (padded) step = round_up(step, gap) + gap;
  }
  if (layout == Layout::broadcast && !stride.empty()) stride[0] = 0;
  return stride;
}

// Elements from the first to the last.
std::int64_t span_of(const TensorPlan& t) {
  if (t.size == 0) return 0;
  std::int64_t span = 1;
  for (std::size_t i = 0; i < t.shape.size(); ++i) span += (t.shape[i] - 1) * t.stride[i];
  return span;
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
    t.dtype = dtype_of(op, test, a, dtype);
    t.shape = shape_of(a, test.dims);
    t.size = 1;
    for (const std::int64_t d : t.shape) t.size *= d;
    if (const auto l = test.layouts.find(a.name); l != test.layouts.end()) t.layout = l->second;
    t.stride = strides_of(t.shape, t.layout);
    t.bytes = span_of(t) * static_cast<std::int64_t>(size_of(t.dtype));
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
  for (const TensorPlan& t : plan.tensors) {
    if (!t.present) continue;  // of no rank: so does the cost of a call see what is left out
    set_tensor(tensor(t), nullptr, t.dtype, t.shape);
    std::copy(t.stride.begin(), t.stride.end(), tensor(t).stride.begin());
  }
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
  for (const auto& [name, dtype] : test.types) {
    const ArgSpec* a = op.contract.find(name);
    WARPATH_CHECK(a && a->is_tensor() && std::count(a->dtypes.begin(), a->dtypes.end(), dtype),
                  fmt::format("{}: case '{}' wants '{}' in a type it cannot have",
                              op.contract.name(), test.name, name));
  }
  for (const auto& [name, layout] : test.layouts) {
    const ArgSpec* a = op.contract.find(name);
    WARPATH_CHECK(a && a->role == Role::in && a->strided,
                  fmt::format("{}: case '{}' lays out '{}', which is no input of any strides",
                              op.contract.name(), test.name, name));
    (void)layout;
  }
}

std::string_view name(Layout layout) {
  switch (layout) {
    case Layout::rows:
      return "in rows";
    case Layout::columns:
      return "in columns";
    case Layout::padded:
      return "in padded rows";
    case Layout::padded_columns:
      return "in padded columns";
    case Layout::spread:
      return "spread";
    case Layout::broadcast:
      return "broadcast";
  }
  return {};
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
  for (const auto& [arg, dtype] : test.types) add(fmt::format("{} {}", arg, warpath::name(dtype)));
  for (const auto& [arg, layout] : test.layouts) add(fmt::format("{} {}", arg, name(layout)));
  if (test.offset) add(fmt::format("offset {}", test.offset));
  return text;
}

}  // namespace warpath::harness
