#include "models/safetensors.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/host/error.h"
#include "core/host/parallel.h"
#include "models/files.h"

using nlohmann::ordered_json;

namespace warpath::models {
namespace {

struct TypeName {
  const char* name;
  DType dtype;
};
constexpr TypeName type_names[] = {
    {"F64", DType::f64},     {"F32", DType::f32}, {"F16", DType::f16}, {"BF16", DType::bf16},
    {"I64", DType::i64},     {"I32", DType::i32}, {"I16", DType::i16}, {"I8", DType::i8},
    {"U64", DType::u64},     {"U32", DType::u32}, {"U16", DType::u16}, {"U8", DType::u8},
    {"BOOL", DType::boolean}};

constexpr std::int64_t most_header = 100 << 20;  // as Hugging Face's reader has it

// The bytes of a shape; -1 where it has a negative size or more bytes than 63 bits count.
std::int64_t bytes_of(const std::vector<std::int64_t>& shape, DType dtype) {
  auto bytes = static_cast<std::int64_t>(size_of(dtype));
  for (const std::int64_t n : shape)
    if (n < 0 || __builtin_mul_overflow(bytes, n, &bytes)) return -1;
  return bytes;
}

}  // namespace

void SafetensorsFile::refuse(const std::string& why) const {
  throw Error(path_.string() + ": " + why);
}

static std::filesystem::path index_of(const std::filesystem::path& path) {
  return path.string() + ".index.json";
}

bool SafetensorsFile::there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) || std::filesystem::exists(index_of(path), ignored);
}

SafetensorsFile::SafetensorsFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored) && there(path_)) {
    path_ = index_of(path_);
    read_index();
  } else {
    read_header();
  }
}

void SafetensorsFile::read_index() {
  const nlohmann::json index = nlohmann::json::parse(read_whole(path_), nullptr, false);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
    refuse("has no weight_map");
  std::map<std::string, SafetensorsFile> files;
  for (const auto& [name, j] : index["weight_map"].items()) {
    const std::string file = j.is_string() ? j.get<std::string>() : "";
    if (file.empty() || file.find('/') != file.npos || !file.ends_with(".safetensors"))
      refuse("tensor '" + name + "' is in no file beside the index");
    auto found = files.find(file);
    if (found == files.end())
      found = files.emplace(file, SafetensorsFile(path_.parent_path() / file)).first;
    const auto entry = found->second.entries().find(name);
    if (entry == found->second.entries().end()) refuse("tensor '" + name + "' is not in " + file);
    entries_.emplace(name, entry->second);
  }
}

