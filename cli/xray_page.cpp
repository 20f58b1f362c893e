#include "cli/xray_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/options.h"
#include "cli/xray_page_text.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

std::string short_name(const std::string& file) {
  return fs::path(file).filename().string();
}

ordered_json access_json(const XrayAccess& a) {
  ordered_json j = {{"file", a.file},           {"short", short_name(a.file)},
                    {"line", a.line},           {"inside", a.inside},
                    {"space", a.space},         {"kind", a.kind},
                    {"bulk", a.bulk()},         {"bytes", a.bytes},
                    {"requests", a.requests},   {"lanes", a.lanes_per_request()},
                    {"sectors", a.sectors},     {"wavefronts", a.wavefronts},
                    {"addresses", a.addresses}, {"array", a.array},
                    {"cost", a.cost()},         {"least", a.least()}};
  j["stride"] = a.has_stride ? ordered_json(a.stride) : ordered_json(nullptr);
  j["samples"] = a.bulk() ? nlohmann::json::array() : a.samples;
  return j;
}

ordered_json launch_json(const XrayLaunch& l) {
  ordered_json j = {{"kernel", l.kernel},
                    {"blocks_counted", l.blocks_counted},
                    {"moved", l.bytes_moved()},
                    {"needed", l.bytes_needed()}};
  for (int i = 0; i < 3; ++i) {
    j["grid"].push_back(l.grid[i]);
    j["block"].push_back(l.block[i]);
  }
  j["barriers"] = ordered_json::array();
  for (const auto& b : l.barrier_lines)
    j["barriers"].push_back({{"file", b.file}, {"line", b.line}, {"times", b.times}});
  j["splits"] = ordered_json::array();
  for (const XrayCode& c : l.code)
    if (c.share_that_splits() >= least_split)
      j["splits"].push_back({{"file", c.file}, {"line", c.line}, {"share", c.share_that_splits()}});
  j["timeline"] = l.timeline;
  j["accesses"] = ordered_json::array();
  for (const XrayAccess& a : l.accesses) j["accesses"].push_back(access_json(a));
  return j;
}

// The text around the lines that were counted, and those that a sentence or a barrier is about.
ordered_json files_json(const XrayPagePart& part) {
  std::map<std::string, std::pair<int, int>> ranges;
  const auto add = [&](const std::string& file, int line) {
    if (line == 0) return;
    const auto [at, is_new] = ranges.try_emplace(file, line, line);
    at->second = {std::min(at->second.first, line), std::max(at->second.second, line)};
  };
  for (const XrayLaunch& l : part.launches) {
    for (const XrayAccess& a : l.accesses) add(a.file, a.line);
    for (const auto& b : l.barrier_lines) add(b.file, b.line);
  }
  for (const XrayWaste& w : part.waste) add(w.file, w.line);
  for (const XrayLaunch& l :
       part.launches)  // of these files alone, not of the headers they include
    for (const XrayCode& c : l.code)
      if (c.share_that_splits() >= least_split && ranges.contains(c.file)) add(c.file, c.line);
  ordered_json files = ordered_json::array();
  for (const auto& [file, range] : ranges) {
    std::ifstream in(file);
    if (!in) continue;
    const int first = std::max(1, range.first - 12), last = range.second + 4;
    ordered_json lines = ordered_json::array();
    std::string text;
    for (int n = 1; n <= last && std::getline(in, text); ++n)
      if (n >= first) lines.push_back(text);
    files.push_back({{"name", file},
                     {"short", short_name(file)},
                     {"first", first},
                     {"text", std::move(lines)}});
  }
  return files;
}

// As a browser takes it from any page on this machine: "file:///home/me/a%20b/README.md"; empty: it is not there.
std::string address_of(const fs::path& file) {
  if (!fs::exists(file)) return "";
  std::string address = "file://";
  for (const char c : fs::canonical(file).string())
    address += std::isalnum(static_cast<unsigned char>(c)) ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return address;
}

// Inside a script element only its end tag matters.
std::string safe(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != text.npos; at += 3)
    text.replace(at, 2, "<\\/");
  return text;
}

}  // namespace

void write_xray_page(const std::string& file, const std::vector<XrayPagePart>& parts,
                     const GpuFacts& gpu, const fs::path& root) {
  ordered_json data;
  data["gpu"] = {{"name", gpu.name}, {"bandwidth", gpu.bandwidth}, {"fp32", gpu.fp32}};
  for (const XrayPagePart& part : parts) {
    ordered_json p = {{"title", part.title}, {"test", part.test}, {"flops", part.flops}};
    p["left"] = part.left;
    p["next"] = part.next;
    p["roof"] = {{"tflops", part.roof.tflops}, {"of", part.roof.name()}};
    p["bound_by"] = part.bound_by;
    p["waste"] = ordered_json::array();
    for (const XrayWaste& w : part.waste)
      p["waste"].push_back({{"kind", w.kind},
                            {"file", w.file},
                            {"line", w.line},
                            {"kernel", w.kernel},
                            {"bytes", w.bytes},
                            {"sentence", w.sentence},
                            {"lesson", w.page()},
                            {"address", address_of(root / w.page())}});
    p["files"] = files_json(part);
    p["launches"] = ordered_json::array();
    for (const XrayLaunch& l : part.launches) p["launches"].push_back(launch_json(l));
    data["parts"].push_back(std::move(p));
  }
  std::ofstream out(file);
  out << xray_page_head << "<script type=\"application/json\" id=\"data\">"
      << safe(data.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) << "</script>\n"
      << xray_page_script;
  if (!out) throw Refusal(fmt::format("cannot write '{}'", file));
}

}  // namespace warpath::cli
