#include "cli/xray_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

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
    for (const auto member : {&XrayCode::times, &XrayCode::lanes, &XrayCode::splits})
      c.*member *= by;
  for (auto& b : l.barrier_lines) b.times *= by;
}

// --- waste ---------------------------------------------------------------------------------------

// How much each costs beside the others: cycles that its unit is busy, for a large GPU of today. They only put
// the sentences in order.
constexpr double per_new_sector = 1.5, per_known_sector = 0.5, per_wavefront = 1, per_request = 1,
                 per_block_of_code = 1, per_barrier = 0.5, per_meeting = 8;

std::string where(const XrayAccess& a) {
  return fmt::format("{}:{}", fs::path(a.file).filename().string(), a.line);
}

std::string with_digit(double n) {
  return std::abs(n - std::round(n)) < 0.05 ? fmt::format("{:.0f}", n) : fmt::format("{:.1f}", n);
}

const char* verb(const XrayAccess& a) {
  return a.atomic() ? "updates" : a.stores() ? "writes" : "reads";
}

bool is_global(const XrayAccess& a) {
  return a.space == "global" && !a.bulk();
}

void find_uncoalesced(const XrayLaunch& l, const XrayAccess& a, std::vector<XrayWaste>& into) {
  const double extra = a.sectors - a.least_sectors;
  if (a.least_sectors <= 0 || a.sectors < 1.15 * a.least_sectors) return;
  if (a.atomic() && a.on_one_address >= 1.5 * a.requests) return;  // that is what costs
  const double fresh = a.sectors > 0 ? a.first_touches / a.sectors : 1;
  XrayWaste w{"coalescing", a.file, a.line, l.kernel, 0, extra * 32, "", "ops/matmul/matmul"};
  w.weight = extra * (fresh * per_new_sector + (1 - fresh) * per_known_sector);
  const std::string touches =
      fmt::format("each request of a warp touches {} sectors where {} would do",
                  with_digit(a.cost()), with_digit(std::max(1.0, a.least())));
  if (a.has_stride && std::abs(a.stride) > a.bytes) {
    w.sentence = fmt::format(
        "{} {} with a stride of {} bytes between neighbouring lanes: {}. Let consecutive threads "
        "take consecutive elements.",
        where(a), verb(a), std::abs(a.stride), touches);
  } else if (a.has_stride && a.misaligned > 0.5 * a.requests) {
    w.sentence = fmt::format(
        "{} {} neighbouring elements, but begins inside a 32-byte sector: {}. Begin at a multiple "
        "of 32 bytes.",
        where(a), verb(a), touches);
    w.lesson = "ops/elementwise/vector_add";
  } else {
    w.sentence = fmt::format(
        "{} {} scattered addresses: {}. Let the lanes of a warp work on neighbouring elements, or "
        "reorder the data through shared memory.",
        where(a), verb(a), touches);
    w.lesson = "ops/layout/transpose";
  }
  into.push_back(std::move(w));
}

void find_conflicts(const XrayLaunch& l, const XrayAccess& a, std::vector<XrayWaste>& into) {
  const double extra = a.wavefronts - a.least_wavefronts;
  if (extra < 0.15 * a.wavefronts || extra <= 0) return;
  XrayWaste w{"bank conflicts",      a.file,      a.line, l.kernel,
              extra * per_wavefront, extra * 128, "",     "ops/layout/transpose"};
  const double way = a.cost() / std::max(1.0, a.least());
  std::string cure = "Pad each row by one element, or permute (swizzle) the columns.";
  if (a.has_stride && a.stride != 0 && a.stride % 4 == 0) {
    // An odd number of words per step meets all banks.
    const std::int64_t words = std::abs(a.stride) / 4;
    if (words % 2 == 0 && words >= 2)
      cure = fmt::format(
          "A row of {} words instead of {} would put them in different banks: pad it by one.",
          words + 1, words);
  }
  w.sentence = fmt::format(
      "{} {} shared memory with {}-way bank conflicts: a request takes {} wavefronts where {} "
      "would "
      "do. {}",
      where(a), verb(a), with_digit(way), with_digit(a.cost()),
      with_digit(std::max(1.0, a.least())), cure);
  into.push_back(std::move(w));
}

void find_meetings(const XrayLaunch& l, const XrayAccess& a, std::vector<XrayWaste>& into) {
  if (!a.atomic() || a.requests == 0) return;
  const double most = a.on_one_address / a.requests;
  if (most < 1.5) return;
  XrayWaste w{"atomics",
              a.file,
              a.line,
              l.kernel,
              (a.on_one_address - a.requests) * per_meeting,
              (a.on_one_address - a.requests) * a.bytes,
              "",
              "ops/reduce/reduce"};
  w.sentence = fmt::format(
      "{} has {} lanes of a warp meet on one address: they are served one after the other. Add up "
      "inside the warp or the block first, then let one lane do the atomic.",
      where(a), with_digit(most));
  into.push_back(std::move(w));
}

