#include "models/parameters.h"

#include "models/random.h"

namespace warpath::models {

Parameter Parameters::add(Parameter p, std::initializer_list<std::int64_t> shape) {
  p.value = memory_.parameters.add(p.name, dtype_, shape);
  p.gradient = memory_.gradients.add(p.name, dtype_, shape);
  all_.push_back(p);
  return p;
}

Parameter Parameters::matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                             double deviation) {
  return add({name, {}, {}, 0, deviation, true}, {rows, columns});
}

Parameter Parameters::tensor(const std::string& name, std::initializer_list<std::int64_t> shape,
                             double deviation, bool decays) {
  return add({name, {}, {}, 0, deviation, decays}, shape);
}

Parameter Parameters::vector(const std::string& name, std::int64_t size, double mean) {
  return add({name, {}, {}, mean, 0, false}, {size});
}

std::int64_t Parameters::count() const {
  std::int64_t n = 0;
  for (const Parameter& p : all_) n += p.value.size();
  return n;
}

std::vector<float> first_values(const Parameter& p, std::size_t index, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(p.value.size()), static_cast<float>(p.mean));
  if (p.deviation == 0) return values;
  const Random random{seed, 1 + index};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(p.mean + p.deviation * random.normal(i));
  return values;
}

}  // namespace warpath::models
