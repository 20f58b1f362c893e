#include "harness/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/host/error.h"
#include "harness/memory.h"

namespace warpath::harness {
namespace {

constexpr std::int64_t arena_alignment = 4096;

constexpr std::int64_t gap = 8;  // elements: a row stays aligned to 16 bytes in every type

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape, Layout layout) {
  std::vector<std::int64_t> stride(shape.size());
  std::int64_t step = layout == Layout::spread ? 2 : 1;
  const bool columns = layout == Layout::columns || layout == Layout::padded_columns;
  const bool padded = layout == Layout::padded || layout == Layout::padded_columns;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t last = shape.size() - 1;
    std::size_t axis = columns && shape.size() >= 2 && i + 1 >= last ? 2 * last - 1 - i : i;
    if (layout == Layout::heads_first && shape.size() >= 3 && (i == 1 || i == 2)) axis = 3 - i;
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
  Dims dims = test.dims;
  for (const auto& [count, sizes] : test.lists)
    dims[count] = static_cast<std::int64_t>(sizes.size());
  const auto add = [&](const ArgSpec& a, int element, std::vector<std::int64_t> shape) {
    TensorPlan t;
    t.spec = &a;
    t.element = element;
    t.name = element < 0 ? a.name : fmt::format("{}[{}]", a.name, element);
    t.dtype = dtype_of(op.contract, a, dtype, test.types);
    t.shape = std::move(shape);
    t.size = 1;
    for (const std::int64_t d : t.shape) t.size *= d;
    if (const auto l = test.layouts.find(a.name); l != test.layouts.end()) t.layout = l->second;
    t.stride = strides_of(t.shape, t.layout);
    t.bytes = span_of(t) * static_cast<std::int64_t>(size_of(t.dtype));
    const auto o = test.offsets.find(a.name);
    t.offset = o == test.offsets.end() ? test.offset : o->second;
    t.present = std::find(test.without.begin(), test.without.end(), a.name) == test.without.end();
    if (t.present && a.is_input()) {
      t.input_at = plan.input_bytes;
      plan.input_bytes += round_up(t.bytes, arena_alignment);
    }
    if (t.present && a.is_output()) {
      t.output_at = plan.output_bytes;
      plan.output_bytes += round_up(t.bytes, arena_alignment);
    }
    plan.tensors.push_back(std::move(t));
  };
  for (const ArgSpec& a : op.contract.args()) {
    if (a.is_tensor()) add(a, -1, shape_of(a, dims));
    if (!a.is_list()) continue;
    const auto sizes = test.lists.find(a.dims[0].name);
    WARPATH_CHECK(sizes != test.lists.end(),
                  fmt::format("no sizes given for the list '{}' of '{}'", a.dims[0].name, a.name));
    for (std::size_t i = 0; i < sizes->second.size(); ++i)
      add(a, static_cast<int>(i), {sizes->second[i]});
  }
  for (TensorPlan& t : plan.tensors)
    if (std::count(test.in_place.begin(), test.in_place.end(), t.spec->name))
      for (std::size_t i = 0; i < plan.tensors.size(); ++i)
        if (plan.tensors[i].spec->name == t.spec->in_place) t.shares = static_cast<int>(i);
  return plan;
}

std::vector<DType> dtypes_of(const Op& op, const Case& test) {
  return test.dtypes.empty() ? op.contract.dtypes() : test.dtypes;
}

ArgsBlob::ArgsBlob(const Plan& plan) : ArgsBlock(*plan.op) {
  for (const TensorPlan& t : plan.tensors)
    if (t.present && t.element >= 0) lists_[t.spec].emplace_back();
  for (const auto& [spec, tensors] : lists_)
    list_at(get(), *spec) = {tensors.data(), static_cast<std::int64_t>(tensors.size())};
  for (const TensorPlan& t : plan.tensors) {
    if (!t.present) continue;  // rank 0: this is how the cost function sees that it is left out
    set_tensor(tensor(t), nullptr, t.dtype, t.shape, t.stride);
  }
  for (const auto& [name, value] : plan.test->scalars)
    if (const ArgSpec* a = plan.op->contract.find(name)) set_scalar(get(), *a, value.stored(*a));
}

Tensor& ArgsBlob::tensor(const TensorPlan& t) {
  return t.element < 0 ? tensor(*t.spec)
                       : lists_.at(t.spec).at(static_cast<std::size_t>(t.element));
}

void check_case(const Op& op, const Case& test) {
  const auto& args = op.contract.args();
  for (const auto& [name, sizes] : test.lists) {
    const bool known = std::any_of(args.begin(), args.end(), [n = name](const ArgSpec& a) {
      return a.is_list() && a.dims[0].name == n;
    });
    WARPATH_CHECK(known && std::all_of(sizes.begin(), sizes.end(), [](auto n) { return n >= 0; }),
                  fmt::format("{}: case '{}' sizes the unknown list '{}'", op.contract.name(),
                              test.name, name));
  }
  for (const auto& [name, size] : test.dims) {
    const bool known = std::any_of(args.begin(), args.end(), [&, n = name](const ArgSpec& a) {
      return std::any_of(a.dims.begin(), a.dims.end(), [&](const Dim& d) { return d.name == n; });
    });
    WARPATH_CHECK(known && size >= 0, fmt::format("{}: case '{}' sizes the unknown dimension '{}'",
                                                  op.contract.name(), test.name, name));
  }
  for (const auto& [name, value] : test.scalars) {
    const ArgSpec* a = op.contract.find(name);
    WARPATH_CHECK(a && a->role == Role::scalar,
                  fmt::format("{}: case '{}' sets the unknown scalar '{}'", op.contract.name(),
                              test.name, name));
    try {
      value.stored(*a);
    } catch (const Error& e) {
      throw Error(fmt::format("{}: case '{}': {}", op.contract.name(), test.name, e.what()));
    }
  }
  for (const std::string& name : test.without) {
    const ArgSpec* a = op.contract.find(name);
    WARPATH_CHECK(a && a->optional,
                  fmt::format("{}: case '{}' leaves out '{}', which is no optional tensor",
                              op.contract.name(), test.name, name));
  }
  for (const std::string& name : test.in_place) {
    const ArgSpec* a = op.contract.find(name);
    const ArgSpec* input = a ? op.contract.find(a->in_place) : nullptr;
    WARPATH_CHECK(
        input && input->role == Role::in,
        fmt::format("{}: case '{}' has '{}' in place, which is no output that may be an input",
                    op.contract.name(), test.name, name));
    const bool alike = shape_of(*a, test.dims) == shape_of(*input, test.dims) &&
                       dtype_of(op.contract, *a, DType::f32, test.types) ==
                           dtype_of(op.contract, *input, DType::f32, test.types) &&
                       !test.layouts.contains(input->name) &&
                       !std::count(test.without.begin(), test.without.end(), input->name);
    WARPATH_CHECK(alike, fmt::format("{}: case '{}' has '{}' in the memory of '{}', which has "
                                     "another shape, type or layout, or is left out",
                                     op.contract.name(), test.name, name, input->name));
  }
  for (const auto& [name, dtype] : test.types) {
    const ArgSpec* a = op.contract.find(name);
    WARPATH_CHECK(a && a->has_data() && std::count(a->dtypes.begin(), a->dtypes.end(), dtype),
                  fmt::format("{}: case '{}' wants '{}' in a type it cannot have",
                              op.contract.name(), test.name, name));
  }
  for (const auto& [name, offset] : test.offsets) {
    const ArgSpec* a = op.contract.find(name);
    WARPATH_CHECK(a && a->is_tensor() && offset >= 0,
                  fmt::format("{}: case '{}' offsets '{}', which is no tensor", op.contract.name(),
                              test.name, name));
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
    case Layout::heads_first:
      return "heads first";
  }
  return {};
}

std::string describe_case(const Op& op, const Case& test) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, size] : test.dims) add(fmt::format("{} {}", name, size));
  for (const auto& [name, sizes] : test.lists) {
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    add(sizes.empty() ? "no " + name
                      : fmt::format("{} {} of {} to {}", sizes.size(), name, *least, *most));
  }
  for (const auto& [name, value] : test.scalars) {
    if (const ArgSpec* a = op.contract.find(name))
      add(name + " " + scalar_text(*a, value.stored(*a)));
  }
  for (const std::string& name : test.without) add("no " + name);
  for (const std::string& name : test.in_place) add(name + " in place");
  for (const auto& [arg, dtype] : test.types) add(fmt::format("{} {}", arg, warpath::name(dtype)));
  for (const auto& [arg, layout] : test.layouts) add(fmt::format("{} {}", arg, name(layout)));
  if (test.offset) add(fmt::format("offset {}", test.offset));
  for (const auto& [name, offset] : test.offsets) add(fmt::format("{} offset {}", name, offset));
  return text;
}

}  // namespace warpath::harness
