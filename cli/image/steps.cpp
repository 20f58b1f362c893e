#include "cli/image/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "cli/image/files.h"
#include "cli/op_names.h"
#include "cli/options.h"
#include "harness/buffer.h"
#include "models/call.h"
#include "models/tensor.h"
#include "ops/image/augment/augment.h"
#include "ops/image/blur/blur.h"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/resize/resize.h"

namespace warpath::cli {
namespace {

using models::tensor;

// Device memory with the values of a tensor.
class OnDevice {
 public:
  OnDevice(const harness::Device& device, const Tensor& shaped) : device_(device), tensor_(shaped) {
    harness::must(device_.alloc(&tensor_.data, std::max<std::int64_t>(tensor_.bytes(), 1)));
  }
  ~OnDevice() { device_.release(tensor_.data); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  const Tensor& get() const { return tensor_; }
  void upload(const void* from) {
    harness::must(device_.upload(tensor_.data, from, tensor_.bytes()));
  }
  void download(void* to) const {
    harness::must(device_.synchronise());
    harness::must(device_.download(to, tensor_.data, tensor_.bytes()));
  }

 private:
  const harness::Device& device_;
  Tensor tensor_;
};

// The call as models make theirs: once to learn how much scratch memory its rung wants, once in earnest.
template <class Args>
void launch(models::Backend& backend, const Args& args, std::vector<Ran>& ran) {
  models::Ops ops(backend, false);
  ops.set_layer("image");
  ops.call(args);
  ops.allocate_scratch();
  ops.begin_profile();
  ops.call(args);
  for (const models::Launch& l : ops.end_profile()) ran.push_back({l.op, l.rung, l.microseconds});
}

template <class Args>
void set_options(Args& args, const Step& step) {
  for (const auto& [name, value] : step.options)
    set_scalar(&args, *step.contract.find(name), value);
}

// --- how values are handed to an op -----------------------------------------------------------------------------------

bool is_opaque(const Picture& p) {
  if (!p.has_alpha()) return true;
  for (std::int64_t i = p.channels - 1; i < p.values(); i += p.channels)
    if (p.at(i) != p.most()) return false;
  return true;
}

// A mean over neighbours counts a colour by how much of it is seen: colours times alpha. Such pictures, and those of 16 bits,
// are floats to the op.
class Values {
 public:
  explicit Values(const Picture& p)
      : as_bytes_(p.bits == 8 && is_opaque(p)), weighted_(!is_opaque(p)) {
    if (as_bytes_) return;
    floats_.resize(static_cast<std::size_t>(p.values()));
    for (std::int64_t i = 0; i < p.values(); ++i) {
      auto v = static_cast<float>(p.at(i));
      const std::int64_t alpha = i / p.channels * p.channels + p.channels - 1;
      if (weighted_ && i != alpha)
        v *= static_cast<float>(p.at(alpha)) / static_cast<float>(p.most());
      floats_[static_cast<std::size_t>(i)] = v;
    }
  }

  DType dtype() const { return as_bytes_ ? DType::u8 : DType::f32; }
  const void* from(const Picture& p) const {
    return as_bytes_ ? static_cast<const void*>(p.data.data()) : floats_.data();
  }
  // Into a picture that has its size already.
  void take(const OnDevice& result, Picture& p) {
    if (as_bytes_) return result.download(p.data.data());
    floats_.resize(static_cast<std::size_t>(p.values()));
    result.download(floats_.data());
    for (std::int64_t i = 0; i < p.values(); ++i) {
      double v = static_cast<double>(floats_[static_cast<std::size_t>(i)]);
      const std::int64_t at = i / p.channels * p.channels + p.channels - 1;
      const auto alpha = static_cast<double>(floats_[static_cast<std::size_t>(at)]);
      if (weighted_ && i != at) v = alpha > 0 ? v / alpha * p.most() : 0;
      p.set(i, static_cast<unsigned>(std::lround(std::clamp<double>(v, 0, p.most()))));
    }
  }

