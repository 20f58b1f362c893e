#include "faults/divide.h"

#include <ucontext.h>

#include <cstdint>
#include <cstring>

namespace simt {

#if defined(__x86_64__)

namespace {

// In the order in which instructions number them.
constexpr int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                               REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                               REG_R12, REG_R13, REG_R14, REG_R15};

// One DIV or IDIV, taken apart.
class Division {
 public:
  explicit Division(greg_t* gregs)
      : gregs_(gregs), at_(reinterpret_cast<const unsigned char*>(gregs[REG_RIP])) {}

  bool finish() {
    while (*at_ == 0x66 || (*at_ & 0xf0) == 0x40) {
      if (*at_ == 0x66) {
        bytes_ = 2;
      } else {
        rex_ = *at_;
      }
      ++at_;
    }
    if (rex_ & 8) bytes_ = 8;
    const unsigned char code = *at_++;
    if (code != 0xf6 && code != 0xf7) return false;
    if (code == 0xf6) bytes_ = 1;
    const unsigned char mode = *at_++;
    const int kind = mode >> 3 & 7;
    if (kind != 6 && kind != 7) return false;
    const std::uint64_t divisor = operand(mode) & mask();
    // Nothing else than zero or an overflow traps; the quotient overflows to the smallest number.
    const std::uint64_t smallest = mask() / 2 + 1;
    if (divisor == 0) {
      // A GPU divides numbers of 64 bits as such of 32 where they fit.
      const bool fits = bytes_ == 8 && value(0) >> 32 == 0;
      const std::uint64_t ones = fits ? 0xffffffffu : mask();
      store(ones, ones);
    } else {
      store(smallest, 0);
    }
    gregs_[REG_RIP] = reinterpret_cast<greg_t>(at_);
    return true;
  }

 private:
  std::uint64_t mask() const { return bytes_ == 8 ? ~std::uint64_t{0} : (1ull << bytes_ * 8) - 1; }
  std::uint64_t value(int number) const {
    return static_cast<std::uint64_t>(gregs_[registers[number]]);
  }

  template <class T>
  std::int64_t number() {
    T n;
    std::memcpy(&n, at_, sizeof n);
    at_ += sizeof n;
    return n;
  }

  std::uint64_t operand(unsigned char mode) {
    const int kind = mode >> 6, base = mode & 7;
    if (kind == 3) return register_operand(base | (rex_ & 1) << 3);
    std::uint64_t address = 0;
    bool relative = false;
    if (base == 4) {
      const unsigned char scaled = *at_++;
      const int index = (scaled >> 3 & 7) | (rex_ & 2) << 2;
      if (index != 4) address += value(index) << (scaled >> 6);
      const bool no_base = (scaled & 7) == 5 && kind == 0;
      address += no_base ? static_cast<std::uint64_t>(number<std::int32_t>())
                         : value((scaled & 7) | (rex_ & 1) << 3);
    } else if (base == 5 && kind == 0) {
      address = static_cast<std::uint64_t>(number<std::int32_t>());
      relative = true;
    } else {
      address = value(base | (rex_ & 1) << 3);
    }
    if (kind == 1) address += static_cast<std::uint64_t>(number<std::int8_t>());
    if (kind == 2) address += static_cast<std::uint64_t>(number<std::int32_t>());
    if (relative) address += reinterpret_cast<std::uint64_t>(at_);
    std::uint64_t found = 0;
    std::memcpy(&found, reinterpret_cast<const void*>(address), static_cast<std::size_t>(bytes_));
    return found;
  }

  // Without a REX prefix, byte registers 4 to 7 are the second bytes of the first four.
  std::uint64_t register_operand(int number) const {
    if (bytes_ == 1 && rex_ == 0 && number >= 4) return value(number - 4) >> 8;
    return value(number);
  }

  void set(int number, std::uint64_t v) {
    auto& to = reinterpret_cast<std::uint64_t&>(gregs_[registers[number]]);
    to = bytes_ == 4 ? v : (to & ~mask()) | v;  // four bytes clear the upper half
  }
  void store(std::uint64_t quotient, std::uint64_t remainder) {
    if (bytes_ == 1) {
      auto& a = reinterpret_cast<std::uint64_t&>(gregs_[REG_RAX]);
      a = (a & ~std::uint64_t{0xffff}) | remainder << 8 | quotient;
    } else {
      set(0, quotient);
      set(2, remainder);
    }
  }

  greg_t* gregs_;
  const unsigned char* at_;
  unsigned char rex_ = 0;
  int bytes_ = 4;
};

}  // namespace

bool finish_division(void* context) {
  return Division(static_cast<ucontext_t*>(context)->uc_mcontext.gregs).finish();
}

#else

// Elsewhere divisions do not trap.
bool finish_division(void*) {
  return false;
}

#endif

}  // namespace simt
