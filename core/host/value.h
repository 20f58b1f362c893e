// The value of a scalar argument as a case gives it: a number, yes or no, or the name of a choice.
#pragma once
#include <concepts>
#include <string>
#include <variant>

#include "core/host/contract.h"

namespace warpath {

class Value {
 public:
  template <class T>
  requires(std::integral<T> || std::floating_point<T>) && (!std::same_as<T, bool>)Value(T number)
      : held_(static_cast<double>(number)) {}
  template <std::same_as<bool> T>
  Value(T yes) : held_(yes) {}
  Value(const char* choice) : held_(std::string(choice)) {}
  Value(std::string choice) : held_(std::move(choice)) {}

  // As set_scalar() takes it: a choice by its index. Throws Error when the argument is of another kind.
  double stored(const ArgSpec& a) const;
  bool operator==(const Value&) const = default;

 private:
  std::variant<double, bool, std::string> held_;
};

}  // namespace warpath
