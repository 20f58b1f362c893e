// The parameters of a model: values and gradients, in the same order in two arenas.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/arena.h"

namespace warpath::models {

struct Parameter {
  std::string name;  // as Hugging Face has it
  Tensor value, gradient;
  double mean = 0, deviation = 0;  // of its first values, which are normally distributed
  bool decays = false;             // by weight decay: matrices do, biases and norms do not
};

class Parameters {
 public:
  Parameters(Memory& memory, DType dtype) : memory_(memory), dtype_(dtype) {}

  Parameter matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                   double deviation);
  // In the shape that its file has; `decays` as in Parameter.
  Parameter tensor(const std::string& name, std::initializer_list<std::int64_t> shape,
                   double deviation, bool decays);
  Parameter vector(const std::string& name, std::int64_t size, double mean);

  const std::vector<Parameter>& all() const { return all_; }
  DType dtype() const { return dtype_; }
  std::int64_t count() const;  // of numbers

 private:
  Parameter add(Parameter p, std::initializer_list<std::int64_t> shape);

  Memory& memory_;
  DType dtype_;
  std::vector<Parameter> all_;
};

// The first values of parameter `index` in f32. They depend on the seed and the index alone.
std::vector<float> first_values(const Parameter& p, std::size_t index, std::uint64_t seed);

}  // namespace warpath::models
