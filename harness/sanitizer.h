// The run time of kernels compiled with checks (check --sanitize): what it found, and what the
// harness tells it about its memory. Used in worker processes only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace warpath::harness {

class Sanitizer {
 public:
  // The check library that the rungs' own library was linked with; throws Error when it is missing.
  explicit Sanitizer(const std::filesystem::path& library);

  // Findings call the allocation at `data` by this name.
  void name(const void* data, const std::string& name) const { name_(data, name.c_str()); }
  // Marks these bytes as uninitialised: reading them before they are written is a finding again.
  void forget(const void* data, std::int64_t bytes) const {
    forget_(data, static_cast<std::size_t>(bytes));
  }
  // Which thread wrote the byte there last, in words: "written last by thread (3, 0, 0) of block (1, 0, 0), mine.cu:12", or
  // "no thread wrote it". Empty where that is not known.
  std::string last_writer(const void* data) const;
  // An array of findings.
  nlohmann::json take_findings() const;

 private:
  const char* (*take_)() = nullptr;
  void (*name_)(const void*, const char*) = nullptr;
  void (*forget_)(const void*, std::size_t) = nullptr;
  const char* (*writer_)(const void*) = nullptr;
};

// The check that made a finding, one of simt::check_names; "other" if its kind is not known.
std::string check_of(const nlohmann::json& finding);
// "race at 02_shared.cu:31: two threads, one element: …  [tile[x] = 1;]"
std::string describe_finding(const nlohmann::json& finding);
// The first, and how many more there are.
std::string describe_findings(const nlohmann::json& findings);

}  // namespace warpath::harness
