#include "core/host/contract.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "core/host/bindings.h"
#include "core/host/error.h"

namespace warpath {

Dim parse_dim(const std::string& text) {
  Dim d;
  std::string rest = text;
  if (rest.size() > 3 && rest.ends_with("...")) {
    d.leading = true;
    rest.resize(rest.size() - 3);
  }
  if (const auto plus = rest.find('+'); plus != std::string::npos) {
    const std::string added = rest.substr(plus + 1);
    if (!added.empty() && std::isdigit(static_cast<unsigned char>(added[0])))
      d.plus = std::stoll(added);
    else
      d.and_name = added;
    rest.resize(plus);
  }
  if (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])))
    d.plus += std::stoll(rest);
  else
    d.name = rest;
  return d;
}

Contract& Contract::tensor(std::string n, Role role, std::size_t offset,
                           const std::vector<std::string>& d, std::vector<DType> dtypes,
                           std::string same_as) {
  ArgSpec a;
  a.name = std::move(n);
  a.role = role;
  a.offset = offset;
  for (const std::string& text : d) a.dims.push_back(parse_dim(text));
  a.dtypes = std::move(dtypes);
  a.same_as = std::move(same_as);
  args_.push_back(std::move(a));
  return *this;
}

Contract& Contract::scalar(std::string n, std::size_t offset, ScalarType type, double fallback,
                           std::vector<std::string> choices) {
  ArgSpec a;
  a.name = std::move(n);
  a.role = Role::scalar;
  a.offset = offset;
  a.scalar = type;
  a.fallback = fallback;
  a.choices = std::move(choices);
  args_.push_back(std::move(a));
  return *this;
}

const ArgSpec* Contract::find(const std::string& arg) const {
  for (const ArgSpec& a : args_)
    if (a.name == arg) return &a;
  return nullptr;
}

const std::vector<DType>& Contract::dtypes() const {
  static const std::vector<DType> none;
  for (const ArgSpec& a : args_)
    if (a.has_data() && !a.index && !a.dtypes.empty()) return a.dtypes;
  return none;
}

void set_scalar(void* args, const ArgSpec& a, double value) {
  char* at = static_cast<char*>(args) + a.offset;
  switch (a.scalar) {
    case ScalarType::integer:
      *reinterpret_cast<std::int64_t*>(at) = static_cast<std::int64_t>(value);
      break;
    case ScalarType::real:
      *reinterpret_cast<double*>(at) = value;
      break;
    case ScalarType::boolean:
      *reinterpret_cast<bool*>(at) = value != 0;
      break;
    case ScalarType::choice:
      *reinterpret_cast<int*>(at) = static_cast<int>(value);
      break;
  }
}