void find_narrow(const XrayLaunch& l, const XrayAccess& a, std::vector<XrayWaste>& into) {
  if (a.bytes >= 16 || a.bytes == 0 || a.atomic() || !a.has_stride || a.stride != a.bytes ||
      a.lanes_per_request() < 24)
    return;
  const double extra = a.requests * (1 - a.bytes / 16.0);
  XrayWaste w{"narrow accesses",         a.file, a.line, l.kernel,
              0.5 * extra * per_request, 0,      "",     "ops/elementwise/vector_add"};
  w.sentence = fmt::format(
      "{} {} {} per thread: a warp asks for {} bytes per instruction where 512 are possible. "
      "16 bytes per thread (float4) would take {} requests in place of {}.",
      where(a), verb(a), a.bytes == 1 ? "1 byte" : fmt::format("{} bytes", a.bytes), 32 * a.bytes,
      short_count(std::ceil(a.requests * a.bytes / 16)), short_count(a.requests));
  into.push_back(std::move(w));
}

// Constant memory gives a warp one address at a time.
void find_constants(const XrayLaunch& l, const XrayAccess& a, std::vector<XrayWaste>& into) {
  if (!a.constant() || a.requests <= 0 || a.cost() < 1.5) return;
  XrayWaste w{"constant memory",
              a.file,
              a.line,
              l.kernel,
              (a.addresses - a.requests) * per_wavefront,
              0,
              "",
              "docs/xray.md"};
  w.sentence = fmt::format(
      "{} reads {} addresses of '{}' per request: constant memory serves a warp one address at a "
      "time. Put a table that lanes index differently into shared or global memory.",
      where(a), with_digit(a.cost()), a.array);
  into.push_back(std::move(w));
}

// An array of a thread that its lanes index differently: no register can be indexed.
void find_local_arrays(const XrayLaunch& l, std::vector<XrayWaste>& into) {
  std::map<std::string, std::pair<const XrayAccess*, double>> arrays;  // the worst access; sectors
  for (const XrayAccess& a : l.accesses) {
    if (!a.local()) continue;
    auto& [most, sectors] = arrays[a.array];
    if (most == nullptr || a.sectors > most->sectors) most = &a;
    sectors += a.sectors;
  }
  for (const auto& [name, found] : arrays) {
    const auto& [a, sectors] = found;
    XrayWaste w{"local memory", a->file, a->line,       l.kernel, sectors * per_known_sector,
                sectors * 32,   "",      "docs/xray.md"};
    w.sentence = fmt::format(
        "{} indexes the local array '{}' by a value that differs from lane to lane, so it lives in "
        "local memory: {} sectors per request where a register needs none. Index it by constants "
        "(unroll the loop), or keep it in shared memory.",
        where(*a), name, with_digit(a->cost()));
    into.push_back(std::move(w));
  }
}

// Loads of sectors that the launch has read before, over all lines: a cache may have them, but they pass through it.
void find_rereads(const XrayLaunch& l, std::vector<XrayWaste>& into) {
  double least = 0, fresh = 0;
  const XrayAccess* most = nullptr;
  for (const XrayAccess& a : l.accesses) {
    if (!is_global(a) || !a.loads()) continue;
    least += std::min(a.sectors, a.least_sectors);
    fresh += a.first_touches;
    if (most == nullptr ||
        a.least_sectors - a.first_touches > most->least_sectors - most->first_touches)
      most = &a;
  }
  const double extra = least - fresh;
  if (most == nullptr || fresh <= 0 || least < 1.5 * fresh) return;
  const double times = least / fresh;
  XrayWaste w{"read again", most->file, most->line,         l.kernel, extra * per_known_sector,
              extra * 32,   "",         "ops/matmul/matmul"};
  const bool few = times < 4.5;
  if (few) {
    w.weight = extra * per_new_sector;  // the second pass over much data finds it in no cache
    w.lesson = "ops/softmax/softmax";
  }
  w.sentence = fmt::format(
      "{} is the largest part of reading every sector {} times: {} pass where {} are needed. {}",
      where(*most), with_digit(times), short_bytes(least * 32), short_bytes(fresh * 32),
      few ? "Do it in one pass, or keep the values in registers or shared memory between passes."
          : "Load a tile into shared memory once and let the whole block use it.");
  into.push_back(std::move(w));
}

