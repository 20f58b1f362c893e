// The rows of the tokens, and in GPT-2 those of their positions too.
#pragma once
#include "models/build.h"
#include "models/call.h"

namespace warpath::models {

class Embedding {
 public:
  Embedding(const Build& b, const Tensor& tokens);

  void forward(Ops& ops, const Tensor& y) const;
  // Where the head uses the table too, the table's gradient is added to what the head has written.
  void backward(Ops& ops, const Tensor& dy) const;

  const Parameter& table() const { return table_; }
  const Tensor& positions() const { return positions_; }
  void upload_constants(const harness::Device& device) const;

 private:
  Tensor sequences(const Tensor& rows) const;

  bool has_positions_, tied_, trains_;
  Tensor tokens_, positions_, d_table_;
  Parameter table_, position_table_;
};

}  // namespace warpath::models
