#include "models/layers/time_embedding.h"

#include <cmath>

#include "models/floats.h"
#include "ops/elementwise/silu/silu.h"
#include "ops/layout/embedding/embedding.h"

namespace warpath::models {

TimeEmbedding::TimeEmbedding(const Build& b)
    : in_(Linear::out_in_bias(b, "time.0", b.config.width, b.config.width, 0.02)),
      out_(Linear::out_in_bias(b, "time.2", b.config.width, b.config.width, 0.02)),
      table_(b.activations.add("time.table", b.dtype(), {b.config.times, b.config.width})),
      times_(b.inputs.add("times", DType::i32, {b.batch})),
      waves_(b.activations.add("time.waves", b.dtype(), {b.batch, b.config.width})),
      before_(b.activations.add("time.before", b.dtype(), {b.batch, b.config.width})),
      after_(b.activations.add("time.after", b.dtype(), {b.batch, b.config.width})),
      c_(b.activations.add("time.c", b.dtype(), {b.batch, b.config.width})),
      output_(b.activations.add("time", b.dtype(), {b.batch, b.config.width})),
      d_after_(b.passing("d_time", {b.batch, b.config.width})) {}

void TimeEmbedding::forward(Ops& ops) const {
  embedding::Forward rows;
  rows.table = table_, rows.ids = reshaped(times_, {1, times_.size()});
  rows.y = reshaped(waves_, {1, waves_.shape[0], waves_.shape[1]});
  ops.call(rows);
  in_.forward(ops, waves_, before_);
  silu::Forward args;
  args.x = flat(before_), args.y = flat(after_);
  ops.call(args);
  out_.forward(ops, after_, c_);
  args.x = flat(c_), args.y = flat(output_);
  ops.call(args);
}

void TimeEmbedding::backward(Ops& ops, const Tensor& dy) const {
  silu::Backward args;  // in place
  args.x = flat(c_), args.dy = flat(dy), args.dx = flat(dy);
  ops.call(args);
  out_.backward(ops, after_, dy, d_after_);
  args.x = flat(before_), args.dy = flat(d_after_), args.dx = flat(d_after_);
  ops.call(args);
  in_.backward(ops, waves_, d_after_, {});
}

// Frequencies from 1 down to 1/10000, as in "Attention is all you need": cosines in the first half of a row, then sines.
void TimeEmbedding::upload_constants(const harness::Device& device) const {
  const std::int64_t half = table_.shape[1] / 2;
  std::vector<float> table;
  for (std::int64_t t = 0; t < table_.shape[0]; ++t)
    for (std::int64_t i = 0; i < 2 * half; ++i) {
      const double angle =
          static_cast<double>(t) *
          std::pow(10000.0, -static_cast<double>(i % half) / static_cast<double>(half));
      table.push_back(static_cast<float>(i < half ? std::cos(angle) : std::sin(angle)));
    }
  upload_floats(device, table_, table);
}

}  // namespace warpath::models