// Shared memory that is read far more often than it is filled, for few operations each time.
// `flops`: of the launch, 0 where they are unknown.
void find_shared_traffic(const XrayLaunch& l, double flops, std::vector<XrayWaste>& into) {
  double reads = 0, writes = 0;
  const XrayAccess* most = nullptr;
  for (const XrayAccess& a : l.accesses) {
    if (a.kind == "async_load" || a.kind == "bulk_load") writes += a.bytes_asked / 128;
    if (!a.shared() || a.atomic()) continue;
    (a.loads() ? reads : writes) += a.least_wavefronts;
    if (a.loads() && (most == nullptr || a.least_wavefronts > most->least_wavefronts)) most = &a;
  }
  if (most == nullptr || reads < 4 * writes) return;
  // A multiprocessor reads a wavefront in the time of 128 FMAs.
  if (flops >= 256 * reads) return;
  XrayWaste w{"shared memory traffic",     most->file,  most->line, l.kernel,
              0.5 * reads * per_wavefront, reads * 128, "",         "ops/matmul/matmul"};
  w.sentence = fmt::format(
      "{} reads shared memory {} times as often as it is filled, and each value that is read feeds "
      "few operations. Keep a small tile in registers and use each value several times.",
      where(*most), with_digit(reads / std::max(1.0, writes)));
  into.push_back(std::move(w));
}

void find_divergence(const XrayLaunch& l, std::vector<XrayWaste>& into) {
  double times = 0, lanes = 0;
  const XrayCode* most = nullptr;
  for (const XrayCode& c : l.code) {
    times += c.times;
    lanes += c.lanes;
    if (c.splits > 0 && (most == nullptr || c.splits > most->splits)) most = &c;
  }
  if (times <= 0 || most == nullptr || l.waits > 0) return;  // as in find_empty_warps
  const double active = lanes / times;
  const double full = std::min(32, l.threads());
  if (active > 0.85 * full) return;
  XrayWaste w{"divergence",
              most->file,
              most->line,
              l.kernel,
              (times * full - lanes) / full * per_block_of_code,
              0,
              "",
              "ops/reduce/reduce"};
  w.sentence = fmt::format(
      "{}:{} splits warps: on average {} of {} lanes take part in an instruction, and the others "
      "wait. {}",
      fs::path(most->file).filename().string(), most->line, with_digit(active), with_digit(full),
      active < 2 ? "Share the work of that one lane out over the warp or the block."
                 : "Let whole warps take one side of the branch.");
  into.push_back(std::move(w));
}

void find_barriers(const XrayLaunch& l, std::vector<XrayWaste>& into) {
  if (l.barriers <= 0 || l.blocks_counted <= 0) return;
  const double per_block = l.barriers / l.blocks_counted;
  if (per_block < 3) return;
  const XrayLaunch::Barrier* most = nullptr;
  for (const auto& b : l.barrier_lines)
    if (most == nullptr || b.times > most->times) most = &b;
  if (most == nullptr) return;
  XrayWaste w{"barriers",
              most->file,
              most->line,
              l.kernel,
              (l.barriers - l.blocks_counted) * ((l.threads() + 31) / 32.0) * per_barrier,
              0,
              "",
              "ops/reduce/reduce"};
  w.sentence = fmt::format(
      "{}:{} waits: a block passes {} barriers. Where only the lanes of a warp exchange values, "
      "shuffles need none.",
      fs::path(most->file).filename().string(), most->line, with_digit(per_block));
  into.push_back(std::move(w));
}

void find_empty_warps(const XrayLaunch& l, std::vector<XrayWaste>& into) {
  // A warp that waits for another block turns as often as this CPU makes it.
  if (l.warps <= 0 || l.blocks_counted <= 0 || l.waits > 0) return;
  const double per_block = l.warps / l.blocks_counted;
  const double busiest = l.busiest_warp / l.blocks_counted, mean = l.all_warps / l.warps;
  if (per_block < 2 || mean <= 0 || busiest < 1.5 * mean) return;
  XrayWaste w{"uneven warps",
              l.accesses.empty() ? "" : l.accesses.front().file,
              0,
              l.kernel,
              0.1 * (busiest - mean) * per_block * l.blocks_counted * per_block_of_code,
              0,
              "",
              "ops/reduce/reduce"};
  w.sentence = fmt::format(
      "{}: the busiest warp of a block executes {} times as much as the average one, and the "
      "others "
      "wait for it. Spread the work.",
      l.kernel, with_digit(busiest / mean));
  into.push_back(std::move(w));
}

