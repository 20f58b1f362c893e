// Device memory between two guard zones. Used in worker processes only.
#pragma once
#include <cstdint>
#include <string>

#include "harness/device/device.h"
#include "harness/sanitizer.h"

namespace warpath::harness {

// Throws Error with the device's text.
void must(const char* device_error);

// What lies around the data, in every 16 bits. A NaN as f16, bf16, f32 and f64, and a huge integer: a read past the end
// shows in the result. A sum of what two inputs have there is the NaN of one of them, so it must not be the NaN around
// an output: the write past its end would leave no trace. And what is changed in place stays NaN, but a number does not.
enum class Zone : std::uint16_t { input = 0x7FFE, output = 0x7FFD, number = 0x3C3C };

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
  void surround(Zone zone);
  // Empty, or which memory around the data was overwritten.
  std::string damage() const;

 private:
  void lay_zones() const;
  void* end() const { return static_cast<char*>(data()) + bytes_; }

  const Device* device_;
  const Sanitizer* sanitizer_;
  std::string name_;
  void* base_ = nullptr;
  std::int64_t bytes_, front_, back_;
  Zone zone_ = Zone::input;
};

}  // namespace warpath::harness
