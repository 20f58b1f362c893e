#include "models/arena.h"

#include <utility>

#include "harness/buffer.h"
#include "harness/memory.h"

namespace warpath::models {

// Far from any address that a program has.
static char* const counting_base = reinterpret_cast<char*>(std::uintptr_t{1} << 52);

Arena::Arena(std::string purpose, const harness::Device& device, std::int64_t bytes)
    : purpose_(std::move(purpose)), device_(&device), capacity_(bytes) {
  if (bytes == 0) return;
  void* memory = nullptr;
  harness::must(device.alloc(&memory, bytes));
  base_ = static_cast<char*>(memory);
  owned_ = true;
  harness::must(device.fill(base_, 0, bytes));
}

Arena::~Arena() {
  if (owned_) device_->release(base_);
}

Arena Arena::again(const Arena& other) {
  Arena a(other.purpose_);
  a.device_ = other.device_, a.base_ = other.base_, a.capacity_ = other.used_;
  return a;
}

Arena::Arena(Arena&& other) noexcept
    : purpose_(std::move(other.purpose_)),
      device_(other.device_),
      base_(std::exchange(other.base_, nullptr)),
      owned_(std::exchange(other.owned_, false)),
      capacity_(other.capacity_),
      used_(other.used_),
      tensors_(std::move(other.tensors_)) {}

Tensor Arena::add(const std::string& name, DType dtype, std::initializer_list<std::int64_t> shape) {
  Tensor t = tensor((device_ ? base_ : counting_base) + used_, dtype, shape);
  used_ += harness::round_up(t.bytes(), alignment);
  WARPATH_CHECK(!device_ || used_ <= capacity_,
                "the arena of " + purpose_ + " is smaller than what was counted");
  tensors_.push_back({name, t});
  return t;
}

Tensor Arena::shared(const std::string& name, DType dtype,
                     std::initializer_list<std::int64_t> shape) {
  const Named* const known = find(name);
  if (!known) return add(name, dtype, shape);
  const Tensor t = tensor(known->tensor.data, dtype, shape);
  WARPATH_CHECK(t.bytes() <= known->tensor.bytes(), "shared memory '" + name + "' is too small");
  return t;
}

const Named* Arena::find(const std::string& name) const {
  for (const Named& n : tensors_)
    if (n.name == name) return &n;
  return nullptr;
}

Tensor Arena::whole(DType dtype) const {
  return tensor(device_ ? base_ : counting_base, dtype,
                {used_ / static_cast<std::int64_t>(size_of(dtype))});
}

Memory::Memory(const Memory& counted, const harness::Device& device)
    : parameters("parameters", device, counted.parameters.bytes()),
      gradients("gradients", device, counted.gradients.bytes()),
      optimizer("optimizer", device, counted.optimizer.bytes()),
      inputs("inputs", device, counted.inputs.bytes()),
      activations("activations", device, counted.activations.bytes()),
      cache("cache", device, counted.cache.bytes()) {}

Memory::Memory(Arena p, Arena g, Arena o, Arena i, Arena a, Arena c)
    : parameters(std::move(p)),
      gradients(std::move(g)),
      optimizer(std::move(o)),
      inputs(std::move(i)),
      activations(std::move(a)),
      cache(std::move(c)) {}

Memory Memory::without_gradients(const Memory& counted, const harness::Device& device) {
  return {Arena("parameters", device, counted.parameters.bytes()),
          Arena("gradients"),
          Arena("optimizer"),
          Arena("inputs", device, counted.inputs.bytes()),
          Arena("activations", device, counted.activations.bytes()),
          Arena("cache", device, counted.cache.bytes())};
}

Memory Memory::with_other_inputs(const Memory& other, const Memory& counted,
                                 const harness::Device& device) {
  return {Arena::again(other.parameters),  Arena::again(other.gradients),
          Arena::again(other.optimizer),   Arena("inputs", device, counted.inputs.bytes()),
          Arena::again(other.activations), Arena::again(other.cache)};
}

Memory Memory::beside(const Memory& other) {
  return {
      Arena::again(other.parameters), Arena("gradients"),       Arena("optimizer"), Arena("inputs"),
      Arena("activations"),           Arena::again(other.cache)};
}

Memory Memory::beside(const Memory& other, const Memory& counted, const harness::Device& device) {
  return {Arena::again(other.parameters),
          Arena("gradients"),
          Arena("optimizer"),
          Arena("inputs", device, counted.inputs.bytes()),
          Arena("activations", device, counted.activations.bytes()),
          Arena::again(other.cache)};
}

}  // namespace warpath::models