 private:
  bool as_bytes_, weighted_;
  std::vector<float> floats_;
};

// --- the steps --------------------------------------------------------------------------------------------------------

Picture run_grayscale(models::Backend& backend, const Step&, const Picture& p,
                      std::vector<Ran>& ran) {
  if (p.colours() == 1) return p;
  const harness::Device& device = backend.device();
  // Alpha stays as it is, and a colour is grey by itself: bytes are bytes even where they are transparent.
  Picture grey = Picture::of(p.width, p.height, 1, p.bits);
  std::vector<float> floats;
  const void* from = p.data.data();
  const DType dtype = p.bits == 8 ? DType::u8 : DType::f32;
  if (dtype == DType::f32) {
    for (std::int64_t i = 0; i < p.values(); ++i) floats.push_back(static_cast<float>(p.at(i)));
    from = floats.data();
  }
  OnDevice x(device, tensor(nullptr, dtype, {p.pixels(), p.channels}));
  OnDevice y(device, tensor(nullptr, dtype, {p.pixels()}));
  x.upload(from);
  launch(backend, grayscale::Packed{x.get(), y.get()}, ran);
  if (dtype == DType::u8) {
    y.download(grey.data.data());
  } else {
    floats.resize(static_cast<std::size_t>(p.pixels()));
    y.download(floats.data());
    for (std::int64_t i = 0; i < p.pixels(); ++i)
      grey.set(i, static_cast<unsigned>(std::lround(floats[static_cast<std::size_t>(i)])));
  }
  if (!p.has_alpha()) return grey;
  Picture both = Picture::of(p.width, p.height, 2, p.bits);
  for (std::int64_t i = 0; i < p.pixels(); ++i) {
    both.set(2 * i, grey.at(i));
    both.set(2 * i + 1, p.at(4 * i + 3));
  }
  return both;
}

Picture run_blur(models::Backend& backend, const Step& step, const Picture& p,
                 std::vector<Ran>& ran) {
  blur::Args args;
  set_options(args, step);
  Values values(p);
  const Tensor shape = tensor(nullptr, values.dtype(), {1, p.height, p.width, p.channels});
  OnDevice x(backend.device(), shape), y(backend.device(), shape);
  x.upload(values.from(p));
  args.x = x.get();
  args.y = y.get();
  launch(backend, args, ran);
  Picture result = Picture::of(p.width, p.height, p.channels, p.bits);
  values.take(y, result);
  return result;
}

// A tensor that is not read and only has a shape.
Tensor like(void* any, std::int64_t height, std::int64_t width) {
  Tensor t = tensor(any, DType::f32, {height, width});
  t.stride = {0, 0};
  return t;
}

std::pair<std::int64_t, std::int64_t> size_in_pixels(const Step& step, const Picture& p) {
  const Size& s = step.size;
  const auto side = [&](double given, std::int64_t own) {
    const double wanted = s.percent ? given / 100 * static_cast<double>(own) : given;
    return static_cast<std::int64_t>(std::clamp(std::round(wanted), 1.0, 1e9));
  };
  const std::int64_t width = side(s.width, p.width), height = side(s.height, p.height);
  try {
    check_picture_size(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height));
  } catch (const Refusal& e) {
    throw Refusal(fmt::format("{}: {}", step.text, e.what()));
  }
  return {width, height};
}

Picture run_resize(models::Backend& backend, const Step& step, const Picture& p,
                   std::vector<Ran>& ran) {
  const auto [width, height] = size_in_pixels(step, p);
  resize::Args args;
  set_options(args, step);
  Values values(p);
  OnDevice x(backend.device(), tensor(nullptr, values.dtype(), {1, p.height, p.width, p.channels}));
  OnDevice y(backend.device(), tensor(nullptr, values.dtype(), {1, height, width, p.channels}));
  x.upload(values.from(p));
  args.x = x.get();
  args.like = like(x.get().data, height, width);
  args.y = y.get();
  launch(backend, args, ran);
  Picture result = Picture::of(width, height, p.channels, p.bits);
  values.take(y, result);
  return result;
}

// The op takes three channels of bytes. `channel` of the picture, or its colours (-1), as three of them.
Picture three_channels(const Picture& p, int channel) {
  Picture three = Picture::of(p.width, p.height, 3, 8);
  for (std::int64_t i = 0; i < p.pixels(); ++i)
    for (int c = 0; c < 3; ++c)
      three.set(3 * i + c, p.at(i * p.channels + (channel >= 0       ? channel
                                                  : p.colours() == 3 ? c
                                                                     : 0)));
  return three;
}

std::vector<float> augmented(models::Backend& backend, augment::Args args, const Picture& three,
                             std::int64_t width, std::int64_t height, std::vector<Ran>& ran) {
  const harness::Device& device = backend.device();
  OnDevice x(device, tensor(nullptr, DType::u8, {1, three.height, three.width, 3}));
  OnDevice mean(device, tensor(nullptr, DType::f32, {3})),
      std(device, tensor(nullptr, DType::f32, {3}));
  OnDevice y(device, tensor(nullptr, DType::f32, {1, 3, height, width}));
  constexpr float zeros[3] = {0, 0, 0}, ones[3] = {1, 1, 1};
  x.upload(three.data.data());
  mean.upload(zeros);
  std.upload(ones);
  args.x = x.get();
  args.like = like(y.get().data, height, width);
  args.mean = mean.get();
  args.std = std.get();
  args.y = y.get();
  launch(backend, args, ran);
  std::vector<float> planes(static_cast<std::size_t>(3 * width * height));
  y.download(planes.data());
  return planes;
}

Picture run_augment(models::Backend& backend, const Step& step, const Picture& picture,
                    std::vector<Ran>& ran) {
  const Picture p = in_bytes(picture);
  const auto [width, height] = size_in_pixels(step, p);
  augment::Args args;
  set_options(args, step);
  if (width > p.width + 2 * args.padding || height > p.height + 2 * args.padding)
    throw Refusal(fmt::format("{}: a crop of {}x{} does not fit into {}x{} and a padding of {}",
                              step.text, width, height, p.width, p.height, args.padding));
  Picture result = Picture::of(width, height, p.channels, 8);
  const std::int64_t pixels = result.pixels();
  const auto put = [&](const std::vector<float>& planes, int first, int count) {
    for (std::int64_t i = 0; i < pixels; ++i)
      for (int c = 0; c < count; ++c) {
        const float v = planes[static_cast<std::size_t>(c * pixels + i)];
        result.set(i * p.channels + first + c,
                   static_cast<unsigned>(std::lround(std::clamp(v, 0.0f, 1.0f) * 255)));
      }
  };
  put(augmented(backend, args, three_channels(p, -1), width, height, ran), 0, p.colours());
  if (p.has_alpha()) {  // moved as the colours are, by the same draws
    args.brightness = args.contrast = args.saturation = 0;
    put(augmented(backend, args, three_channels(p, p.colours()), width, height, ran), p.colours(),
        1);
  }
  return result;
}

// --- what a person types ----------------------------------------------------------------------------------------------

struct Kind {
  const char* op;
  Contract (*contract)();
  Picture (*run)(models::Backend&, const Step&, const Picture&, std::vector<Ran>&);
  const char* number;  // the option that a bare number is; null: none
  const char* size;  // how a size is told: "" as a bare word, else the name before '='; null: none
  std::vector<std::pair<std::string, double>> fallbacks;  // where they are not the contract's
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {grayscale::Packed::op, grayscale::Packed::contract, run_grayscale, nullptr, nullptr, {}},
      {blur::Args::op, blur::Args::contract, run_blur, "size", nullptr, {}},
      {resize::Args::op, resize::Args::contract, run_resize, nullptr, "", {}},
      {augment::Args::op,
       augment::Args::contract,
       run_augment,
       nullptr,
       "crop",
       {{"rotation", 15}, {"brightness", 0.4}, {"contrast", 0.4}, {"saturation", 0.4}}},
  };
  return all;
}

const Kind* find_kind(const std::string& op) {
  for (const Kind& k : kinds())
    if (op == k.op) return &k;
  return nullptr;
}

// All of the text, or nothing.
std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return {};
  return value;
}

