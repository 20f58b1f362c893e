// Files of named tensors as Hugging Face writes them: eight bytes for the size of a JSON header, the header, the data.
//
// A file is not trusted: whatever is wrong with it, its sizes or its header, is refused in one line that names the file
// and the tensor, and nothing outside of the file is read.
//
// A large model is in several files. Where "model.safetensors" is not there but "model.safetensors.index.json" is, the tensors
// are those that the index lists, each in the file that it names, beside it.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/host/dtype.h"
#include "core/host/tensor.h"

namespace warpath::models {

class SafetensorsFile {
 public:
  struct Entry {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    std::int64_t begin = 0, bytes = 0;  // in the file
    std::filesystem::path file = {};
  };

  explicit SafetensorsFile(std::filesystem::path path);
  // Whether that file is there, or its index.
  static bool there(const std::filesystem::path& path);

  const std::map<std::string, Entry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::filesystem::path& path() const { return path_; }
  // The tensor's bytes. Throws where it is missing or has another shape.
  std::vector<unsigned char> read(const std::string& name,
                                  const std::vector<std::int64_t>& shape) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void read_header();
  void read_index();

  std::filesystem::path path_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

// As files have it.
inline std::vector<std::int64_t> shape_of(const Tensor& t) {
  return {t.shape.begin(), t.shape.begin() + t.rank};
}

struct TensorToWrite {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::function<std::vector<unsigned char>()> bytes;  // called when its turn comes
};

// Written and synced to disk before it returns.
void write_safetensors(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace warpath::models
