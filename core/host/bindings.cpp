#include "core/host/bindings.h"

#include "core/host/error.h"

namespace warpath {
namespace {

bool has_leading(const ArgSpec& a) {
  return !a.dims.empty() && a.dims[0].leading;
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
      return "has " + std::to_string(is.sizes.size()) + " axes; it needs " +
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

Shape Bindings::shape_of(const ArgSpec& a) const {
  Shape shape;
  for (const Dim& d : a.dims) {
    if (d.name.empty()) {
      shape.add(d.plus);
      continue;
    }
    const Entry* const bound = find(d.name);
    if (!bound && a.optional && !d.leading) {
      shape.add(0);
      continue;
    }
    WARPATH_CHECK(bound, "no argument tells the size of '" + d.name + "' of '" + a.name + "'");
    for (std::size_t i = 0; i < bound->sizes.size(); ++i)
      shape.add(bound->at(i) + (d.leading ? 0 : d.plus));
  }
  return shape;
}

}  // namespace warpath