// "640x480", "50%"
std::optional<Size> size_in(const std::string& text) {
  Size s;
  if (text.ends_with('%')) {
    const auto value = number_in(text.substr(0, text.size() - 1));
    if (!value || *value <= 0) return {};
    s.width = s.height = *value;
    return s;
  }
  const std::size_t x = text.find('x');
  if (x == std::string::npos) return {};
  const auto width = number_in(text.substr(0, x)), height = number_in(text.substr(x + 1));
  const auto whole = [](const auto& v) { return v && *v >= 1 && *v == std::floor(*v); };
  if (!whole(width) || !whole(height)) return {};
  return Size{*width, *height, false};
}

std::vector<std::string> known_words(const Kind& kind, const Contract& contract) {
  std::vector<std::string> known;
  if (kind.size) known.push_back(*kind.size ? fmt::format("{}=WxH", kind.size) : "WxH or N%");
  for (const ArgSpec& a : contract.args())
    if (a.role == Role::scalar) {
      known.push_back(a.name);
      for (const std::string& c : a.choices) known.push_back(c);
    }
  return known;
}

[[noreturn]] void refuse_word(const Step& step, const Kind& kind, const std::string& word) {
  const std::vector<std::string> known = known_words(kind, step.contract);
  if (known.empty()) throw Refusal(fmt::format("{}: {} has no options", step.text, step.op));
  throw Refusal(fmt::format("{}: {}", step.text, did_you_mean(step.op + " option", word, known)));
}

