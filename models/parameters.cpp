#include "models/parameters.h"

#include <algorithm>

#include "models/floats.h"
#include "models/random.h"

namespace warpath::models {

Parameter Parameters::add(Parameter p, std::initializer_list<std::int64_t> shape) {
  p.value = memory_.parameters.add(p.name, dtype_, shape);
  if (tuning_.adapts()) return frozen_.emplace_back(p);
  p.gradient = memory_.gradients.add(p.name, dtype_, shape);
  return all_.emplace_back(p);
}

Parameter Parameters::linear(const std::string& name, std::int64_t rows, std::int64_t columns,
                             double deviation) {
  return linears({name}, {rows}, columns, deviation)[0];
}

std::vector<Parameter> Parameters::linears(const std::vector<std::string>& names,
                                           const std::vector<std::int64_t>& rows,
                                           std::int64_t columns, double deviation) {
  std::vector<Parameter> made;
  if (tuning_.form == Form::plain) {
    for (std::size_t i = 0; i < names.size(); ++i)
      made.push_back(matrix(names[i], rows[i], columns, deviation));
    return made;
  }
  const auto packed = Packed::make_all(memory_, names, tuning_.form, dtype_, rows, columns);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Tensor shape = models::tensor(nullptr, dtype_, {rows[i], columns});
    Parameter p = {names[i], shape, {}, 0, deviation, true};
    p.packed = packed[i];
    made.push_back((tuning_.adapts() ? frozen_ : all_).emplace_back(p));
  }
  return made;
}

Parameter Parameters::adapter(const std::string& name, std::int64_t rows, std::int64_t columns,
                              double reach) {
  Parameter p = {name, {}, {}, 0, 0, true, reach};
  p.value = memory_.parameters.add(name, dtype_, {rows, columns});
  p.gradient = memory_.gradients.add(name, dtype_, {rows, columns});
  return all_.emplace_back(p);
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
  for (const Parameter& p : base()) n += p.value.size();
  return n;
}

std::int64_t Parameters::trained_count() const {
  std::int64_t n = 0;
  for (const Parameter& p : all_) n += p.value.size();
  return n;
}

void Parameters::pack(Ops& ops) const {
  for (const Parameter& p : base())
    if (p.packed.there()) p.packed.pack(ops), p.packed.expand(ops);
}

void Parameters::check_targets() const {
  for (const std::string& target : tuning_.targets) {
    const Tuning one{.targets = {target}};
    const bool known = std::any_of(all_.begin(), all_.end(), [&](const Parameter& p) {
      return one.wants(p.name.substr(0, p.name.rfind(".lora_")));
    });
    if (!known) throw Error("no linear layer of the model is named '" + target + "'");
  }
}

std::vector<float> first_values(const Parameter& p, std::size_t index, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(p.value.size()), static_cast<float>(p.mean));
  if (p.reach != 0) {
    const Random random{seed, 1 + index};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(p.reach * (2 * random.uniform(i) - 1));
    return values;
  }
  if (p.deviation == 0) return values;
  const Random random{seed, 1 + index};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(p.mean + p.deviation * random.normal(i));
  return values;
}

void store_values(Ops& ops, const Parameter& p, const std::vector<float>& values) {
  upload_floats(ops.backend().device(), p.packed.there() ? p.packed.expanded : p.value, values);
  if (p.packed.there()) p.packed.pack(ops);
}

std::vector<float> values_of(Ops& ops, const Parameter& p) {
  if (p.packed.there()) p.packed.expand(ops);
  return download_floats(ops.backend().device(), p.packed.there() ? p.packed.expanded : p.value);
}

}  // namespace warpath::models
