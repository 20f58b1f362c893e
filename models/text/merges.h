// Byte-pair encoding: which two symbols become one, and in what order.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpath::models {

using Tokens = std::vector<std::int32_t>;

class Merges {
 public:
  // Of two merges that could be done, the one of the lower rank is done first.
  void add(std::int32_t left, std::int32_t right, std::int32_t rank, std::int32_t made) {
    merges_[key(left, right)] = {rank, made};
  }

  // Merges the symbols of one word until none can be merged; among equal ranks the leftmost first. n log n in its length.
  void merge(Tokens& symbols) const;

 private:
  struct Merge {
    std::int32_t rank, made;
  };
  static std::uint64_t key(std::int32_t left, std::int32_t right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
           static_cast<std::uint32_t>(right);
  }
  const Merge* find(std::int32_t left, std::int32_t right) const {
    const auto found = merges_.find(key(left, right));
    return found == merges_.end() ? nullptr : &found->second;
  }

  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace warpath::models
