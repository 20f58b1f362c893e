#include "source.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace simt::xray {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string module_file(const char* name) {
  char path[4096];
  if (realpath(name, path) != nullptr) return path;
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length <= 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

bool is_own(const std::string& file) {
  for (const char* folder : {"/simt/include/", "/include/simt-cuda/", "/include/c++/"})
    if (file.find(folder) != file.npos) return true;
  return false;
}

namespace {

// "file:line (discriminator 3)"
bool parse(std::string text, Line& into) {
  text.erase(text.find_last_not_of(" \n") + 1);
  if (const auto note = text.find(" ("); note != text.npos) text.resize(note);
  const auto colon = text.rfind(':');
  if (colon == text.npos || text[0] == '?') return false;
  into.line = static_cast<unsigned>(std::strtoul(text.c_str() + colon + 1, nullptr, 10));
  into.file = text.substr(0, colon);
  // a/b/../c, as a compiler's include path leaves it
  char real[4096];
  if (realpath(into.file.c_str(), real) != nullptr) into.file = real;
  return into.line != 0;
}

using Offsets = std::map<unsigned long, const void*>;

void ask(const std::string& module, const Offsets& offsets, std::map<const void*, Frames>& into) {
  std::string command = "addr2line -a -i -e " + quoted(module);
  for (const auto& [offset, pc] : offsets) {
    char number[32];
    std::snprintf(number, sizeof number, " 0x%lx", offset);
    command += number;
  }
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return;
  char text[8192];
  Frames* frames = nullptr;
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    if (text[0] == '0' && text[1] == 'x') {
      const auto found = offsets.find(std::strtoul(text, nullptr, 16));
      frames = found != offsets.end() ? &into[found->second] : nullptr;
      continue;
    }
    Line line;
    if (frames != nullptr && parse(text, line)) frames->push_back(std::move(line));
  }
  pclose(pipe);
}

}  // namespace

std::map<const void*, Frames> find_lines(const std::vector<const void*>& addresses) {
  std::map<std::string, Offsets> modules;
  for (const void* pc : addresses) {
    Dl_info info;
    if (pc == nullptr || dladdr(pc, &info) == 0 || info.dli_fname == nullptr) continue;
    // The call itself ends where it returns to.
    const auto offset = static_cast<unsigned long>(static_cast<const char*>(pc) -
                                                   static_cast<const char*>(info.dli_fbase) - 1);
    modules[module_file(info.dli_fname)][offset] = pc;
  }
  std::map<const void*, Frames> found;
  for (const auto& [module, offsets] : modules) {
    // Command lines are not of any length.
    Offsets some;
    for (const auto& entry : offsets) {
      some.insert(entry);
      if (some.size() < 2000) continue;
      ask(module, some, found);
      some.clear();
    }
    if (!some.empty()) ask(module, some, found);
  }
  return found;
}

std::string text_of(const Line& line) {
  std::ifstream file(line.file);
  std::string text;
  for (unsigned i = 0; i < line.line; ++i)
    if (!std::getline(file, text)) return "";
  const auto begin = text.find_first_not_of(" \t");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace simt::xray
