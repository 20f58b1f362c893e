#include "cli/source_digest.h"

#include <fmt/format.h>

#include <cctype>

#include "cli/launched_files.h"
#include "cli/source_text.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

// FNV-1a.
std::uint64_t digest(std::string_view text, std::uint64_t h = 0xcbf29ce484222325) {
  for (const unsigned char c : text) h = (h ^ c) * 0x100000001b3;
  return h;
}

// One space where there were some: a line that is cut elsewhere is the same code.
std::string without_layout(const std::string& code) {
  std::string kept;
  for (const unsigned char c : code) {
    if (!std::isspace(c))
      kept += static_cast<char>(c);
    else if (!kept.empty() && kept.back() != ' ')
      kept += ' ';
  }
  return kept;
}

}  // namespace

const SourceDigests::Source& SourceDigests::read(const fs::path& path) {
  const auto [at, is_new] = sources_.try_emplace(path);
  if (!is_new) return at->second;
  const std::string text = read_text(root_ / path);
  at->second.code = digest(every_letter_ ? text : without_layout(only_code(text)));
  for (const fs::path name : includes_of(text))
    for (const fs::path& header : {name, path.parent_path() / name})
      if (fs::is_regular_file(root_ / header)) at->second.headers.insert(header.lexically_normal());
  return at->second;
}

void SourceDigests::collect(const fs::path& path, std::map<fs::path, std::uint64_t>& into) {
  if (into.contains(path)) return;
  const Source& source = read(path);
  into[path] = source.code;
  for (const fs::path& header : source.headers) collect(header, into);
}

std::string SourceDigests::of(const std::string& file) {
  const std::size_t ops = file.rfind("/ops/");
  const fs::path path = ops == file.npos ? file : file.substr(ops + 1);
  if (path.is_absolute() || !fs::is_regular_file(root_ / path)) return {};
  std::map<fs::path, std::uint64_t> all;
  collect(path, all);
  for (const fs::path& other : launched_files(root_, root_ / path))
    collect(other.lexically_relative(root_), all);
  std::uint64_t h = digest("");
  for (const auto& [name, code] : all) h = digest(fmt::format("{} {:x}\n", name.string(), code), h);
  return fmt::format("{:016x}", h);
}

}  // namespace warpath::cli
