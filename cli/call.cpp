#include "cli/call.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "cli/op_names.h"
#include "cli/options.h"
#include "core/host/error.h"

namespace warpath::cli {
namespace {

// The dimension names in the order of the arguments. `needed` leaves out leading axes, which a call
// need not give.
struct DimNames {
  std::vector<std::string> all, needed;
  // Dimensions that count lists: a call gives the sizes of their tensors.
  std::vector<std::string> lists;

  // "rowsxcols, tensors=768+2304+768"
  std::string usage() const {
    std::string text = fmt::format("{}", fmt::join(all, "x"));
    for (const std::string& n : lists) text += (text.empty() ? "" : ", ") + n + "=768+2304+768";
    return text;
  }
};
DimNames dim_names(const Contract& contract) {
  DimNames names;
  for (const ArgSpec& a : contract.args())
    if (a.is_list()) add_unique(names.lists, a.dims[0].name);
  const auto counts_list = [&](const std::string& n) {
    return std::find(names.lists.begin(), names.lists.end(), n) != names.lists.end();
  };
  for (const ArgSpec& a : contract.args())
    for (const Dim& d : a.dims)
      if (!d.name.empty() && !counts_list(d.name)) add_unique(names.all, d.name);
  for (const std::string& n : names.all) {
    bool leading = false;
    for (const ArgSpec& a : contract.args())
      for (const Dim& d : a.dims) leading = leading || (d.name == n && d.leading);
    if (!leading) names.needed.push_back(n);
  }
  return names;
}

std::int64_t size_of_text(const std::string& text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 0)
    throw Refusal(fmt::format("'{}' is no size", text));
  return n;
}

Value scalar_of_text(const ArgSpec& a, const std::string& text) {
  if (a.scalar == ScalarType::choice) return text;
  if (a.scalar == ScalarType::boolean) return text == "true" || text == "1" || text == "yes";
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size())
    throw Refusal(fmt::format("{}={}: not a number", a.name, text));
  return x;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

}  // namespace

Case parse_call(const Op& op, const std::string& text) {
  const Contract& contract = op.contract;
  const DimNames names = dim_names(contract);
  Case call;
  call.name = text;
  for (const std::string& part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) {
      const std::vector<std::string> sizes = split(part, 'x');
      const auto& order = sizes.size() == names.all.size() ? names.all : names.needed;
      if (sizes.size() != order.size())
        throw Refusal(fmt::format("'{}' has {} sizes; {} takes {}", part, sizes.size(),
                                  contract.name(), names.usage()));
      for (std::size_t i = 0; i < sizes.size(); ++i) call.dims[order[i]] = size_of_text(sizes[i]);
      continue;
    }
    const std::string key = part.substr(0, equals), value = part.substr(equals + 1);
    const ArgSpec* a = contract.find(key);
    if (key == "without")
      call.without.push_back(value);
    else if (a && a->role == Role::scalar)
      call.scalars.insert_or_assign(key, scalar_of_text(*a, value));
    else if (std::find(names.lists.begin(), names.lists.end(), key) != names.lists.end())
      for (const std::string& size : split(value, '+'))
        call.lists[key].push_back(size_of_text(size));
    else if (std::find(names.all.begin(), names.all.end(), key) != names.all.end())
      call.dims[key] = size_of_text(value);
    else
      throw Refusal(did_you_mean("size or scalar", key, names.all));
  }
  for (const std::string& n : names.all) {
    const bool needed =
        std::find(names.needed.begin(), names.needed.end(), n) != names.needed.end();
    if (!call.dims.contains(n) && needed)
      throw Refusal(
          fmt::format("no size for '{}'; {} takes {}", n, contract.name(), names.usage()));
    call.dims.insert({n, 1});
  }
  for (const std::string& n : names.lists)
    if (!call.lists.contains(n))
      throw Refusal(fmt::format("no sizes for the list '{}'; {} takes {}", n, contract.name(),
                                names.usage()));
  try {
    harness::check_case(op, call);
  } catch (const Error& e) {
    throw Refusal(e.what());
  }
  return call;
}

harness::ArgsBlob args_without_data(const harness::Plan& plan) {
  harness::ArgsBlob args(plan);
  for (const harness::TensorPlan& t : plan.tensors)
    if (t.present)
      args.tensor(t).data = reinterpret_cast<void*>(
          (std::uintptr_t{1} << 20) + static_cast<std::uintptr_t>(t.offset) * size_of(t.dtype));
  return args;
}

namespace {

// The largest size that may be halved is halved until a CPU runs the case quickly. Odd ones stay odd.
template <class May>
std::optional<Case> halved(const Op& op, const Case& timed, DType dtype, May may) {
  if (!timed.lists.empty()) return std::nullopt;
  constexpr double most_bytes = 2 << 20, most_flops = 2.2e7;
  Case c = timed;
  c.bench = false;
  for (int halvings = 0; halvings < 100; ++halvings) {
    try {
      const harness::Plan plan = harness::make_plan(op, c, dtype);
      const double bytes = static_cast<double>(plan.input_bytes + plan.output_bytes);
      if (bytes <= most_bytes && op.cost(harness::ArgsBlob(plan).get()).flops <= most_flops)
        return c;
    } catch (const std::exception&) {
      return std::nullopt;
    }
    auto largest = c.dims.end();
    for (auto d = c.dims.begin(); d != c.dims.end(); ++d)
      if (may(d->second, timed.dims.at(d->first)) &&
          (largest == c.dims.end() || d->second > largest->second))
        largest = d;
    if (largest == c.dims.end()) return std::nullopt;
    largest->second = largest->second / 2 | largest->second % 2;
  }
  return std::nullopt;
}

constexpr std::int64_t least_size = 64;  // two warps, or a tile

}  // namespace

std::optional<Case> smaller(const Op& op, const Case& timed, DType dtype) {
  return halved(op, timed, dtype,
                [](std::int64_t n, std::int64_t) { return n > least_size && n % 2 == 0; });
}

std::optional<Case> smaller_if_asked(const Op& op, const Case& timed, DType dtype) {
  std::optional<Case> small = smaller(op, timed, dtype);
  if (!small)
    small = halved(op, timed, dtype, [](std::int64_t n, std::int64_t whole) {
      return n > 4 && n > whole / 32 && n % 2 == 0;
    });
  if (!small)
    small = halved(op, timed, dtype, [](std::int64_t n, std::int64_t) { return n > least_size; });
  return small;
}

}  // namespace warpath::cli
