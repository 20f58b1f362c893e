#include "cli/xray_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace fs = std::filesystem;
using nlohmann::json;

namespace warpath::cli {
namespace {

struct Frame {
  std::string file;
  int line;
};

// The innermost line of the file that was asked about, else the innermost one.
void place(const json& lines, const std::string& main_file, XrayAccess& a) {
  std::vector<Frame> frames;
  for (const json& l : lines) frames.push_back({l.at("file"), l.at("line")});
  if (frames.empty()) return;
  const Frame* chosen = &frames.front();
  for (const Frame& f : frames)
    if (f.file == main_file) {
      chosen = &f;
      break;
    }
  // A kernel that stands in a header beside the file: better its own line than one of a general helper.
  if (chosen->file != main_file && !main_file.empty())
    for (const Frame& f : frames)
      if (fs::path(f.file).parent_path().parent_path() ==
              fs::path(main_file).parent_path().parent_path() ||
          fs::path(f.file).parent_path() == fs::path(main_file).parent_path().parent_path()) {
        chosen = &f;
        break;
      }
  a.file = chosen->file;
  a.line = chosen->line;
  if (chosen != &frames.front())
    a.inside = fmt::format("{}:{}", fs::path(frames.front().file).filename().string(),
                           frames.front().line);
}

double number(const json& j, const char* key) {
  const auto found = j.find(key);
  return found != j.end() ? found->get<double>() : 0;
}

XrayAccess read_access(const json& j, const std::string& main_file) {
  XrayAccess a;
  place(j.at("lines"), main_file, a);
  a.text = j.value("text", "");
  a.space = j.at("space");
  a.kind = j.at("kind");
  a.bytes = j.at("bytes_per_lane");
  a.requests = number(j, "requests");
  a.lanes = number(j, "lanes");
  a.bytes_asked = number(j, "bytes_asked");
  a.sectors = number(j, "sectors");
  a.least_sectors = number(j, "least_sectors");
  a.first_touches = number(j, "first_touches");
  a.misaligned = number(j, "misaligned");
  a.wavefronts = number(j, "wavefronts");
  a.least_wavefronts = number(j, "least_wavefronts");
  a.on_one_address = number(j, "lanes_on_one_address");
  a.addresses = number(j, "addresses");
  a.array = j.value("array", "");
  a.has_stride = j.contains("stride");
  if (a.has_stride) a.stride = j.at("stride");
  a.samples = j.value("samples", json::array());
  return a;
}

// The kernel's place and its launch's. A barrier's file is as the compiler was told it: of those that were counted, it is the
// one of that name.
void name_places(XrayLaunch& l, const std::string& main_file, SourceFiles& sources) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& file) {
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end())
      files.push_back(file);
  };
  add(main_file);
  for (const XrayAccess& a : l.accesses) add(a.file);
  for (const XrayCode& c : l.code) add(c.file);
  for (auto& b : l.barrier_lines) {
    const fs::path name = fs::path(b.file).filename();
    const auto known = std::find_if(files.begin(), files.end(), [&](const std::string& file) {
      return fs::path(file).filename() == name;
    });
    if (known != files.end()) b.file = *known;
  }
  l.defined = sources.definition(files, l.kernel);
  l.launched = sources.launch(files, l.kernel);
  if (l.launched.line == 0) l.launched = l.defined;
}

// From all launches of the run to one.
void scale(XrayLaunch& l, double by) {
  for (const auto member : {&XrayLaunch::blocks, &XrayLaunch::blocks_counted, &XrayLaunch::barriers,
                            &XrayLaunch::warp_operations, &XrayLaunch::splits,
                            &XrayLaunch::busiest_warp, &XrayLaunch::all_warps, &XrayLaunch::warps})
    l.*member *= by;
  for (XrayAccess& a : l.accesses)
    for (const auto member :
         {&XrayAccess::requests, &XrayAccess::lanes, &XrayAccess::bytes_asked, &XrayAccess::sectors,
          &XrayAccess::least_sectors, &XrayAccess::first_touches, &XrayAccess::misaligned,
          &XrayAccess::wavefronts, &XrayAccess::least_wavefronts, &XrayAccess::on_one_address,
          &XrayAccess::addresses})
      a.*member *= by;
  for (XrayCode& c : l.code)
    for (const auto member : {&XrayCode::times, &XrayCode::lanes, &XrayCode::splits,
                              &XrayCode::passes, &XrayCode::arithmetic})
      c.*member *= by;
  for (auto& b : l.barrier_lines) b.times *= by;
}

}  // namespace

