// The parameters of a model: values and gradients, in the same order in two arenas. With adapters the model's own have no
// gradients, and its matrices may be packed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/packed.h"
#include "models/tuning.h"

namespace warpath::models {

struct Parameter {
  std::string name;  // as Hugging Face has it
  Tensor value, gradient;
  double mean = 0, deviation = 0;  // of its first values, which are normally distributed
  bool decays = false;             // by weight decay: matrices do, biases and norms do not
  double reach = 0;                // they are uniform from -reach to reach where it is not zero
  Packed packed = {};              // in place of `value`, which then has a shape alone
};

class Parameters {
 public:
  Parameters(Memory& memory, DType dtype, const Tuning& tuning = {})
      : memory_(memory), dtype_(dtype), tuning_(tuning) {}

  Parameter matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                   double deviation);
  // In the shape that its file has; `decays` as in Parameter.
  Parameter tensor(const std::string& name, std::initializer_list<std::int64_t> shape,
                   double deviation, bool decays);
  Parameter vector(const std::string& name, std::int64_t size, double mean);
  // A matrix of a linear layer: packed where the tuning says so.
  Parameter linear(const std::string& name, std::int64_t rows, std::int64_t columns,
                   double deviation);
  // Several with as many columns, of `rows` each, one behind the other in memory where each of them fills the arena's
  // alignment: together they are one matrix.
  std::vector<Parameter> linears(const std::vector<std::string>& names,
                                 const std::vector<std::int64_t>& rows, std::int64_t columns,
                                 double deviation);
  // One of a pair beside a matrix: trained, and no part of the model's own files.
  Parameter adapter(const std::string& name, std::int64_t rows, std::int64_t columns, double reach);

  const std::vector<Parameter>& all() const { return all_; }  // that are trained
  // The model's own, as its files have them; the same as all() without adapters.
  const std::vector<Parameter>& base() const { return tuning_.adapts() ? frozen_ : all_; }
  const Tuning& tuning() const { return tuning_; }
  DType dtype() const { return dtype_; }
  std::int64_t count() const;          // of numbers in base()
  std::int64_t trained_count() const;  // and in all()
  // Packs all that is packed: in a dry run, so that the scratch memory for it is counted.
  void pack(Ops& ops) const;
  // Throws Error where a target of the adapters is no module of this model.
  void check_targets() const;

 private:
  Parameter add(Parameter p, std::initializer_list<std::int64_t> shape);

  Memory& memory_;
  DType dtype_;
  Tuning tuning_;
  std::vector<Parameter> all_, frozen_;
};

// The first values of parameter `index` in f32. They depend on the seed and the index alone.
std::vector<float> first_values(const Parameter& p, std::size_t index, std::uint64_t seed);

// Puts values into a parameter, packed where it is.
void store_values(Ops& ops, const Parameter& p, const std::vector<float>& values);
// What it holds, expanded where it is packed.
std::vector<float> values_of(Ops& ops, const Parameter& p);

}  // namespace warpath::models
