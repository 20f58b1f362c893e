// The sizes of a call's dimensions. The first tensor that has a dimension binds its name; every later one must agree.
// One rule for the launcher's check, the torch ops and ONNX Runtime.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/host/contract.h"

namespace warpath {

using Sizes = std::span<const std::int64_t>;

// A shape without an allocation.
struct Shape {
  static constexpr std::size_t most = 64;  // axes: torch's tensors have no more
  std::array<std::int64_t, most> sizes;
  std::size_t rank = 0;

  void add(std::int64_t n) { sizes.at(rank++) = n; }
  operator Sizes() const { return {sizes.data(), rank}; }
};

// How many of a tensor's axes "rows..." stands for; 0 where the contract has no leading axes. The tensor must have at
// least the axes that the contract names.
std::size_t leading_axes(const ArgSpec& a, std::size_t rank);

class Bindings {
 public:
  // What one axis says about a dimension; "rows..." may have several sizes, or none.
  struct Entry {
    const Dim* dim = nullptr;
    Sizes sizes = {};
    const ArgSpec* from = nullptr;

    std::int64_t at(std::size_t i) const { return sizes[i] - (dim->leading ? 0 : dim->plus); }
    bool operator==(const Entry& other) const;
    std::string text() const;  // "(2, 3)"
  };

  // The first axis that breaks the contract.
  struct Mismatch {
    enum Kind {
      rank,     // too many axes or too few
      number,   // the contract names a number, and this is another
      shorter,  // "batch+1" with no elements
      size      // another tensor has bound the name to another size
    } kind;
    std::size_t axis = 0;
    Entry is = {}, bound = {};

    std::string text() const;  // after "argument 'x' "
  };

  // Binds the names of a tensor's axes. Points to `shape`, which must outlive this.
  std::optional<Mismatch> bind(const ArgSpec& a, Sizes shape);

  // The shape of a tensor for what is bound, leading axes one by one. Where a name is not bound: what the integer scalar
  // of that name says; 0 for an optional output, which has no elements and no leading axes when the input that sizes it
  // is left out; Error for any other.
  Shape shape_of(const ArgSpec& a, const Contract& contract = {}, const void* args = nullptr) const;

  // Throws Error where an integer scalar has the name of a dimension and another value than that.
  void check_scalars(const Contract& contract, const void* args) const;

 private:
  const Entry* find(const std::string& name) const;

  std::array<Entry, 16> entries_;  // a handful: a linear search beats a map
  std::size_t count_ = 0;
};

}  // namespace warpath
