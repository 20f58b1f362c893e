#include "cli/models/generate_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/select.h"
#include "cli/terminal.h"
#include "models/checkpoint.h"
#include "models/diffusion.h"
#include "models/files.h"
#include "models/png.h"

namespace warpath::cli {
namespace {

// -1 is black, 1 is white; (channels, rows, columns) become (rows, columns, channels).
std::vector<std::uint8_t> pixels_of(const float* image, std::int64_t channels, std::int64_t size) {
  std::vector<std::uint8_t> pixels;
  for (std::int64_t i = 0; i < size * size; ++i)
    for (std::int64_t c = 0; c < channels; ++c) {
      const double x =
          std::clamp((static_cast<double>(image[c * size * size + i]) + 1) / 2, 0.0, 1.0);
      pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * x)));
    }
  return pixels;
}

models::Drawing drawing_of(const Options& o, const models::Config& config) {
  const GenerateOptions& g = o.generate;
  if (g.images < 1 || g.images > 4096)
    throw Refusal(fmt::format("--images {}: 1 to 4096", g.images));
  if (g.sampler != "ddim" && g.sampler != "ddpm")
    throw Refusal(fmt::format("--sampler {}: ddim and ddpm are known", g.sampler));
  if (g.sampling_steps < 1 || g.sampling_steps > config.times)
    throw Refusal(fmt::format("--sampling-steps {}: the model knows {} times", g.sampling_steps,
                              config.times));
  if (!(g.eta >= 0 && g.eta <= 1)) throw Refusal("--eta is between 0 and 1");
  if (config.channels != 1 && config.channels != 3)
    throw Refusal(fmt::format("images of {} channels are no PNG", config.channels));
  return {g.sampler == "ddim", g.sampling_steps, g.eta, o.seed};
}

}  // namespace

int generate_images(const Options& o, const harness::Places& places, const GenerateModel& m) {
  const GenerateOptions& g = o.generate;
  const models::Config& config = m.config;
  const models::Drawing drawing = drawing_of(o, config);
  if (!g.prompts.empty()) throw Refusal("a diffusion model takes no --prompt");
  models::Backend backend(places, choose_backend(places, o.backend).name);
  models::ImageDrawer drawer(backend, config, m.dtype, g.images);
  models::load_weights(m.folder / "model.safetensors", backend.device(), drawer.parameters());

  const auto begin = std::chrono::steady_clock::now();
  const std::vector<float> images = drawer.draw(drawing);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::error_code error;
  std::filesystem::create_directories(g.out, error);
  const std::int64_t each = config.channels * config.image * config.image;
  const auto size = static_cast<std::uint32_t>(config.image);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (int i = 0; i < g.images; ++i) {
    const std::string file =
        (std::filesystem::path(g.out) / fmt::format("image-{:03}.png", i)).string();
    const auto pixels = pixels_of(images.data() + i * each, config.channels, config.image);
    models::write_whole(file,
                        models::png_of(pixels, size, size, static_cast<int>(config.channels)));
    files.push_back(file);
  }
  if (o.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"images", files}, {"seconds", seconds}}).dump());
    return all_passed;
  }
  fmt::print("{} images of {} x {} pixels in {}, {} steps of {}, {:.1f} s\n", g.images,
             config.image, config.image, g.out, drawing.steps, g.sampler, seconds);
  fmt::print("{} --seed 1 draws others; --sampler ddpm --sampling-steps {} visits every time\n",
             paint(Tone::note, "next:"), config.times);
  return all_passed;
}

}  // namespace warpath::cli
