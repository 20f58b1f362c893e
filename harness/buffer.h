// Device memory between two guard zones. Used in worker processes only.
#pragma once
#include <cstdint>
#include <string>

#include "harness/device/device.h"
#include "harness/sanitizer.h"

namespace warpath::harness {

// Throws Error with the device's text.
void must(const char* device_error);

class GuardedBuffer {
 public:
  // The data starts `lead` bytes past an aligned address.
  // With a sanitizer there are no zones: it detects accesses outside of an allocation itself.
  GuardedBuffer(const Device& device, const Sanitizer* sanitizer, std::string name,
                std::int64_t bytes, std::int64_t lead);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  void* data() const { return static_cast<char*>(base_) + front_; }
  std::int64_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  void poison(int byte, std::int64_t from = 0) const;  // counts as not written
  void zero(std::int64_t bytes) const;                 // the first ones; counts as written
  // Empty, or which memory around the data was overwritten.
  std::string damage() const;

 private:
  void* end() const { return static_cast<char*>(data()) + bytes_; }

  const Device* device_;
  const Sanitizer* sanitizer_;
  std::string name_;
  void* base_ = nullptr;
  std::int64_t bytes_, front_, back_;
};

}  // namespace warpath::harness
