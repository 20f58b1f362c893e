#include "models/diffusion.h"

#include <algorithm>
#include <cmath>

#include "harness/buffer.h"
#include "models/floats.h"
#include "ops/random/ddpm_step/ddpm_step.h"
#include "ops/random/noise/noise.h"

namespace warpath::models {

std::vector<float> alpha_bar_of(const Config& config) {
  const auto steps = static_cast<double>(config.times);
  const auto left = [&](double t) {  // of the cosine schedule, before step t
    const double x = std::cos((t / steps + 0.008) / 1.008 * 1.5707963267948966);
    return x * x;
  };
  std::vector<float> all;
  double product = 1;
  for (std::int64_t i = 0; i < config.times; ++i) {
    const auto t = static_cast<double>(i);
    const double even = config.times > 1 ? t / (steps - 1) : 0;
    const double beta = config.schedule == Schedule::linear
                            ? 1000 / steps * (1e-4 + (0.02 - 1e-4) * even)
                            : 1 - left(t + 1) / left(t);
    product *= 1 - std::min(beta, 0.999);
    all.push_back(static_cast<float>(product));
  }
  return all;
}

std::vector<std::int32_t> times_of(std::int64_t times, std::int64_t steps) {
  std::vector<std::int32_t> all;
  for (std::int64_t i = steps; i-- > 0;)
    all.push_back(static_cast<std::int32_t>(steps > 1 ? i * (times - 1) / (steps - 1) : times - 1));
  return all;
}

ImageDrawer::ImageDrawer(Backend& backend, const Config& config, DType dtype, std::int64_t images)
    : backend_(backend), config_(config), ops_(backend, false) {
  const Batch batch{images, config.context, false, 1, 0, 0};  // no backward pass
  const auto more = [&](Memory& memory, const Dit& model) {
    prediction_ = memory.activations.add("prediction", dtype,
                                         {model.patches().shape[0], model.patches().shape[1]});
    previous_ = memory.activations.add("previous", DType::i32, {images});
  };
  Memory counted;
  const Dit planned(config, batch, dtype, counted);
  more(counted, planned);
  planned.predict(ops_, prediction_);
  memory_.emplace(Memory::without_gradients(counted, backend.device()));
  model_.emplace(config, batch, dtype, *memory_);
  more(*memory_, *model_);
  ops_.allocate_scratch();
  model_->upload_constants(backend.device());
}

void ImageDrawer::step(const Drawing& drawing, std::int32_t time, std::int32_t previous,
                       std::int64_t number) {
  const std::int64_t images = previous_.size();
  const auto all = [&](std::int32_t x) {
    return std::vector<std::int32_t>(static_cast<std::size_t>(images), x);
  };
  upload_ints(backend_.device(), model_->times(), all(time));
  upload_ints(backend_.device(), previous_, all(previous));
  model_->predict(ops_, prediction_);
  const auto per_image = [&](const Tensor& t) { return reshaped(t, {images, t.size() / images}); };
  ddpm_step::Step args;
  args.x = args.y = per_image(model_->patches()), args.eps = per_image(prediction_);
  args.alpha_bar = model_->alpha_bar(), args.t = model_->times(), args.previous = previous_;
  args.sampler = drawing.ddim ? ddpm_step::Sampler::ddim : ddpm_step::Sampler::ddpm;
  args.eta = drawing.eta, args.clip = 1;
  args.seed = static_cast<std::int64_t>(drawing.seed), args.offset = number;
  ops_.call(args);
}

std::vector<float> ImageDrawer::draw(const Drawing& drawing) {
  noise::Args first;
  first.like = first.y = flat(model_->patches());
  first.seed = static_cast<std::int64_t>(drawing.seed);
  ops_.call(first);
  const std::vector<std::int32_t> times = times_of(config_.times, drawing.steps);
  for (std::size_t i = 0; i < times.size(); ++i)
    step(drawing, times[i], i + 1 < times.size() ? times[i + 1] : -1,
         static_cast<std::int64_t>(i) + 1);
  join_patches(ops_, config_, model_->patches(), model_->images());
  std::vector<float> images = download_floats(backend_.device(), model_->images());
  harness::must(backend_.device().synchronise());
  return images;
}

}  // namespace warpath::models
