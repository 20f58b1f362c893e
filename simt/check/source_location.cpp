#include "source_location.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <tuple>

#include "findings.h"

namespace simt::check {
namespace {

bool is_simt_header(const std::string& file) {
  return file.find("/simt/include/") != std::string::npos ||
         file.find("/include/simt-cuda/") != std::string::npos ||
         file.find("/include/c++/") != std::string::npos;
}

bool is_source(const std::string& file) {
  for (const char* end : {".cu", ".cpp", ".cc", ".cxx", ".c"}) {
    if (file.ends_with(end)) return true;
  }
  return false;
}

// Headers of CCCL, wherever it is.
bool is_library_header(const std::string& file) {
  if (is_source(file)) return false;
  for (const char* folder :
       {"/cccl/", "/include/thrust/", "/include/cub/", "/include/cuda/std/", "/include/cuda/__",
        "/thrust/thrust/", "/cub/cub/", "/libcudacxx/include/"}) {
    if (file.find(folder) != std::string::npos) return true;
  }
  return false;
}

// The next caller of what is inlined: the program's innermost file is shown, but whoever called a header's function
// looks for the call.
void add_frame(SourceLocation& found, const std::string& file, unsigned line) {
  const bool own = is_simt_header(file);
  const bool library = own || is_library_header(file);
  const SourceLocation here{file, line, own, library, "", 0};
  if (!found.known() || (found.own && !own)) {
    found = here;
  } else if (found.library && !library) {
    found = {file, line, false, false, found.file, found.line};
  } else if (!library && !is_source(found.file) && is_source(file)) {
    found = {file, line, false, false, found.file, found.line};
  }
}

SourceLocation find_location(const void* pc) {
  Dl_info info;
  if (pc == nullptr || dladdr(pc, &info) == 0 || info.dli_fname == nullptr) return {};
  char module[4096];
  if (realpath(info.dli_fname, module) == nullptr) {
    const ssize_t length = readlink("/proc/self/exe", module, sizeof module - 1);
    if (length <= 0) return {};
    module[length] = '\0';
  }
  std::string quoted = "'";
  for (const char* c = module; *c != '\0'; ++c) quoted += *c == '\'' ? "'\\''" : std::string(1, *c);
  const auto offset = static_cast<const char*>(pc) - static_cast<const char*>(info.dli_fbase) - 1;
  char command[8192];
  std::snprintf(command, sizeof command, "addr2line -i -e %s' 0x%lx 2>/dev/null", quoted.c_str(),
                static_cast<unsigned long>(offset));
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return {};
  SourceLocation found;
  char text[8192];
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    std::string frame = text;
    frame.erase(frame.find_last_not_of(" \n") + 1);
    if (const auto note = frame.find(" ("); note != std::string::npos) frame.resize(note);
    const auto colon = frame.rfind(':');
    if (colon == std::string::npos || frame[0] == '?') continue;
    const auto line = static_cast<unsigned>(std::strtoul(frame.c_str() + colon + 1, nullptr, 10));
    if (line == 0) continue;
    add_frame(found, frame.substr(0, colon), line);
  }
  pclose(pipe);
  return found;
}

struct Locations {
  std::mutex mutex;
  std::map<const void*, SourceLocation> by_pc;
  // Whose addresses are in by_pc.
  std::map<std::tuple<std::string, unsigned, std::string, unsigned>, char> stand_ins;
};

Locations& locations() {
  static Locations* const it = new Locations;
  return *it;
}

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

const SourceLocation& location_of(const void* pc) {
  Locations& all = locations();
  const std::lock_guard lock(all.mutex);
  const auto known = all.by_pc.find(pc);
  return known != all.by_pc.end() ? known->second
                                  : all.by_pc.emplace(pc, find_location(pc)).first->second;
}

SourceLocation location_of(Site site, const void* near) {
  // The compiler was given a path from where it ran.
  std::string file = site.file;
  if (file[0] != '/') {
    const std::string folder = location_of(near).file;
    const auto slash = folder.rfind('/');
    if (slash != folder.npos) {
      file = folder.substr(0, slash + 1) + file.substr(file.rfind('/') + 1);
    }
  }
  return {file, site.line, false, false, "", 0};
}

const void* pc_of(Site site, const void* near) {
  if (site.file == nullptr) return nullptr;
  const void* const pc = site.file + site.line;
  const SourceLocation location = location_of(site, near);
  Locations& all = locations();
  const std::lock_guard lock(all.mutex);
  all.by_pc.emplace(pc, location);
  return pc;
}

const void* pc_of(const SourceLocation& location) {
  Locations& all = locations();
  const std::lock_guard lock(all.mutex);
  const void* const pc =
      &all.stand_ins[{location.file, location.line, location.inside_file, location.inside_line}];
  all.by_pc.emplace(pc, location);
  return pc;
}

bool is_own_code(const void* pc) {
  const SourceLocation& location = location_of(pc);
  return location.own || !location.known();
}

bool is_in_runtime(const void* pc) {
  Dl_info info;
  if (dladdr(pc, &info) == 0 || info.dli_fname == nullptr) return true;
  const std::string file = info.dli_fname;
  return file.find("libsimt") != std::string::npos;
}

std::string short_name(const SourceLocation& location) {
  if (!location.known()) return "";
  return location.file.substr(location.file.rfind('/') + 1) + ":" + std::to_string(location.line);
}

std::string source_text(const SourceLocation& location) {
  if (!location.known()) return "";
  std::ifstream file(location.file);
  std::string line;
  for (unsigned i = 0; i < location.line; ++i) {
    if (!std::getline(file, line)) return "";
  }
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::string allocated_name(const SourceLocation& location) {
  const std::string text = source_text(location);
  auto call = text.find("Malloc");
  for (const char* maker : {"CreateTextureObject", "CreateSurfaceObject"}) {
    if (call == std::string::npos) call = text.find(maker);
  }
  const auto begin = call == std::string::npos ? call : text.find('&', call);
  // A second allocation on the line: which one is it?
  if (begin == std::string::npos || text.find("Malloc", begin) != std::string::npos) return "";
  auto end = begin + 1;
  while (end < text.size() && (is_part_of_name(text[end]) || text[end] == '.' ||
                               text.compare(end, 2, "->") == 0 || text[end] == '>')) {
    ++end;
  }
  if (end < text.size() && text[end] == '[') return "";
  return text.substr(begin + 1, end - begin - 1);
}

}  // namespace simt::check
