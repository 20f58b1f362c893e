#include "core/host/bindings.h"

#include "core/host/error.h"

namespace warpath {
namespace {

bool has_leading(const ArgSpec& a) {
  return !a.dims.empty() && a.dims[0].leading;
}

bool is_integer(const ArgSpec& a) {
  return a.role == Role::scalar && a.scalar == ScalarType::integer;
}
std::int64_t integer_at(const void* args, const ArgSpec& a) {
  return *reinterpret_cast<const std::int64_t*>(static_cast<const char*>(args) + a.offset);
}

}  // namespace

std::size_t leading_axes(const ArgSpec& a, std::size_t rank) {
  return has_leading(a) ? rank + 1 - a.dims.size() : 0;
}

bool Bindings::Entry::operator==(const Entry& other) const {
  if (sizes.size() != other.sizes.size()) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (at(i) != other.at(i)) return false;
  return true;
}

std::string Bindings::Entry::text() const {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(at(i));
  return text + (sizes.size() == 1 ? ",)" : ")");
}

std::string Bindings::Mismatch::text() const {
  switch (kind) {
    case rank: {
      const bool leading = has_leading(*is.from);
      return "has " + std::to_string(is.sizes.size()) +
             (is.sizes.size() == 1 ? " axis; it needs " : " axes; it needs ") +
             (leading ? "at least " : "") + std::to_string(is.from->dims.size() - leading);
    }
    case number:
      return "has an axis of " + std::to_string(is.sizes[0]) + ", not " +
             std::to_string(is.dim->plus);
    case shorter:
      return "is too short in '" + is.dim->name + "'";
    case size:
      return "has " + is.dim->name + " = " + is.text() + ", but '" + bound.from->name + "' has " +
             bound.text();
  }
  return {};
}

const Bindings::Entry* Bindings::find(const std::string& name) const {
  for (std::size_t i = 0; i < count_; ++i)
    if (entries_[i].dim->name == name) return &entries_[i];
  return nullptr;
}

std::optional<Bindings::Mismatch> Bindings::bind(const ArgSpec& a, Sizes shape) {
  const bool leading = has_leading(a);
  const std::size_t fixed = a.dims.size() - leading;
  if (shape.size() < fixed || (!leading && shape.size() != fixed))
    return Mismatch{Mismatch::rank, 0, {nullptr, shape, &a}};
  std::size_t axis = 0;
  for (const Dim& d : a.dims) {
    const std::size_t count = d.leading ? shape.size() - fixed : 1;
    const Entry is{&d, shape.subspan(axis, count), &a};
    if (d.name.empty()) {
      if (is.sizes[0] != d.plus) return Mismatch{Mismatch::number, axis, is};
    } else if (!d.and_name.empty()) {
      const Entry *const one = find(d.name), *const other = find(d.and_name);
      const std::int64_t sum = (one ? one->at(0) : 0) + (other ? other->at(0) : 0);
      if (is.sizes[0] != sum) return Mismatch{Mismatch::size, axis, is, one ? *one : is};
    } else if (const Entry* const bound = find(d.name)) {
      if (!(*bound == is)) return Mismatch{Mismatch::size, axis, is, *bound};
    } else {
      if (!d.leading && is.at(0) < 0) return Mismatch{Mismatch::shorter, axis, is};
      WARPATH_CHECK(count_ < entries_.size(), "too many dimension names");
      entries_[count_++] = is;
    }
    axis += count;
  }
  return std::nullopt;
}

Shape Bindings::shape_of(const ArgSpec& a, const Contract& contract, const void* args) const {
  Shape shape;
  for (const Dim& d : a.dims) {
    if (d.name.empty()) {
      shape.add(d.plus);
      continue;
    }
    const Entry* const bound = find(d.name);
    const ArgSpec* const scalar = bound || !args ? nullptr : contract.find(d.name);
    if (scalar && is_integer(*scalar)) {
      const std::int64_t size = integer_at(args, *scalar);
      WARPATH_CHECK(size >= 0, contract.name() + ": argument '" + scalar->name + "' is " +
                                   std::to_string(size) + ", which is no size");
      shape.add(size + d.plus);
      continue;
    }
    if (!bound && a.optional && (d.and_name.empty() || !find(d.and_name))) {
      if (!d.leading) shape.add(0);
      continue;
    }
    if (!d.and_name.empty()) {
      const Entry* const other = find(d.and_name);
      if (!bound || !other) {
        const Entry* const given = bound ? bound : other;
        const std::string& missing = bound ? d.and_name : d.name;
        for (const ArgSpec& b : contract.args())
          if (given && b.role == Role::in && !b.dims.empty() && b.dims[0].name == missing)
            throw Error("argument '" + given->from->name + "' needs '" + b.name + "' beside it");
      }
      WARPATH_CHECK(bound && other, "no argument tells the size of '" + a.name + "'");
      shape.add(bound->at(0) + other->at(0));
      continue;
    }
    WARPATH_CHECK(bound, "no argument tells the size of '" + d.name + "' of '" + a.name + "'");
    for (std::size_t i = 0; i < bound->sizes.size(); ++i)
      shape.add(bound->at(i) + (d.leading ? 0 : d.plus));
  }
  return shape;
}

void Bindings::check_scalars(const Contract& contract, const void* args) const {
  for (const ArgSpec& a : contract.args()) {
    const Entry* const bound = is_integer(a) ? find(a.name) : nullptr;
    if (!bound || integer_at(args, a) == bound->at(0)) continue;
    throw Error(contract.name() + ": argument '" + bound->from->name + "' has " + a.name + " = " +
                std::to_string(bound->at(0)) + ", not " + std::to_string(integer_at(args, a)));
  }
}

}  // namespace warpath