std::string scalar_text(const ArgSpec& a, double value) {
  switch (a.scalar) {
    case ScalarType::choice:
      return a.choices.at(static_cast<std::size_t>(value));
    case ScalarType::boolean:
      return value != 0 ? "true" : "false";
    case ScalarType::integer:
      return std::to_string(static_cast<std::int64_t>(value));
    case ScalarType::real:
      break;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

namespace {

[[noreturn]] void bad(const Contract& c, const ArgSpec& a, const std::string& why) {
  throw Error(c.name() + ": argument '" + a.name + "' " + why);
}

// Those of the argument it must match, where that is left out.
const std::vector<DType>& allowed_dtypes(const Contract& contract, const ArgSpec& a) {
  return a.same_as.empty() ? a.dtypes : allowed_dtypes(contract, *contract.find(a.same_as));
}

void check_dtype(const Contract& c, const void* args, const ArgSpec& a, const Tensor& t) {
  if (!a.same_as.empty()) {
    const Tensor* const other = sample_at(args, *c.find(a.same_as));
    if (other && t.dtype != other->dtype)
      bad(c, a,
          "is " + std::string(name(t.dtype)) + " but '" + a.same_as + "' is " +
              std::string(name(other->dtype)));
    if (other) return;
  }
  const std::vector<DType>& known = allowed_dtypes(c, a);
  if (std::find(known.begin(), known.end(), t.dtype) != known.end()) return;
  std::string allowed;
  for (DType d : known) allowed.append(" ").append(name(d));
  bad(c, a, "is " + std::string(name(t.dtype)) + "; allowed:" + allowed);
}

void check_shape(const Contract& c, const ArgSpec& a, const Tensor& t, Bindings& bindings) {
  // A launcher sees leading axes as one.
  if (t.rank != static_cast<int>(a.dims.size()))
    bad(c, a, "has rank " + std::to_string(t.rank) + ", not " + std::to_string(a.dims.size()));
  const auto wrong = bindings.bind(a, Sizes(t.shape).first(a.dims.size()));
  if (!wrong) return;
  const std::int64_t plus = wrong->is.dim->plus;
  std::string text = "has size " + std::to_string(t.shape[wrong->axis]) + " in dimension " +
                     std::to_string(wrong->axis);
  if (wrong->kind == Bindings::Mismatch::shorter)
    text += ", not " + std::to_string(plus) + " or more";
  else if (wrong->kind == Bindings::Mismatch::number)
    text += ", not " + std::to_string(plus);
  else
    text += ", not " + std::to_string(wrong->bound.at(0) + plus) + " as '" +
            wrong->bound.from->name + "' says";
  bad(c, a, text);
}

// Appended step by step: GCC 12 warns of an overlap that is not there in "[" + std::to_string(i).
std::string in_brackets(std::int64_t i) {
  std::string text = "[";
  text += std::to_string(i);
  text += "]";
  return text;
}

void check_list(const Contract& c, const void* args, const ArgSpec& a, Bindings& bindings) {
  const TensorList& list = list_at(args, a);
  if (const auto wrong = bindings.bind(a, Sizes(&list.count, 1)))
    bad(c, a,
        "has " + std::to_string(list.count) + " tensors, not " +
            std::to_string(wrong->bound.at(0)) + " as '" + wrong->bound.from->name + "' says");
  for (std::int64_t i = 0; i < list.count; ++i) {
    const Tensor& t = list[i];
    const std::string here = in_brackets(i) + " ";
    check_dtype(c, args, a, t);
    if (t.dtype != list[0].dtype)
      bad(c, a, here + "is " + std::string(name(t.dtype)) + ", the first is another type");
    if (t.rank != 1) bad(c, a, here + "has rank " + std::to_string(t.rank) + ", not 1");
    if (t.size() > 0 && t.data == nullptr) bad(c, a, here + "has no data");
    if (!t.is_aligned(size_of(t.dtype))) bad(c, a, here + "is not aligned to its element size");
    if (!t.is_contiguous()) bad(c, a, here + "is not contiguous");
  }
  if (const std::string why = list_mismatch(c, args, a); !why.empty()) bad(c, a, why);
}

// Nobody has made this one: it is as Args has it from the start.
bool is_missing(const Tensor& t) {
  return t.data == nullptr && t.rank == 0;
}

}  // namespace

const Tensor* sample_at(const void* args, const ArgSpec& a) {
  if (!a.list) {
    const Tensor& t = tensor_at(args, a);
    return a.optional && is_missing(t) ? nullptr : &t;
  }
  const TensorList& list = list_at(args, a);
  return list.count > 0 ? &list[0] : nullptr;
}

std::string list_mismatch(const Contract& c, const void* args, const ArgSpec& a) {
  const TensorList& list = list_at(args, a);
  for (const ArgSpec& other : c.args()) {
    if (&other == &a) break;
    if (!other.is_list() || other.dims[0].name != a.dims[0].name) continue;
    const TensorList& before = list_at(args, other);
    if (other.optional && before.at == nullptr) continue;
    if (list.count != before.count)
      return "has " + std::to_string(list.count) + " tensors, but '" + other.name + "' has " +
             std::to_string(before.count);
    for (std::int64_t i = 0; i < list.count; ++i)
      if (list[i].size() != before[i].size())
        return in_brackets(i) + " has " + std::to_string(list[i].size()) + " elements, but '" +
               other.name + in_brackets(i) + "' has " + std::to_string(before[i].size());
    break;  // that one has been held against those before it
  }
  return {};
}

void check_args(const Contract& c, const void* args) {
  for (const ArgSpec& a : c.args())
    if (a.is_tensor() && !a.optional && is_missing(tensor_at(args, a))) bad(c, a, "is missing");
  Bindings bindings;
  for (const ArgSpec& a : c.args()) {
    if (a.is_list() && !(a.optional && list_at(args, a).at == nullptr))
      check_list(c, args, a, bindings);
    if (!a.is_tensor()) continue;
    const Tensor& t = tensor_at(args, a);
    if (a.optional && t.data == nullptr) continue;
    check_dtype(c, args, a, t);
    check_shape(c, a, t, bindings);
    if (t.size() > 0 && t.data == nullptr) bad(c, a, "has no data");
    if (!t.is_aligned(size_of(t.dtype))) bad(c, a, "is not aligned to its element size");
    if (!a.strided && !t.is_contiguous()) bad(c, a, "is not contiguous");
  }
  bindings.check_scalars(c, args);
}

}  // namespace warpath
