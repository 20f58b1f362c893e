#include "core/contract.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace warpath {

Dim parse_dim(const std::string& text) {
  Dim d;
  std::string rest = text;
  if (rest.size() > 3 && rest.ends_with("...")) {
    d.leading = true;
    rest.resize(rest.size() - 3);
  }
  if (const auto plus = rest.find('+'); plus != std::string::npos) {
    d.plus = std::stoll(rest.substr(plus + 1));
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
    if (a.is_tensor() && !a.index && !a.dtypes.empty()) return a.dtypes;
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

std::vector<std::int64_t> shape_of(const ArgSpec& a, const Dims& dims) {
  std::vector<std::int64_t> shape;
  for (const Dim& d : a.dims) {
    std::int64_t n = d.plus;
    if (!d.name.empty()) {
      const auto it = dims.find(d.name);
      WARPATH_CHECK(it != dims.end(),
                    "no size given for dimension '" + d.name + "' of '" + a.name + "'");
      n += it->second;
    }
    shape.push_back(n);
  }
  return shape;
}

namespace {

[[noreturn]] void bad(const Contract& c, const ArgSpec& a, const std::string& why) {
  throw Error(c.name() + ": argument '" + a.name + "' " + why);
}

// Dimension names met so far with their sizes: a handful, so a linear search beats a map.
struct Bindings {
  struct Entry {
    const std::string* name;
    std::int64_t size;
    const ArgSpec* from;
  };
  std::array<Entry, 16> entries;
  int count = 0;

  const Entry* find(const std::string& name) const {
    for (int i = 0; i < count; ++i)
      if (*entries[static_cast<std::size_t>(i)].name == name)
        return &entries[static_cast<std::size_t>(i)];
    return nullptr;
  }
};

void check_dtype(const Contract& c, const void* args, const ArgSpec& a, const Tensor& t) {
  if (!a.same_as.empty()) {
    const Tensor& other = tensor_at(args, *c.find(a.same_as));
    if (t.dtype != other.dtype)
      bad(c, a,
          "is " + std::string(name(t.dtype)) + " but '" + a.same_as + "' is " +
              std::string(name(other.dtype)));
    return;
  }
  if (std::find(a.dtypes.begin(), a.dtypes.end(), t.dtype) != a.dtypes.end()) return;
  std::string allowed;
  for (DType d : a.dtypes) allowed.append(" ").append(name(d));
  bad(c, a, "is " + std::string(name(t.dtype)) + "; allowed:" + allowed);
}

void check_shape(const Contract& c, const ArgSpec& a, const Tensor& t, Bindings& bound) {
  if (t.rank != static_cast<int>(a.dims.size()))
    bad(c, a, "has rank " + std::to_string(t.rank) + ", not " + std::to_string(a.dims.size()));
  for (int i = 0; i < t.rank; ++i) {
    const Dim& d = a.dims[static_cast<std::size_t>(i)];
    const std::int64_t n = t.shape[static_cast<std::size_t>(i)] - d.plus;
    const Bindings::Entry* e = d.name.empty() ? nullptr : bound.find(d.name);
    const std::int64_t expected = d.name.empty() ? 0 : e ? e->size : n;
    if (n != expected || n < 0)
      bad(c, a,
          "has size " + std::to_string(n + d.plus) + " in dimension " + std::to_string(i) +
              ", not " + std::to_string(expected + d.plus) +
              (e ? " as '" + e->from->name + "' says" : ""));
    if (!d.name.empty() && !e) {
      WARPATH_CHECK(bound.count < static_cast<int>(bound.entries.size()),
                    "too many dimension names");
      bound.entries[static_cast<std::size_t>(bound.count++)] = {&d.name, n, &a};
    }
  }
}

}  // namespace

void check_args(const Contract& c, const void* args) {
  Bindings bound;
  for (const ArgSpec& a : c.args()) {
    if (!a.is_tensor()) continue;
    const Tensor& t = tensor_at(args, a);
    if (a.optional && t.data == nullptr) continue;
    check_dtype(c, args, a, t);
    check_shape(c, a, t, bound);
    if (t.size() > 0 && t.data == nullptr) bad(c, a, "has no data");
    if (!t.is_aligned(size_of(t.dtype))) bad(c, a, "is not aligned to its element size");
    if (!a.strided && !t.is_contiguous()) bad(c, a, "is not contiguous");
  }
}

}  // namespace warpath
