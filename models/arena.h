// Device memory by purpose: one allocation holds all tensors of a purpose, and its size is known before the first step.
//
// A model is built twice by the same code. The first time its arenas only count, and the tensors have addresses that must
// not be read; the second time the arenas have the memory that was counted.
#pragma once
#include <string>
#include <vector>

#include "harness/device/device.h"
#include "models/tensor.h"

namespace warpath::models {

struct Named {
  std::string name;
  Tensor tensor;
};

class Arena {
 public:
  static constexpr std::int64_t alignment = 256;  // more than any kernel asks for

  explicit Arena(std::string purpose) : purpose_(std::move(purpose)) {}  // counts only
  Arena(std::string purpose, const harness::Device& device, std::int64_t bytes);
  // The memory of another one, from its begin on: who adds the same tensors gets the same ones.
  static Arena again(const Arena& other);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Tensor add(const std::string& name, DType dtype, std::initializer_list<std::int64_t> shape);
  // The tensor of that name, made by the first who asks: for memory that layers take turns at.
  Tensor shared(const std::string& name, DType dtype, std::initializer_list<std::int64_t> shape);

  const std::string& purpose() const { return purpose_; }
  std::int64_t bytes() const { return used_; }
  // In the order in which they were added.
  const std::vector<Named>& tensors() const { return tensors_; }
  const Named* find(const std::string& name) const;

  // All bytes as one tensor, gaps included; the gaps hold zeros.
  Tensor whole(DType dtype) const;

 private:
  std::string purpose_;
  const harness::Device* device_ = nullptr;
  char* base_ = nullptr;
  bool owned_ = false;
  std::int64_t capacity_ = 0, used_ = 0;
  std::vector<Named> tensors_;
};

// What training keeps in device memory; scratch is added by who calls the ops. `inputs` has what a micro-batch brings, and its
// loss: all that micro-batches cannot take turns at where one graph has several of them.
struct Memory {
  Arena parameters{"parameters"}, gradients{"gradients"}, optimizer{"optimizer"}, inputs{"inputs"},
      activations{"activations"}, cache{"cache"};

  Memory() = default;  // counts only
  // Memory of the sizes that `counted` has.
  Memory(const Memory& counted, const harness::Device& device);
  // The same without what only training needs: gradients go on counting.
  static Memory without_gradients(const Memory& counted, const harness::Device& device);
  // All of `other` but inputs of its own.
  static Memory with_other_inputs(const Memory& other, const Memory& counted,
                                  const harness::Device& device);
  // Another model's inputs and activations beside the parameters and the cache of `other`.
  static Memory beside(const Memory& other);
  static Memory beside(const Memory& other, const Memory& counted, const harness::Device& device);

  std::vector<const Arena*> all() const {
    return {&parameters, &gradients, &optimizer, &inputs, &activations, &cache};
  }

 private:
  Memory(Arena p, Arena g, Arena o, Arena i, Arena a, Arena c);
};

}  // namespace warpath::models
