// The ops from a C++ program: docs/cpp.md.
//
//   warpath::Session session("simt");
//   const warpath::Tensor a = session.tensor(warpath::DType::f32, {n}, values.data()), …;
//   session.call(warpath::vector_add::Args{.a = a, .b = b, .c = c});
//   session.read(c, values.data());
#pragma once
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/host/error.h"
#include "harness/device/device.h"
#include "harness/library.h"

namespace warpath {

// Where warpath_use() of CMake says that the libraries are.
inline std::filesystem::path built_libraries() {
#ifdef WARPATH_LIBRARY_FOLDER
  return WARPATH_LIBRARY_FOLDER;
#else
  return {};
#endif
}

// One backend, opened: its device and the ops as they are called. It owns the memory of the tensors it made. Everything it
// does runs in order on one stream. Throws Error.
class Session {
 public:
  // "simt" (this CPU) or "cuda". `libraries`: their folder; empty: ../lib beside the program.
  explicit Session(const std::string& backend, std::filesystem::path libraries = built_libraries());
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Device memory, contiguous; with `values`, a copy of as many elements of the host's.
  Tensor tensor(DType dtype, std::initializer_list<std::int64_t> shape,
                const void* values = nullptr);

  // Checks the args by the op's contract and its own rules, then launches the best rung for them.
  template <class Args>
  void call(Args args) {
    run(Args::op, &args);
  }
  // The rung that the last call was answered by.
  const std::string& rung() const { return rung_; }

  // Waits, then copies the tensor to the host.
  void read(const Tensor& from, void* to) const;

 private:
  struct Ladder {
    const Op* op = nullptr;
    std::vector<const Rung*> rungs;
  };
  const Ladder& ladder(const char* op);
  void run(const char* op, void* args);
  void* memory(std::int64_t bytes);

  harness::Places places_;
  std::string backend_, rung_;
  const harness::Device* device_ = nullptr;
  harness::DeviceInfo info_{};
  std::map<std::string, Ladder> ladders_;
  std::map<std::pair<const Rung*, std::int64_t>, void*> scratch_;
  std::vector<void*> owned_;
};

}  // namespace warpath
