// Device memory between two guard zones. Used in worker processes only.
#pragma once
#include <cstdint>
#include <string>

#include "harness/device/device.h"

namespace warpath::harness {

// Throws Error with the device's text.
void must(const char* device_error);

class GuardedBuffer {
 public:
  // The data starts `lead` bytes past an aligned address.
  GuardedBuffer(const Device& device, std::string name, std::int64_t bytes, std::int64_t lead);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  void* data() const { return static_cast<char*>(base_) + front_; }
  std::int64_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  void poison(int byte) const;
  // Empty, or what was done to the memory around the data.
  std::string damage() const;

 private:
  const Device* device_;
  std::string name_;
  void* base_ = nullptr;
  std::int64_t bytes_, front_;
};

}  // namespace warpath::harness
