#include "harness/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/host/error.h"

namespace warpath::harness {
namespace {

constexpr std::int64_t zone_bytes = 4096;  // bytes on each side: more than a row of a small matrix

char guard_byte(Zone zone, std::int64_t i) {
  return static_cast<char>(static_cast<std::uint16_t>(zone) >> (i % 2 == 0 ? 0 : 8));
}

std::vector<char> guard_bytes(Zone zone, std::int64_t n) {
  std::vector<char> bytes(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) bytes[static_cast<std::size_t>(i)] = guard_byte(zone, i);
  return bytes;
}

}  // namespace

void must(const char* device_error) {
  if (!device_error) return;
  // The source location inside the device library means nothing to whoever wrote the kernel.
  std::string text = device_error;
  if (const auto place = text.rfind(" ["); place != std::string::npos) text.resize(place);
  throw Error(text);
}

GuardedBuffer::GuardedBuffer(const Device& device, const Sanitizer* sanitizer, std::string name,
                             std::int64_t bytes, std::int64_t lead)
    : device_(&device),
      sanitizer_(sanitizer),
      name_(std::move(name)),
      bytes_(bytes),
      front_(lead + (sanitizer ? 0 : zone_bytes)),
      back_(sanitizer ? 0 : zone_bytes) {
  must(device.alloc(&base_, std::max<std::int64_t>(front_ + bytes_ + back_, 1)));
  lay_zones();
  if (sanitizer_) sanitizer_->name(data(), name_);
}

GuardedBuffer::~GuardedBuffer() {
  if (base_) device_->release(base_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : device_(other.device_),
      sanitizer_(other.sanitizer_),
      name_(std::move(other.name_)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(other.bytes_),
      front_(other.front_),
      back_(other.back_),
      zone_(other.zone_) {}

void GuardedBuffer::lay_zones() const {
  if (front_ > 0) must(device_->upload(base_, guard_bytes(zone_, front_).data(), front_));
  if (back_ > 0) must(device_->upload(end(), guard_bytes(zone_, back_).data(), back_));
}

void GuardedBuffer::surround(Zone zone) {
  if (zone == zone_) return;
  zone_ = zone;
  lay_zones();
}

void GuardedBuffer::poison(int byte, std::int64_t from) const {
  if (from >= bytes_) return;
  char* const begin = static_cast<char*>(data()) + from;
  must(device_->fill(begin, byte, bytes_ - from));
  if (sanitizer_) sanitizer_->forget(begin, bytes_ - from);
}

void GuardedBuffer::zero(std::int64_t bytes) const {
  if (bytes > 0) must(device_->fill(data(), 0, bytes));
}

std::string GuardedBuffer::damage() const {
  std::vector<char> seen(static_cast<std::size_t>(front_));
  if (front_ > 0) must(device_->download(seen.data(), base_, front_));
  for (std::int64_t i = front_ - 1; i >= 0; --i)
    if (seen[static_cast<std::size_t>(i)] != guard_byte(zone_, i))
      return fmt::format("wrote before the start of {} ({} bytes before it)", name_, front_ - i);
  seen.resize(static_cast<std::size_t>(back_));
  if (back_ > 0) must(device_->download(seen.data(), end(), back_));
  for (std::int64_t i = 0; i < back_; ++i)
    if (seen[static_cast<std::size_t>(i)] != guard_byte(zone_, i))
      return fmt::format("wrote past the end of {} (byte {} after it)", name_, i + 1);
  return {};
}

}  // namespace warpath::harness