double value_of(const Step& step, const ArgSpec& a, const std::string& text) {
  if (a.scalar == ScalarType::choice) {
    const auto at = std::find(a.choices.begin(), a.choices.end(), text);
    if (at != a.choices.end()) return static_cast<double>(at - a.choices.begin());
    throw Refusal(
        fmt::format("{}: {} is one of {}, not '{}'", step.text, a.name, join(a.choices), text));
  }
  if (a.scalar == ScalarType::boolean) {
    if (text == "true" || text == "false") return text == "true";
    throw Refusal(fmt::format("{}: {} is true or false, not '{}'", step.text, a.name, text));
  }
  const auto value = number_in(text);
  const bool whole = a.scalar == ScalarType::integer;
  if (!value || (whole && (*value != std::floor(*value) || std::abs(*value) > 0x1p53)))
    throw Refusal(fmt::format("{}: {} takes a {}number, not '{}'", step.text, a.name,
                              whole ? "whole " : "", text));
  return *value;
}

// One word between colons.
void parse_word(Step& step, const Kind& kind, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  if (equals != std::string::npos) {
    const std::string text = word.substr(equals + 1);
    if (kind.size && *kind.size && name == kind.size) {
      const auto size = size_in(text);
      if (!size) throw Refusal(fmt::format("{}: {} is WxH or N%, not '{}'", step.text, name, text));
      step.size = *size;
      return;
    }
    const ArgSpec* const a = step.contract.find(name);
    if (!a || a->role != Role::scalar) refuse_word(step, kind, name);
    step.options.emplace_back(name, value_of(step, *a, text));
    return;
  }
  if (kind.size && !*kind.size)
    if (const auto size = size_in(word)) {
      step.size = *size;
      return;
    }
  if (kind.number && number_in(word)) {
    step.options.emplace_back(kind.number, value_of(step, *step.contract.find(kind.number), word));
    return;
  }
  for (const ArgSpec& a : step.contract.args()) {
    const bool is_choice = std::find(a.choices.begin(), a.choices.end(), word) != a.choices.end();
    const bool is_yes = a.role == Role::scalar && a.scalar == ScalarType::boolean && a.name == word;
    if (!is_choice && !is_yes) continue;
    step.options.emplace_back(a.name, is_yes ? 1 : value_of(step, a, word));
    return;
  }
  refuse_word(step, kind, word);
}

// The ops' own limits, before a picture is read. Their texts name the place in the source, which is of no use here.
void check_limits(const Step& step) {
  try {
    if (step.op == blur::Args::op) {
      blur::Args args;
      set_options(args, step);
      blur::check_size(args);
    } else if (step.op == augment::Args::op) {
      augment::Args args;
      set_options(args, step);
      augment::check_strengths(args);
      if (args.padding > most_side || args.cut > most_side)
        throw Refusal(fmt::format("{}: padding and cut are at most {}", step.text, most_side));
    }
  } catch (const Error& e) {
    const std::string text = e.what();
    throw Refusal(fmt::format("{}: {}", step.text, text.substr(0, text.find(" ["))));
  }
}

}  // namespace

bool is_step(const std::string& word) {
  return find_kind(word.substr(0, word.find(':'))) != nullptr;
}

std::vector<std::string> step_names() {
  std::vector<std::string> names;
  for (const Kind& k : kinds()) names.emplace_back(k.op);
  return names;
}

Step parse_step(const std::string& text) {
  Step step{text, text.substr(0, text.find(':')), {}, {}, {}};
  const Kind* const kind = find_kind(step.op);
  if (!kind) throw Refusal(did_you_mean("step", step.op, step_names()));
  step.contract = kind->contract();
  step.options = kind->fallbacks;
  for (std::size_t at = step.op.size(); at < text.size();) {
    const std::size_t end = std::min(text.find(':', at + 1), text.size());
    parse_word(step, *kind, text.substr(at + 1, end - at - 1));
    at = end;
  }
  if (kind->size && !*kind->size && text == step.op)
    throw Refusal(fmt::format("{0} needs a size: {0}:640x480 or {0}:50%", step.op));
  check_limits(step);
  return step;
}

Picture run_step(models::Backend& backend, const Step& step, const Picture& picture,
                 std::vector<Ran>& ran) {
  return find_kind(step.op)->run(backend, step, picture, ran);
}

}  // namespace warpath::cli
