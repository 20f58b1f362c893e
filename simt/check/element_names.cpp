#include "element_names.h"

namespace simt::check {

std::size_t element_size(const ArrayShape& shape) {
  return shape.known && shape.rank != 0 ? shape.steps[shape.rank - 1] : 0;
}

namespace {

std::string bytes_from_to(long long first, std::size_t count) {
  const std::string from = std::to_string(first);
  if (count == 1) return "byte " + from;
  return "bytes " + from + "-" + std::to_string(first + static_cast<long long>(count) - 1);
}

// "m[1][5]", also before the start: "p[-1]".
std::string indexed(const std::string& name, long long offset, const ArrayShape& shape) {
  std::string text = name;
  for (unsigned i = 0; i < shape.rank; ++i) {
    const auto step = static_cast<long long>(shape.steps[i]);
    const long long index = offset / step - (offset % step < 0 ? 1 : 0);
    text += "[" + std::to_string(index) + "]";
    offset -= index * step;
  }
  return text;
}

}  // namespace

std::string element(std::string_view name, std::size_t offset, std::size_t size) {
  const bool whole = offset % size == 0;
  const std::string at = std::to_string(whole ? offset / size : offset);
  if (name.empty()) return (whole ? "element " : "byte ") + at;
  return std::string(name) + (whole ? "[" + at + "]" : " at byte " + at);
}

std::string element(std::string_view name, std::size_t offset, std::size_t size,
                    const ArrayShape& shape) {
  if (!shape.known) return element(name, offset, size);
  std::string text(name);
  for (unsigned i = 0; i < shape.rank; ++i) {
    text += "[" + std::to_string(offset / shape.steps[i]) + "]";
    offset %= shape.steps[i];
  }
  const std::size_t of_type = element_size(shape);
  if (size < of_type && offset + size <= of_type)
    return text + ", its " + bytes_from_to(static_cast<long long>(offset), size);
  return text + (offset != 0 ? " at byte " + std::to_string(offset) : "");
}

std::string element_of_allocation(const std::string& name, long long offset, std::size_t size,
                                  const ArrayShape& shape) {
  const std::size_t of_type = element_size(shape);
  // Memory of bytes is used as anything.
  const std::size_t counted = of_type == 0 || (of_type == 1 && size > 1) ? size : of_type;
  const auto step = static_cast<long long>(counted);
  const auto inside = static_cast<std::size_t>((offset % step + step) % step);
  if (counted != of_type) {
    if (of_type != 0) return name + ", " + bytes_from_to(offset, size);
    return inside != 0 ? name : name + "[" + std::to_string(offset / step) + "]";
  }
  const std::string first = indexed(name, offset, shape);
  if (inside + size <= counted) {
    return size == counted ? first
                           : first + ", its " + bytes_from_to(static_cast<long long>(inside), size);
  }
  const long long last = offset + static_cast<long long>(size) - 1;
  return first + " to " + indexed(name, last, shape);
}

std::string place_in_allocation(std::size_t offset, std::size_t size, const ArrayShape& shape) {
  const std::size_t of_type = element_size(shape);
  if (of_type == 0 || of_type == size) return element("", offset, size);
  return "byte " + std::to_string(offset);
}

}  // namespace simt::check
