#include "models/generator.h"

#include <algorithm>

#include "harness/buffer.h"
#include "models/floats.h"
#include "models/sampling.h"
#include "ops/reduce/argmax/argmax.h"

namespace warpath::models {
namespace {

Batch batch_of(const Config& c, const GeneratorSize& s, std::int64_t texts, std::int64_t tokens) {
  Batch b;
  b.size = texts, b.sequence = tokens;
  b.recompute = c.layers;  // they take turns at one set of activations: there is no backward pass
  b.pages = s.pages, b.page_size = s.page_size;
  b.tuning = s.tuning;
  b.capacity = s.pages_for(c.context) * s.page_size;
  return b;
}

// Found beside the writer's logits.
Tensor likeliest_of(Memory& memory, const GeneratorSize& s) {
  return s.picks ? memory.activations.add("likeliest", DType::i64, {s.texts}) : Tensor{};
}

}  // namespace

Generator::Generator(Backend& backend, const Config& config, DType dtype, const GeneratorSize& size)
    : backend_(backend),
      config_(config),
      dtype_(dtype),
      size_(size),
      reads_(batch_of(config, size, 1, size.chunk)),
      writes_(batch_of(config, size, size.texts, 1)),
      ops_(backend, false),
      counted_beside_([&] {
        const Transformer reader(config_, reads_, dtype_, counted_);
        reader.parameters().pack(ops_);
        ops_.set_pass({.length = 1});
        reader.forward(ops_);
        ops_.set_pass({.opens = true, .length = 1});
        reader.forward(ops_);
        ops_.set_pass({});
        return Memory::beside(counted_);
      }()) {
  const Transformer writer(config_, writes_, dtype_, counted_beside_);
  ops_.begin_profile();
  write(writer, likeliest_of(counted_beside_, size_));
  calls_ = ops_.end_profile().size();
}

Generator::~Generator() {
  if (graph_) backend_.device().drop_graph(graph_);
}

std::int64_t Generator::bytes() const {
  return counted_.parameters.bytes() + counted_.inputs.bytes() + counted_.activations.bytes() +
         counted_.cache.bytes() + counted_beside_.inputs.bytes() +
         counted_beside_.activations.bytes() + ops_.scratch_bytes();
}

void Generator::allocate() {
  const harness::Device& device = backend_.device();
  memory_.emplace(Memory::without_gradients(counted_, device));
  reader_.emplace(config_, reads_, dtype_, *memory_);
  beside_.emplace(Memory::beside(*memory_, counted_beside_, device));
  writer_.emplace(config_, writes_, dtype_, *beside_);
  likeliest_ = likeliest_of(*beside_, size_);
  picked_.resize(static_cast<std::size_t>(size_.picks ? size_.texts : 0));
  ops_.allocate_scratch();
}

void Generator::show(const Transformer& model, Shown& shown, const Tokens& tokens,
                     const std::vector<std::int32_t>& positions,
                     const std::vector<std::int32_t>& lengths, std::vector<std::int32_t> table) {
  const auto upload = [&](const Tensor& to, const std::vector<std::int32_t>& from) {
    if (!to.data) return;
    WARPATH_CHECK(static_cast<std::int64_t>(from.size()) == to.size(), "as many as there is room");
    harness::must(backend_.device().upload(to.data, from.data(), to.bytes()));
  };
  upload(model.tokens(), tokens);
  upload(model.positions(), positions);
  upload(model.places().lengths, lengths);
  if (table == shown.table) return;
  upload(model.places().table, table);
  shown.table = std::move(table);
}

// A chunk that ends at token `end` of a text; the first one has padding in front.
void Generator::show_chunk(std::int64_t end, const std::vector<std::int32_t>& positions) {
  const Places& at = reader_->places();
  if (!at.span.data) return;
  const auto chunk = static_cast<std::int32_t>(size_.chunk),
             length = static_cast<std::int32_t>(end);
  upload_ints(backend_.device(), at.span, {std::max(0, chunk - length), chunk});
  upload_ints(backend_.device(), at.so_far, {0, length});
  const std::vector<std::int64_t> wide(positions.begin(), positions.end());
  harness::must(backend_.device().upload(at.positions.data, wide.data(), at.positions.bytes()));
}

// All chunks are read by the kernel that trains: the first one where its keys lie, the others with what the cache has. The first
// chunk has padding in front, at positions below zero: it is not written to the cache, and nobody sees it. So the last token of
// the text is the last one of its chunk.
std::vector<float> Generator::read(const Tokens& text, const Pages& pages) {
  const auto chunk = static_cast<std::int64_t>(size_.chunk);
  const auto all = static_cast<std::int64_t>(text.size());
  WARPATH_CHECK(all > 0 && size_.pages_for(all) <= static_cast<std::int64_t>(pages.size()),
                "a text has a token, and pages for all of them");
  std::vector<std::int32_t> table(static_cast<std::size_t>(reader_->places().table.size()), 0);
  std::copy(pages.begin(), pages.end(), table.begin());
  for (std::int64_t end = (all - 1) % chunk + 1; end <= all; end += chunk) {
    Tokens tokens(static_cast<std::size_t>(chunk), 0);
    std::vector<std::int32_t> positions(tokens.size(), 0);
    for (std::int64_t i = std::max<std::int64_t>(0, end - chunk); i < end; ++i) {
      const auto at = static_cast<std::size_t>(i - (end - chunk));
      tokens[at] = text[static_cast<std::size_t>(i)];
      positions[at] = static_cast<std::int32_t>(i);
    }
    show(*reader_, reader_shown_, tokens, positions, {static_cast<std::int32_t>(end)}, table);
    show_chunk(end, positions);
    ops_.set_pass({.opens = end <= chunk, .length = end});
    reader_->forward(ops_);
  }
  ops_.set_pass({});
  return download_floats(backend_.device(), reader_->logits());
}

void Generator::write(const Transformer& writer, const Tensor& likeliest) {
  writer.forward(ops_);
  if (!likeliest.data) return;
  argmax::Args args;
  args.x = writer.logits(), args.y = likeliest;
  ops_.call(args);
}

// Nothing of a launch depends on the lengths, the tokens or the pages, which are on the device.
void Generator::run_writer() {
  if (!size_.graph) return write(*writer_, likeliest_);
  const harness::Device& device = backend_.device();
  if (graph_) return harness::must(device.replay(graph_));
  write(*writer_, likeliest_);  // a first time without: launchers may set attributes of kernels
  harness::must(device.begin_capture());
  write(*writer_, likeliest_);
  harness::must(device.end_capture(&graph_));
}

void Generator::step(const std::vector<Place>& places) {
  WARPATH_CHECK(static_cast<std::int64_t>(places.size()) == size_.texts, "as many as places");
  const auto wide = static_cast<std::size_t>(writer_->places().table.shape[1]);
  Tokens tokens, positions, lengths, table(places.size() * wide, 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& p = places[i];
    tokens.push_back(p.token);
    positions.push_back(std::max(0, p.length - 1));
    lengths.push_back(p.length);
    if (p.pages)
      std::copy(p.pages->begin(), p.pages->end(),
                table.begin() + static_cast<std::ptrdiff_t>(i * wide));
  }
  show(*writer_, writer_shown_, tokens, positions, lengths, std::move(table));
  run_writer();
  if (size_.picks)
    harness::must(backend_.device().download(picked_.data(), likeliest_.data, likeliest_.bytes()));
}

std::vector<float> Generator::logits(std::size_t place) const {
  return download_floats(backend_.device(),
                         rows(writer_->logits(), static_cast<std::int64_t>(place), 1));
}

// A NaN counts as larger than all numbers, so the largest logit tells whether any of them is no number.
std::int32_t Generator::likeliest(std::size_t place) const {
  const std::int64_t token = picked_.at(place);
  const Tensor row = rows(writer_->logits(), static_cast<std::int64_t>(place), 1);
  check_largest(download_floats(backend_.device(), columns(row, token, 1))[0]);
  return static_cast<std::int32_t>(token);
}

// Every tensor of the cache begins with its pages.
template <class Each>
void Generator::for_each_page(const Pages& pages, const Each& each) const {
  for (const Named& n : memory_->cache.tensors())
    for (const std::int32_t page : pages) {
      const Tensor t = rows(n.tensor, page, 1);
      each(t.data, t.bytes());
    }
}

std::vector<unsigned char> Generator::save(const Pages& pages) const {
  std::vector<unsigned char> bytes;
  for_each_page(pages, [&](const void* data, std::int64_t size) {
    bytes.resize(bytes.size() + static_cast<std::size_t>(size));
    harness::must(backend_.device().download(bytes.data() + bytes.size() - size, data, size));
  });
  return bytes;
}

void Generator::load(const Pages& pages, const std::vector<unsigned char>& bytes) {
  std::size_t at = 0;
  for_each_page(pages, [&](void* data, std::int64_t size) {
    WARPATH_CHECK(at + static_cast<std::size_t>(size) <= bytes.size(), "as much as was saved");
    harness::must(backend_.device().upload(data, bytes.data() + at, size));
    at += static_cast<std::size_t>(size);
  });
}

}  // namespace warpath::models
