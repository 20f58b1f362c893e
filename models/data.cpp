#include "models/data.h"

#include <algorithm>
#include <cstring>

#include "core/host/error.h"
#include "models/files.h"
#include "models/shapes.h"

namespace fs = std::filesystem;

namespace warpath::models {
namespace {

// The header of llm.c's shards: 256 numbers of 32 bits, of which the first is a mark, the second the version, the third the
// number of tokens.
constexpr std::int32_t shard_mark = 20240520;
constexpr std::size_t shard_header = 256 * sizeof(std::int32_t);

void append_shard(Tokens& tokens, const fs::path& path) {
  const std::string bytes = read_whole(path);
  std::size_t begin = 0;
  std::int32_t header[3] = {};
  if (bytes.size() >= shard_header) std::memcpy(header, bytes.data(), sizeof header);
  if (header[0] == shard_mark) {
    begin = shard_header;
    if (header[1] != 1) throw Error(path.string() + ": a shard of another version than 1");
    if (header[2] < 0 || bytes.size() != begin + std::size_t(header[2]) * 2)
      throw Error(path.string() + ": its header says " + std::to_string(header[2]) +
                  " tokens, the file has another size");
  }
  if ((bytes.size() - begin) % 2 != 0) throw Error(path.string() + ": half a token at its end");
  tokens.reserve(tokens.size() + (bytes.size() - begin) / 2);
  for (std::size_t at = begin; at < bytes.size(); at += 2) {
    std::uint16_t token = 0;
    std::memcpy(&token, bytes.data() + at, 2);
    tokens.push_back(token);
  }
}

}  // namespace

Data Data::of_text(const std::string& text, std::string from, const Tokenizer& tokenizer) {
  Data d;
  d.from_ = std::move(from);
  d.tokens_ = tokenizer.encode(text);
  return d;
}

Data Data::of_path(const fs::path& path, const Tokenizer& tokenizer) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw Error(path.string() + ": no such file or folder");
  if (!fs::is_directory(path, ignored)) return of_text(read_whole(path), path.string(), tokenizer);
  std::vector<fs::path> shards;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().extension() == ".bin") shards.push_back(entry.path());
  if (shards.empty()) throw Error(path.string() + ": no token shards (*.bin) in this folder");
  std::sort(shards.begin(), shards.end());
  Data d;
  d.from_ = path.string();
  for (const fs::path& shard : shards) append_shard(d.tokens_, shard);
  return d;
}

Data Data::of_shapes(const Config& config) {
  Data d;
  d.from_ = "drawn shapes";
  d.shapes_ = config;
  return d;
}

// Images count through all batches of a seed. Those for evaluation are of another seed.
Sample Data::shapes(std::uint64_t seed, std::uint64_t number, std::int64_t batch) const {
  const Random times{seed, 0x74696d65};
  Sample s;
  s.seed = mixed(seed) >> 1, s.number = number;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::uint64_t index =
        number * static_cast<std::uint64_t>(batch) + static_cast<std::uint64_t>(b);
    const ShapeImage image = shape_image(seed, index, shapes_->image, shapes_->channels);
    s.images.insert(s.images.end(), image.pixels.begin(), image.pixels.end());
    s.labels.push_back(image.shape);
    if (shapes_->family == Family::dit)
      s.times.push_back(static_cast<std::int32_t>(
          times.below(index, static_cast<std::uint64_t>(shapes_->times))));
  }
  return s;
}

void Data::check(std::int64_t vocabulary, std::int64_t sequence) const {
  if (shapes_ && shapes_->family == Family::vit && shapes_->classes < shape_count)
    throw Error(from_ + ": " + std::to_string(shape_count) + " classes, but the model has " +
                std::to_string(shapes_->classes));
  if (shapes_) return;
  const auto least = static_cast<std::size_t>(10 * (sequence + 1));
  if (tokens_.size() < least)
    throw Error(from_ + ": " + std::to_string(tokens_.size()) + " tokens; sequences of " +
                std::to_string(sequence) + " want at least " + std::to_string(least));
  const std::int32_t most = *std::max_element(tokens_.begin(), tokens_.end());
  if (most >= vocabulary)
    throw Error(from_ + ": token " + std::to_string(most) + ", but the model's vocabulary has " +
                std::to_string(vocabulary));
}

void Data::take(Sample& s, std::size_t from, std::int64_t sequence) const {
  for (std::int64_t t = 0; t < sequence; ++t) {
    s.tokens.push_back(tokens_[from + static_cast<std::size_t>(t)]);
    s.labels.push_back(tokens_[from + static_cast<std::size_t>(t) + 1]);
  }
}

Sample Data::training(std::uint64_t seed, std::uint64_t number, std::int64_t batch,
                      std::int64_t sequence) const {
  if (shapes_) return shapes(seed, number, batch);
  const Random random{seed, 0};
  const std::size_t places = training_size() - static_cast<std::size_t>(sequence);
  Sample s;
  s.seed = mixed(seed) >> 1, s.number = number;
  for (std::int64_t b = 0; b < batch; ++b)
    take(s,
         random.below(number * static_cast<std::uint64_t>(batch) + static_cast<std::uint64_t>(b),
                      places),
         sequence);
  return s;
}

Sample Data::evaluation(std::uint64_t number, std::int64_t batch, std::int64_t sequence) const {
  if (shapes_) return shapes(~std::uint64_t{0}, number, batch);
  const std::size_t begin = training_size();
  const std::size_t count = (tokens_.size() - begin - 1) / static_cast<std::size_t>(sequence);
  Sample s;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::size_t i = number * static_cast<std::size_t>(batch) + static_cast<std::size_t>(b);
    take(s, begin + i % count * static_cast<std::size_t>(sequence), sequence);
  }
  return s;
}

std::uint64_t Data::fingerprint() const {
  std::uint64_t sum = tokens_.size();
  for (const std::int32_t t : tokens_)
    sum = (sum ^ static_cast<std::uint64_t>(t)) * 0x100000001b3ull;
  return mixed(sum);
}

}  // namespace warpath::models