// What passes through memory between the kernels of an op: written by one, read by the next.
void find_between_kernels(const std::vector<XrayLaunch>& launches, double least_bytes,
                          std::vector<XrayWaste>& into) {
  double count = 0, needed = 0, largest = 0, edges = 0;
  const XrayLaunch* most = nullptr;
  for (const XrayLaunch& l : launches) {
    // What sampled blocks touch does not tell what all of them do: they may share it.
    if (l.blocks_counted < l.blocks) return;
    const double bytes = l.launches * l.bytes_needed();
    count += l.launches;
    needed += bytes;
    edges += l.launches * 32 * static_cast<double>(l.accesses.size());
    if (bytes >= largest) most = &l;
    largest = std::max(largest, bytes);
  }
  if (count < 2 || least_bytes <= 0 || most == nullptr) return;
  // Sectors that the ends of many small tensors fill only in part are not what is meant.
  if (needed - edges < 1.3 * least_bytes) return;
  const double extra = needed - least_bytes;
  XrayWaste w{"between kernels",
              most->accesses.front().file,
              most->accesses.front().line,
              most->kernel,
              extra / 32 * per_new_sector,
              extra,
              "",
              "ops/elementwise/fused_elementwise"};
  w.sentence = fmt::format(
      "{} launches touch {} of memory in all where the op must move {}: each reads again what the "
      "one "
      "before it wrote or read. Do more per launch, so that values stay in registers or shared "
      "memory.",
      with_digit(count), short_bytes(needed), short_bytes(least_bytes));
  into.push_back(std::move(w));
}

// What all the accesses, basic blocks and barriers weigh.
double all_work(const std::vector<XrayLaunch>& launches) {
  double total = 0;
  for (const XrayLaunch& l : launches) {
    double work = 0;
    for (const XrayAccess& a : l.accesses) {
      work += a.requests * per_request + (a.wavefronts + a.addresses) * per_wavefront;
      const double fresh = std::min(a.first_touches, a.sectors);
      work += fresh * per_new_sector + (a.sectors - fresh) * per_known_sector;
      if (a.atomic()) work += a.on_one_address * per_meeting;
    }
    for (const XrayCode& c : l.code) work += c.times * per_block_of_code;
    work += l.barriers * ((l.threads() + 31) / 32.0) * per_barrier;
    total += l.all() * work;
  }
  return total;
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
                        number(c, "splits")});
    for (const json& b : j.at("barrier_lines"))
      l.barrier_lines.push_back({b.at("file"), b.at("line"), number(b, "times")});
    l.timeline = j.value("timeline", json::array());
    scale(l, 1 / std::max(1.0, l.launches));
    if (!l.accesses.empty()) all.push_back(std::move(l));
  }
  return all;
}

std::vector<XrayWaste> find_waste(const std::vector<XrayLaunch>& launches, double least_bytes,
                                  double flops) {
  std::vector<XrayWaste> all;
  find_between_kernels(launches, least_bytes, all);
  for (const XrayLaunch& l : launches) {
    const auto before = static_cast<std::ptrdiff_t>(all.size());
    for (const XrayAccess& a : l.accesses) {
      if (is_global(a)) find_uncoalesced(l, a, all);
      if (a.shared() && !a.atomic()) find_conflicts(l, a, all);
      find_meetings(l, a, all);
      if (is_global(a)) find_narrow(l, a, all);
      find_constants(l, a, all);
    }
    find_local_arrays(l, all);
    find_rereads(l, all);
    find_shared_traffic(l, flops / std::max(1.0, l.all()), all);
    find_divergence(l, all);
    find_barriers(l, all);
    find_empty_warps(l, all);
    for (auto w = all.begin() + before; w != all.end(); ++w) {
      w->weight *= l.all();
      w->bytes *= l.all();
    }
  }
  // What a line does in several places of the code counts once.
  std::vector<XrayWaste> joined;
  for (XrayWaste& w : all) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const XrayWaste& k) {
      return k.kind == w.kind && k.file == w.file && k.line == w.line && k.kernel == w.kernel;
    });
    if (same == joined.end()) {
      joined.push_back(std::move(w));
      continue;
    }
    if (w.weight > same->weight) same->sentence = w.sentence;
    same->weight += w.weight;
    same->bytes += w.bytes;
  }
  const double work = all_work(launches);
  for (XrayWaste& w : joined) w.share = work > 0 ? w.weight / work : 0;
  // Several lines of a kernel that do the same are as much as one.
  std::map<std::pair<std::string, std::string>, double> shares;
  for (const XrayWaste& w : joined) shares[{w.kind, w.kernel}] += w.share;
  std::erase_if(joined, [&](const XrayWaste& w) {
    return shares.at({w.kind, w.kernel}) < least_share;
  });
  std::stable_sort(joined.begin(), joined.end(),
                   [](const XrayWaste& a, const XrayWaste& b) { return a.weight > b.weight; });
  return joined;
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
