#include "core/host/value.h"

#include <cmath>

#include "core/host/args.h"
#include "core/host/error.h"

namespace warpath {

double Value::stored(const ArgSpec& a) const {
  const auto wrong = [&](const std::string& wanted) {
    return Error("scalar '" + a.name + "' must be " + wanted);
  };
  switch (a.scalar) {
    case ScalarType::choice: {
      const auto* choice = std::get_if<std::string>(&held_);
      const auto found = choice ? find_choice(a, *choice) : std::nullopt;
      if (found) return *found;
      std::string all;
      for (const std::string& c : a.choices) all += (all.empty() ? "" : ", ") + c;
      throw wrong("one of: " + all);
    }
    case ScalarType::boolean:
      if (const auto* yes = std::get_if<bool>(&held_)) return *yes ? 1 : 0;
      throw wrong("true or false");
    case ScalarType::integer:
      if (const auto* n = std::get_if<double>(&held_); n && *n == std::floor(*n)) return *n;
      throw wrong("a whole number");
    case ScalarType::real:
      if (const auto* x = std::get_if<double>(&held_)) return *x;
      throw wrong("a number");
  }
  return 0;
}

}  // namespace warpath