double XrayLaunch::sum(bool (*which)(const XrayAccess&), double XrayAccess::*what) const {
  double total = 0;
  for (const XrayAccess& a : accesses)
    if (which(a)) total += a.*what;
  return total;
}

double XrayLaunch::bytes_moved() const {
  return 32 * sum([](const XrayAccess& a) { return a.space == "global"; }, &XrayAccess::sectors);
}
double XrayLaunch::bytes_needed() const {
  return 32 *
         sum([](const XrayAccess& a) { return a.space == "global"; }, &XrayAccess::first_touches);
}
double XrayLaunch::unevenness() const {
  return all_warps > 0 && blocks_counted > 0 ? busiest_warp / blocks_counted / (all_warps / warps)
                                             : 1;
}
double XrayLaunch::active_lanes() const {
  double times = 0, lanes = 0;
  for (const XrayCode& c : code) {
    times += c.times;
    lanes += c.lanes;
  }
  return times > 0 ? lanes / times : 0;
}

std::vector<XrayLaunch> read_xray(const json& counts, const std::string& main_file) {
  std::vector<XrayLaunch> all;
  SourceFiles sources;
  for (const json& j : counts.at("launches")) {
    XrayLaunch l;
    l.kernel = j.at("kernel");
    for (int i = 0; i < 3; ++i) {
      l.grid[i] = j.at("grid")[i];
      l.block[i] = j.at("block")[i];
    }
    l.launches = number(j, "launches");
    l.blocks = number(j, "blocks");
    l.blocks_counted = number(j, "blocks_counted");
    l.static_shared = j.at("static_shared");
    l.dynamic_shared = j.at("dynamic_shared");
    l.barriers = number(j, "barriers");
    l.waits = number(j, "waits");
    l.warp_operations = number(j, "warp_operations");
    l.splits = number(j, "splits");
    l.busiest_warp = number(j, "busiest_warp");
    l.all_warps = number(j, "all_warps");
    l.warps = number(j, "warps");
    for (const json& a : j.at("accesses")) l.accesses.push_back(read_access(a, main_file));
    for (const json& c : j.at("code"))
      l.code.push_back({c.at("file"), c.at("line"), number(c, "times"), number(c, "lanes"),
                        number(c, "splits"), number(c, "arithmetic"), number(c, "passes")});
    for (const json& b : j.at("barrier_lines"))
      l.barrier_lines.push_back({b.at("file"), b.at("line"), number(b, "times")});
    l.timeline = j.value("timeline", json::array());
    name_places(l, main_file, sources);
    scale(l, 1 / std::max(1.0, l.launches));
    if (!l.accesses.empty()) all.push_back(std::move(l));
  }
  return all;
}

std::string with_digit(double n) {
  return std::abs(n - std::round(n)) < 0.05 ? fmt::format("{:.0f}", n) : fmt::format("{:.1f}", n);
}

std::string short_count(double n) {
  if (n < 10000) return with_digit(n);
  if (n < 1e6) return fmt::format("{:.0f}k", n / 1e3);
  return n < 1e9 ? fmt::format("{:.1f}M", n / 1e6) : fmt::format("{:.1f}G", n / 1e9);
}

std::string short_bytes(double n) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (n >= 1024 && unit < 4) {
    n /= 1024;
    ++unit;
  }
  return fmt::format("{} {}",
                     n < 10 && unit > 0 ? fmt::format("{:.1f}", n) : fmt::format("{:.0f}", n),
                     units[unit]);
}

}  // namespace warpath::cli
