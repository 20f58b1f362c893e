#include "driver/prelude.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "driver/fingerprint.h"
#include "driver/process.h"

namespace simt::cc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kept = 6;  // precompiled headers, 50 MB each
const std::string pragma = "#pragma GCC pch_preprocess \"";

struct Part {
  std::size_t begin = 0, end = 0;  // empty: the text has no prelude
  std::size_t rest = 0;            // where the text goes on
};

const std::string coming_back = "\n# 0 \"<command-line>\" 2\n";

// From the line that enters cuda_runtime.h to the last one that comes back from it or from a file of -include. That one is
// in neither part: GCC would miss the line that entered.
Part find_prelude(const std::string& text, const std::string& include) {
  const std::size_t begin = text.find("# 1 \"" + include + "/cuda_runtime.h\" 1");
  if (begin == text.npos) return {};
  const std::size_t end = text.rfind(coming_back);
  return end == text.npos || end < begin ? Part{} : Part{begin, end + 1, end + coming_back.size()};
}

// A header of its own, which comes back from no file that it has not entered.
std::string as_header(std::string prelude) {
  for (std::size_t at; (at = prelude.find(coming_back)) != prelude.npos;)
    prelude.erase(at, coming_back.size() - 1);
  return prelude;
}

// True for one process only; the file stays, so it is asked once.
bool create(const fs::path& file) {
  std::FILE* created = std::fopen(file.c_str(), "wx");
  if (created != nullptr) std::fclose(created);
  return created != nullptr;
}

void remove_oldest(const fs::path& folder) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".gch")
      files.emplace_back(entry.last_write_time(error), entry.path());
  }
  std::sort(files.rbegin(), files.rend());
  for (std::size_t i = kept; i < files.size(); ++i) {
    fs::remove(files[i].second, error);
    fs::remove(fs::path(files[i].second).replace_extension(".made"), error);
  }
}

// The first compilation leaves `.seen`; the second makes the header, under another name until it is whole.
bool make(const fs::path& header, const std::string& prelude, std::vector<std::string> command) {
  const fs::path folder = header.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (create(fs::path(header).replace_extension(".seen"))) return false;
  const fs::path made = fs::path(header).replace_extension(".made");
  if (!create(made)) {
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(made, error);
    if (!error && age > std::chrono::minutes(2))
      fs::remove(made, error);  // whoever made it was interrupted
    return false;
  }
  remove_oldest(folder);
  const std::string source = temporary_file("prelude", ".h");
  const fs::path unfinished = temporary_file("prelude", ".gch");
  write_file(source, as_header(prelude));
  const auto language = std::find(command.begin(), command.end(), "c++-cpp-output");
  if (language == command.end()) return false;
  *language = "c++-header";
  command.insert(command.end(), {"-fpreprocessed", "-w", source, "-o", unfinished});
  std::string messages;
  if (run(command, &messages) != 0) return false;
  const fs::path beside = fs::path(header).replace_extension(".new");
  fs::copy_file(unfinished, beside, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(beside, header, error);
  if (error) fs::remove(beside, error);
  return fs::exists(header);
}

}  // namespace

std::string with_precompiled_prelude(const std::string& text,
                                     const std::vector<std::string>& command,
                                     const std::string& include, const std::string& library) {
  const Part part = find_prelude(text, include);
  if (part.end == part.begin) return text;
  const std::string prelude = text.substr(part.begin, part.end - part.begin);
  const fs::path header =
      fs::path(library) / "prelude" / (fingerprint(quoted(command) + "\n" + prelude) + ".gch");
  std::error_code error;
  if (!fs::exists(header, error) && !make(header, prelude, command)) return text;
  return text.substr(0, part.begin) + pragma + header.string() + "\"\n" + text.substr(part.rest);
}

bool prelude_was_refused(const std::string& text, const std::string& messages) {
  if (messages.find("PCH file") == messages.npos) return false;
  const std::size_t begin = text.find(pragma);
  if (begin == text.npos) return false;
  const std::size_t name = begin + pragma.size();
  std::error_code error;
  fs::remove(text.substr(name, text.find('"', name) - name), error);
  return true;
}

}  // namespace simt::cc
