#include "ops/image/patchify/patchify.h"

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::patchify {

// Calls f(place in the image, place in the patches) for every element.
template <class F>
static void each_place(const Tensor& x, F&& f) {
  const auto [batch, channels, rows, height, cols, width] = x.shape;
  parallel_for(batch * channels, 4,
               [&, channels = channels, rows = rows, height = height, cols = cols,
                width = width](std::int64_t bc) {
                 const std::int64_t b = bc / channels, c = bc % channels;
                 for (std::int64_t r = 0; r < rows; ++r)
                   for (std::int64_t h = 0; h < height; ++h)
                     for (std::int64_t s = 0; s < cols; ++s)
                       for (std::int64_t w = 0; w < width; ++w)
                         f((((bc * rows + r) * height + h) * cols + s) * width + w,
                           ((((b * rows + r) * cols + s) * channels + c) * height + h) * width + w);
               });
}

static void forward_reference(const Forward& args, const Forward&) {
  const double* const x = args.x.as<double>();
  double* const y = args.y.as<double>();
  each_place(args.x,
             [=](std::int64_t in_image, std::int64_t in_patches) { y[in_patches] = x[in_image]; });
}
static void backward_reference(const Backward& args, const Backward&) {
  const double* const y = args.y.as<double>();
  double* const x = args.x.as<double>();
  each_place(args.x,
             [=](std::int64_t in_image, std::int64_t in_patches) { x[in_image] = y[in_patches]; });
}

template <class Args>
static Tolerance exact(const Args&) {
  return {.out_ulps = 0, .f32_ulps = 0};
}
template <class Args>
static Cost cost(const Args& args) {
  return {.flops = 0, .bytes = 2.0 * static_cast<double>(args.x.bytes())};
}

static std::vector<Case> cases() {
  // Batch, channels, rows of patches, their height, columns of patches, their width.
  const auto sized = [](const char* name, std::int64_t b, std::int64_t c, std::int64_t r,
                        std::int64_t h, std::int64_t s, std::int64_t w, Case extra = {}) {
    extra.name = name;
    extra.dims = {{"batch", b},  {"channels", c}, {"rows", r},
                  {"height", h}, {"cols", s},     {"width", w}};
    return extra;
  };
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  return {
      sized("empty", 0, 3, 2, 4, 2, 4),
      sized("no columns", 2, 3, 2, 4, 0, 4),
      sized("one", 1, 1, 1, 1, 1, 1),
      sized("pixels", 2, 3, 5, 1, 7, 1),
      sized("one patch", 2, 3, 1, 8, 1, 8),
      sized("16 x 16", 1, 3, 2, 16, 3, 16),
      sized("8 x 8", 2, 3, 3, 8, 5, 8),
      sized("14 x 14", 2, 3, 2, 14, 3, 14),
      sized("latents", 3, 4, 4, 2, 4, 2),
      sized("4 x 4", 5, 3, 2, 4, 6, 4),
      sized("odd", 2, 3, 3, 5, 7, 3),
      sized("not square", 2, 2, 3, 2, 4, 8),
      sized("tall", 1, 2, 3, 8, 4, 2),
      sized("many columns", 1, 3, 1, 4, 300, 4),
      sized("long band", 1, 2, 2, 16, 40, 16),
      sized("wide patches", 1, 1, 2, 2, 3, 520),
      sized("large patches", 1, 3, 1, 64, 2, 72),
      sized("misaligned", 2, 3, 2, 8, 3, 8, {.offset = 1}),
      sized("half-aligned", 2, 3, 2, 4, 3, 4, {.offset = 2}),
      sized("special", 2, 3, 2, 8, 2, 8, {.fill = Fill::special}),
      sized("ViT-B/16", 256, 3, 14, 16, 14, 16, {.dtypes = timed, .bench = true}),
      sized("ViT-L/14", 256, 3, 16, 14, 16, 14, {.dtypes = timed, .bench = true}),
      sized("DiT/2", 1024, 4, 32, 2, 32, 2, {.dtypes = timed, .bench = true}),
  };
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = cases, .cost = cost<Forward>,
           .tolerance = exact<Forward>);
WARPATH_OP(Backward, .reference = backward_reference, .cases = cases, .cost = cost<Backward>,
           .tolerance = exact<Backward>);

}  // namespace warpath::patchify