void SafetensorsFile::read_header() {
  std::ifstream in(path_, std::ios::binary);
  if (!in) refuse("cannot be opened");
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path_, error));
  std::uint64_t header_bytes = 0;
  if (error || size < 8 || !in.read(reinterpret_cast<char*>(&header_bytes), 8))
    refuse("is no safetensors file: shorter than its 8 bytes of header size");
  if (header_bytes > static_cast<std::uint64_t>(most_header) ||
      header_bytes > static_cast<std::uint64_t>(size - 8))
    refuse("its header should have " + std::to_string(header_bytes) + " bytes, the file has " +
           std::to_string(size));
  std::string text(header_bytes, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(header_bytes))) refuse("cannot be read");
  const ordered_json header = ordered_json::parse(text, nullptr, false);
  if (!header.is_object()) refuse("its header is no JSON object");

  const std::int64_t data = 8 + static_cast<std::int64_t>(header_bytes), all = size - data;
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const auto& [name, j] : header.items()) {
    if (name == "__metadata__") {
      if (!j.is_object()) refuse("its metadata is no object of strings");
      for (const auto& [key, value] : j.items()) {
        if (!value.is_string()) refuse("its metadata is no object of strings");
        metadata_[key] = value.get<std::string>();
      }
      continue;
    }
    const auto bad = [&](const std::string& why) { refuse("tensor '" + name + "' " + why); };
    const auto is_count = [](const ordered_json& n) {
      return n.is_number_integer() &&
             (n.is_number_unsigned() ? n.get<std::uint64_t>() <= std::uint64_t(INT64_MAX)
                                     : n.get<std::int64_t>() >= 0);
    };
    if (!j.is_object() || !j.contains("dtype") || !j.contains("shape") ||
        !j.contains("data_offsets") || !j["dtype"].is_string() || !j["shape"].is_array() ||
        !j["data_offsets"].is_array() || j["data_offsets"].size() != 2)
      bad("has no dtype, shape and two data_offsets");
    Entry e;
    const auto type = std::find_if(
        std::begin(type_names), std::end(type_names),
        [&](const TypeName& t) { return j["dtype"].get_ref<const std::string&>() == t.name; });
    if (type == std::end(type_names)) bad("has the unknown type " + j["dtype"].dump());
    e.dtype = type->dtype;
    for (const auto& n : j["shape"]) {
      if (!is_count(n)) bad("has a size that is no count: " + n.dump());
      e.shape.push_back(n.get<std::int64_t>());
    }
    for (const auto& n : j["data_offsets"])
      if (!is_count(n)) bad("has an offset that is no count: " + n.dump());
    const auto begin = j["data_offsets"][0].get<std::int64_t>(),
               end = j["data_offsets"][1].get<std::int64_t>();
    if (begin > end || end > all) bad("lies outside of the file");
    e.begin = data + begin, e.bytes = end - begin, e.file = path_;
    if (bytes_of(e.shape, e.dtype) != e.bytes) bad("has other bytes than its shape says");
    if (!entries_.emplace(name, e).second) bad("is there twice");
    if (e.bytes > 0) spans.emplace_back(begin, end);
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].second) refuse("two of its tensors overlap");
}

std::vector<unsigned char> SafetensorsFile::read(const std::string& name,
                                                 const std::vector<std::int64_t>& shape) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) refuse("has no tensor '" + name + "'");
  const Entry& e = found->second;
  if (e.shape != shape) {
    const auto text = [](const std::vector<std::int64_t>& s) {
      std::string t = "(";
      for (const std::int64_t n : s) t += (t.size() > 1 ? ", " : "") + std::to_string(n);
      return t + ")";
    };
    refuse("tensor '" + name + "' is " + text(e.shape) + ", not " + text(shape));
  }
  std::vector<unsigned char> bytes(static_cast<std::size_t>(e.bytes));
  std::atomic<bool> whole = true;
  parallel_for(e.bytes, std::int64_t{1} << 25, [&](std::int64_t begin, std::int64_t end) {
    std::ifstream in(e.file, std::ios::binary);
    in.seekg(e.begin + begin);
    if (!in.read(reinterpret_cast<char*>(bytes.data() + begin), end - begin)) whole = false;
  });
  if (!whole) refuse("tensor '" + name + "' cannot be read");
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::int64_t at = 0;
  for (const TensorToWrite& t : tensors) {
    const std::int64_t bytes = bytes_of(t.shape, t.dtype);
    const auto type = std::find_if(std::begin(type_names), std::end(type_names),
                                   [&](const TypeName& n) { return n.dtype == t.dtype; });
    header[t.name] = {
        {"dtype", type->name}, {"shape", t.shape}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the data begins at a multiple of 8
  WholeFile file(path);
  const std::uint64_t size = text.size();
  file.write(&size, sizeof size);
  file.write(text.data(), text.size());
  for (const TensorToWrite& t : tensors) {
    const std::vector<unsigned char> bytes = t.bytes();
    WARPATH_CHECK(static_cast<std::int64_t>(bytes.size()) == bytes_of(t.shape, t.dtype),
                  "tensor '" + t.name + "' has other bytes than its shape says");
    file.write(bytes.data(), bytes.size());
  }
  file.finish();
}

}  // namespace warpath::models
