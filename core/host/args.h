// The args struct of a call, for callers that know the op only by its contract: the lab, the torch
// ops, ONNX Runtime.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/host/bindings.h"
#include "core/host/registry.h"

namespace warpath {

// Storage for an args struct: constructed, its scalars set to the contract's defaults. The padding
// is zero, so that two of them can be compared byte by byte. A copy copies the bytes: an args
// struct owns nothing.
class ArgsBlock {
 public:
  explicit ArgsBlock(const Op& op);
  ArgsBlock(const ArgsBlock& other);
  ArgsBlock& operator=(const ArgsBlock&) = delete;

  void* get() { return elsewhere_ ? elsewhere_.get() : here_; }
  const void* get() const { return elsewhere_ ? elsewhere_.get() : here_; }
  std::size_t size() const { return bytes_; }
  Tensor& tensor(const ArgSpec& a) { return tensor_at(get(), a); }
  const Tensor& tensor(const ArgSpec& a) const { return tensor_at(get(), a); }

 private:
  static constexpr std::size_t alignment = 64;
  struct Free {
    void operator()(std::byte* p) const;
  };
  explicit ArgsBlock(std::size_t bytes);

  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> elsewhere_;  // for a struct that is too large for `here_`
  alignas(alignment) std::byte here_[1024];
};

// Sets shape and strides; no strides: contiguous.
void set_tensor(Tensor& t, void* data, DType dtype, Sizes shape, Sizes stride = {});
// The same from a caller's tensor: the axes that "rows..." stands for become one, as a launcher sees them.
void set_tensor(Tensor& t, const ArgSpec& a, void* data, DType dtype, Sizes shape,
                Sizes stride = {});

// The stride of several axes merged into one; -1 where no single stride covers all of them.
std::int64_t merged_stride(Sizes shape, Sizes stride);

// An integer with all its bits: set_scalar() takes a double, which has 53.
void set_integer(void* args, const ArgSpec& a, std::int64_t value);

// The index of a choice by its name; empty where there is no such choice.
std::optional<int> find_choice(const ArgSpec& a, std::string_view name);

// The type of a tensor in a call of type `run`: that of the argument it must match, else the one
// `chosen` by name, else `run` where the contract allows it, else the first it allows.
DType dtype_of(const Contract& contract, const ArgSpec& a, DType run,
               const std::map<std::string, DType>& chosen = {});

}  // namespace warpath
