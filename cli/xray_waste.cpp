// What of the counts is waste, in one currency: cycles of a multiprocessor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/xray_waste.h"

namespace fs = std::filesystem;

namespace warpath::cli {

std::string where(const std::string& file, int line, const std::string& kernel) {
  return line > 0 ? fmt::format("{}:{}", fs::path(file).filename().string(), line) : kernel;
}

std::string where(const XrayAccess& a, const XrayLaunch& l) {
  return where(a.file, a.line, l.kernel);
}

namespace {

const char* verb(const XrayAccess& a) {
  return a.atomic() ? "updates" : a.stores() ? "writes" : "reads";
}

bool is_global(const XrayAccess& a) {
  return a.space == "global" && !a.bulk();
}

// Whether neighbouring lanes have neighbouring elements, but where a row or a plane ends: in the warps that were kept.
bool is_mostly_side_by_side(const XrayAccess& a) {
  int pairs = 0, beside = 0;
  for (const nlohmann::json& s : a.samples) {
    const auto mask = s.at("mask").get<std::uint32_t>();
    const nlohmann::json& offsets = s.at("offsets");  // of the lanes in the mask
    std::size_t at = 0;
    for (int lane = 0; lane < 31; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      ++at;
      if ((mask >> lane & 2) == 0) continue;
      ++pairs;
      beside += offsets[at].get<std::int64_t>() - offsets[at - 1].get<std::int64_t>() == a.bytes;
    }
  }
  return pairs > 0 && beside >= 0.85 * pairs;
}

void find_uncoalesced(const XrayLaunch& l, const XrayAccess& a, const Prices& price,
                      std::vector<XrayWaste>& into) {
  const double extra = a.sectors - a.least_sectors;
  if (a.least_sectors <= 0 || a.sectors < 1.15 * a.least_sectors) return;
  if (a.atomic() && a.on_one_address >= 1.5 * a.requests) return;  // that is what costs
  const double fresh = a.sectors > 0 ? a.first_touches / a.sectors : 1;
  XrayWaste w{"coalescing", a.file, a.line, l.kernel, 0, extra * 32, "", "ops/matmul/matmul"};
  w.weight = extra * (fresh * price.new_sector + (1 - fresh) * price.known_sector);
  const std::string touches =
      fmt::format("each request of a warp touches {} sectors where {} would do",
                  with_digit(a.cost()), with_digit(std::max(1.0, a.least())));
  if (a.has_stride && std::abs(a.stride) > a.bytes) {
    w.sentence = fmt::format(
        "{} {} with a stride of {} bytes between neighbouring lanes: {}. Let consecutive threads "
        "take consecutive elements.",
        where(a, l), verb(a), std::abs(a.stride), touches);
  } else if (a.misaligned > 0.5 * a.requests && (a.has_stride || is_mostly_side_by_side(a))) {
    w.sentence = fmt::format(
        "{} {} neighbouring elements, but begins inside a 32-byte sector: {}. Begin at a multiple "
        "of 32 bytes.",
        where(a, l), verb(a), touches);
    w.lesson = "ops/elementwise/vector_add";
  } else {
    w.sentence = fmt::format(
        "{} {} scattered addresses: {}. Let the lanes of a warp work on neighbouring elements, or "
        "reorder the data through shared memory.",
        where(a, l), verb(a), touches);
    w.lesson = "ops/layout/transpose";
  }
  into.push_back(std::move(w));
}

// Accesses of 8 or 16 bytes must stay aligned: their rows grow by whole ones, others by words.
std::string padding(const XrayAccess& a) {
  const int unit = std::max(4, a.bytes);
  const std::int64_t units = a.has_stride ? std::abs(a.stride) / unit : 0;
  // An odd number of units per step meets all banks.
  if (units < 2 || units % 2 != 0 || a.stride % unit != 0)
    return unit == 4 ? "Pad each row by one element, or permute (swizzle) the columns."
                     : fmt::format(
                           "Pad each row by {} bytes, one access, or permute (swizzle) the "
                           "columns.",
                           unit);
  if (unit == 4)
    return fmt::format(
        "A row of {} words instead of {} would put them in different banks: pad it by one.",
        units + 1, units);
  return fmt::format(
      "A row of {} bytes instead of {} would put them in different banks: pad it by {} bytes, one "
      "access, so that all stay aligned.",
      (units + 1) * unit, units * unit, unit);
}

void find_conflicts(const XrayLaunch& l, const XrayAccess& a, const Prices& price,
                    std::vector<XrayWaste>& into) {
  const double extra = a.wavefronts - a.least_wavefronts;
  if (extra < 0.15 * a.wavefronts || extra <= 0) return;
  XrayWaste w{"bank conflicts",        a.file,      a.line, l.kernel,
              extra * price.wavefront, extra * 128, "",     "ops/layout/transpose"};
  const double way = a.cost() / std::max(1.0, a.least());
  w.sentence = fmt::format(
      "{} {} shared memory with {}-way bank conflicts: a request takes {} wavefronts where {} "
      "would "
      "do. {}",
      where(a, l), verb(a), with_digit(way), with_digit(a.cost()),
      with_digit(std::max(1.0, a.least())), padding(a));
  into.push_back(std::move(w));
}

void find_meetings(const XrayLaunch& l, const XrayAccess& a, const Prices& price,
                   std::vector<XrayWaste>& into) {
  if (!a.atomic() || a.requests == 0) return;
  const double most = a.on_one_address / a.requests;
  if (most < 1.5) return;
  XrayWaste w{"atomics",
              a.file,
              a.line,
              l.kernel,
              (a.on_one_address - a.requests) * meeting_price(a, price),
              (a.on_one_address - a.requests) * a.bytes,
              "",
              "ops/reduce/reduce"};
  w.sentence = fmt::format(
      "{} has {} lanes of a warp meet on one address: they are served one after the other. Add up "
      "inside the warp or the block first, then let one lane do the atomic.",
      where(a, l), with_digit(most));
  into.push_back(std::move(w));
}

void find_narrow(const XrayLaunch& l, const XrayAccess& a, const Prices& price,
                 std::vector<XrayWaste>& into) {
  if (a.bytes >= 16 || a.bytes == 0 || a.atomic() || !a.has_stride || a.stride != a.bytes ||
      a.lanes_per_request() < 24)
    return;
  if (std::ceil(a.requests * a.bytes / 16) >= a.requests) return;  // a single one
  const double extra = a.requests * (1 - a.bytes / 16.0);
  XrayWaste w{
      "narrow accesses",           a.file, a.line, l.kernel, extra * price.narrow_request, 0, "",
      "ops/elementwise/vector_add"};
  w.sentence = fmt::format(
      "{} {} {} per thread: a warp asks for {} bytes per instruction where 512 are possible. "
      "16 bytes per thread (float4) would take {} requests in place of {}.",
      where(a, l), verb(a), a.bytes == 1 ? "1 byte" : fmt::format("{} bytes", a.bytes),
      32 * a.bytes, short_count(std::ceil(a.requests * a.bytes / 16)), short_count(a.requests));
  into.push_back(std::move(w));
}

// Constant memory gives a warp one address at a time.
void find_constants(const XrayLaunch& l, const XrayAccess& a, const Prices& price,
                    std::vector<XrayWaste>& into) {
  if (!a.constant() || a.requests <= 0 || a.cost() < 1.5) return;
  XrayWaste w{"constant memory",
              a.file,
              a.line,
              l.kernel,
              (a.addresses - a.requests) * price.wavefront,
              0,
              "",
              "docs/xray.md"};
  w.sentence = fmt::format(
      "{} reads {} addresses of '{}' per request: constant memory serves a warp one address at a "
      "time. Put a table that lanes index differently into shared or global memory.",
      where(a, l), with_digit(a.cost()), a.array);
  into.push_back(std::move(w));
}

// An array of a thread that its lanes index differently: no register can be indexed.
void find_local_arrays(const XrayLaunch& l, const Prices& price, std::vector<XrayWaste>& into) {
  std::map<std::string, std::pair<const XrayAccess*, double>> arrays;  // the worst access; sectors
  for (const XrayAccess& a : l.accesses) {
    if (!a.local()) continue;
    auto& [most, sectors] = arrays[a.array];
    if (most == nullptr || a.sectors > most->sectors) most = &a;
    sectors += a.sectors;
  }
  for (const auto& [name, found] : arrays) {
    const auto& [a, sectors] = found;
    XrayWaste w{"local memory", a->file, a->line,       l.kernel, sectors * price.known_sector,
                sectors * 32,   "",      "docs/xray.md"};
    if (name.find('.') != name.npos)  // "p.table": of a parameter without __grid_constant__
      w.sentence = fmt::format(
          "{} indexes '{}', an array of a parameter, by a value that differs from lane to lane: "
          "nvcc may copy it into the local memory of each thread first, where a request touches {} "
          "sectors. A parameter that is `const __grid_constant__` is read where it is; a table "
          "that lanes index differently is best in shared memory.",
          where(*a, l), name, with_digit(a->cost()));
    else
      w.sentence = fmt::format(
          "{} indexes the local array '{}' by a value that differs from lane to lane, so it lives "
          "in local memory: {} sectors per request where a register needs none. Index it by "
          "constants (unroll the loop), or keep it in shared memory.",
          where(*a, l), name, with_digit(a->cost()));
    into.push_back(std::move(w));
  }
}

// Whether the sectors of an access are few and read by many: a cache keeps them. Else the next pass over much data finds
// nothing in it.
bool is_shared_by_many(const XrayAccess& a) {
  return a.first_touches > 0 && a.least_sectors >= 4.5 * a.first_touches;
}

// Loads of sectors that the launch has read before, over all lines: a cache may have them, but they pass through it.
void find_rereads(const XrayLaunch& l, const Prices& price, std::vector<XrayWaste>& into) {
  double least = 0, fresh = 0, many = 0, many_fresh = 0;
  for (const XrayAccess& a : l.accesses) {
    if (!is_global(a) || !a.loads()) continue;
    least += std::min(a.sectors, a.least_sectors);
    fresh += a.first_touches;
    if (!is_shared_by_many(a)) continue;
    many += std::min(a.sectors, a.least_sectors);
    many_fresh += a.first_touches;
  }
  if (fresh <= 0 || least < 1.5 * fresh) return;
  // The other lines: a few passes over the same data, or many after all.
  const bool few = least - many < 4.5 * (fresh - many_fresh);
  const XrayAccess* most = nullptr;
  double weight = 0, most_weight = -1;
  for (const XrayAccess& a : l.accesses) {
    if (!is_global(a) || !a.loads()) continue;
    const double again = std::max(0.0, std::min(a.sectors, a.least_sectors) - a.first_touches);
    const double costs =
        again * (few && !is_shared_by_many(a) ? price.new_sector : price.known_sector);
    weight += costs;
    if (costs <= most_weight) continue;
    most = &a;
    most_weight = costs;
  }
  const double extra = least - fresh;
  XrayWaste w{"read again", most->file, most->line, l.kernel, weight, extra * 32, "", ""};
  const bool passes = few && !is_shared_by_many(*most);
  w.lesson = passes ? "ops/softmax/softmax" : "ops/matmul/matmul";
  w.sentence = fmt::format(
      "{} is the largest part of reading every sector {} times: {} pass where {} are needed. {}",
      where(*most, l), with_digit(least / fresh), short_bytes(least * 32), short_bytes(fresh * 32),
      passes ? "Do it in one pass, or keep the values in registers or shared memory between passes."
             : "Load a tile into shared memory once and let the whole block use it.");
  into.push_back(std::move(w));
}

// Shared memory that is read far more often than it is filled, for few operations each time.
// `flops`: of the launch, 0 where they are unknown.
void find_shared_traffic(const XrayLaunch& l, double flops, const Prices& price,
                         std::vector<XrayWaste>& into) {
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
  XrayWaste w{"shared memory traffic",       most->file,  most->line, l.kernel,
              0.5 * reads * price.wavefront, reads * 128, "",         "ops/matmul/matmul"};
  w.sentence = fmt::format(
      "{} reads shared memory {} times as often as it is filled, and each value that is read feeds "
      "few operations. Keep a small tile in registers and use each value several times.",
      where(*most, l), with_digit(reads / std::max(1.0, writes)));
  into.push_back(std::move(w));
}

// Which part of the lanes of its warps a block has threads for.
double filled(const XrayLaunch& l) {
  return l.threads() / (32.0 * ((l.threads() + 31) / 32));
}

// A block of 33 threads is two warps, and both execute every instruction.
void find_partial_warps(const XrayLaunch& l, const Prices& price, std::vector<XrayWaste>& into) {
  if (filled(l) > 0.85) return;
  double instructions = 0;
  for (const XrayAccess& a : l.accesses) instructions += a.requests * price.request;
  for (const XrayCode& c : l.code)
    instructions += std::max(c.times * price.block_of_code, c.arithmetic * price.instruction);
  const int warps = (l.threads() + 31) / 32, last = l.threads() - 32 * (warps - 1);
  XrayWaste w{"partial warps",
              l.launched.file,
              l.launched.line,
              l.kernel,
              (1 - filled(l)) * instructions,
              0,
              "",
              "ops/elementwise/vector_add"};
  w.sentence = fmt::format(
      "{} launches blocks of {}: {}. Let a block have a multiple of 32 threads, such as 256.",
      where(w.file, w.line, l.kernel),
      l.threads() == 1 ? "1 thread" : fmt::format("{} threads", l.threads()),
      warps == 1
          ? fmt::format("{} of a warp's 32 lanes have nothing to do", 32 - last)
          : fmt::format(
                "the last of their {} warps has {} of 32 lanes, and takes as long as a whole one",
                warps, last));
  into.push_back(std::move(w));
}

void find_divergence(const XrayLaunch& l, const Prices& price, std::vector<XrayWaste>& into) {
  double times = 0, lanes = 0;
  const XrayCode* most = nullptr;
  for (const XrayCode& c : l.code) {
    times += c.times;
    lanes += c.lanes;
    if (c.splits > 0 && (most == nullptr || c.splits > most->splits)) most = &c;
  }
  if (times <= 0 || most == nullptr || l.waits > 0) return;  // as in find_empty_warps
  const double active = lanes / times;
  const double full = 32 * filled(l);  // lanes that a block does not have are find_partial_warps'
  if (active > 0.85 * full) return;
  XrayWaste w{"divergence",
              most->file,
              most->line,
              l.kernel,
              (times * full - lanes) / full * price.block_of_code,
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

void find_barriers(const XrayLaunch& l, const Prices& price, std::vector<XrayWaste>& into) {
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
              (l.barriers - l.blocks_counted) * ((l.threads() + 31) / 32.0) * price.barrier,
              0,
              "",
              "ops/reduce/reduce"};
  w.sentence = fmt::format(
      "{}:{} waits: a block passes {} barriers. Where only the lanes of a warp exchange values, "
      "shuffles need none.",
      fs::path(most->file).filename().string(), most->line, with_digit(per_block));
  into.push_back(std::move(w));
}

void find_empty_warps(const XrayLaunch& l, const Prices& price, std::vector<XrayWaste>& into) {
  // A warp that waits for another block turns as often as this CPU makes it.
  if (l.warps <= 0 || l.blocks_counted <= 0 || l.waits > 0) return;
  const double per_block = l.warps / l.blocks_counted;
  const double busiest = l.busiest_warp / l.blocks_counted, mean = l.all_warps / l.warps;
  if (per_block < 2 || mean <= 0 || busiest < 1.5 * mean) return;
  XrayWaste w{"uneven warps",
              l.defined.file,
              l.defined.line,
              l.kernel,
              0.1 * (busiest - mean) * per_block * l.blocks_counted * price.block_of_code,
              0,
              "",
              "ops/reduce/reduce"};
  w.sentence = fmt::format(
      "{}: the busiest warp of a block executes {} times as much as the average one, and the "
      "others wait for it. Spread the work.",
      where(w.file, w.line, l.kernel), with_digit(busiest / mean));
  into.push_back(std::move(w));
}

// What passes through memory between the kernels of an op: written by one, read by the next.
void find_between_kernels(const std::vector<XrayLaunch>& launches, double least_bytes,
                          const Prices& price, std::vector<XrayWaste>& into) {
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
              most->launched.file,
              most->launched.line,
              most->kernel,
              extra / 32 * price.new_sector,
              extra,
              "",
              "ops/elementwise/fused_elementwise"};
  w.sentence = fmt::format(
      "{} is the largest of {} launches, which touch {} of memory in all where the op must move "
      "{}: each reads again what the one before it wrote or read. Do more per launch, so that "
      "values stay in registers or shared memory.",
      where(w.file, w.line, w.kernel), with_digit(count), short_bytes(needed),
      short_bytes(least_bytes));
  into.push_back(std::move(w));
}

}  // namespace

std::vector<XrayWaste> find_all_waste(const std::vector<XrayLaunch>& launches,
                                      const XrayNeeds& needs) {
  const Prices price(*needs.gpu);
  std::vector<XrayWaste> all;
  find_between_kernels(launches, needs.least_bytes, price, all);
  find_launches(launches, needs, price, all);
  find_idle_multiprocessors(launches, needs, price, all);
  double work = 0;
  for (const XrayLaunch& l : launches) work += l.all() * work_of(l, price);
  for (const XrayLaunch& l : launches) {
    const auto before = static_cast<std::ptrdiff_t>(all.size());
    for (const XrayAccess& a : l.accesses) {
      if (is_global(a)) find_uncoalesced(l, a, price, all);
      if (a.shared() && !a.atomic()) find_conflicts(l, a, price, all);
      find_meetings(l, a, price, all);
      if (is_global(a)) find_narrow(l, a, price, all);
      find_constants(l, a, price, all);
    }
    find_local_arrays(l, price, all);
    find_rereads(l, price, all);
    const double flops = needs.flops / std::max(1.0, l.all());
    find_shared_traffic(l, flops, price, all);
    find_arithmetic(l, flops, needs.tensor_cores, price, all);
    find_partial_warps(l, price, all);
    find_divergence(l, price, all);
    find_barriers(l, price, all);
    find_empty_warps(l, price, all);
    find_spills(l, facts_of(needs.ptxas, l.kernel), price, all);
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
  // Idle time is no part of the work, and spills are no accesses of the source.
  for (XrayWaste& w : joined) {
    const bool is_more =
        w.kind == "launches" || w.kind == "idle multiprocessors" || w.kind == "spills";
    const double of = work + (is_more ? w.weight : 0);
    w.share = of > 0 ? w.weight / of : 0;
  }
  sort_waste(joined);
  return joined;
}

void sort_waste(std::vector<XrayWaste>& all) {
  std::map<std::string, double> of_kind;
  for (const XrayWaste& w : all) of_kind[w.kind] += w.weight;
  std::stable_sort(all.begin(), all.end(), [&](const XrayWaste& a, const XrayWaste& b) {
    return a.kind == b.kind ? a.weight > b.weight : of_kind[a.kind] > of_kind[b.kind];
  });
}

std::vector<XrayWaste> worth_saying(std::vector<XrayWaste> all) {
  // Several lines of a kernel that do the same are as much as one.
  std::map<std::pair<std::string, std::string>, double> shares;
  for (const XrayWaste& w : all) shares[{w.kind, w.kernel}] += w.share;
  std::optional<XrayWaste> largest;
  if (!all.empty() && all.front().share >= least_largest) largest = all.front();
  std::erase_if(all, [&](const XrayWaste& w) {
    return shares.at({w.kind, w.kernel}) < least_share;
  });
  if (all.empty() && largest) all.push_back(*largest);
  return all;
}

std::string what_is_left(const std::vector<XrayWaste>& all) {
  double share = 0;
  for (const XrayWaste& w : all) share += w.share;
  if (share >= little_waste) return "";
  return fmt::format(
      "{} of what it does is counted as waste. If it is slow nevertheless, it waits: for loads "
      "that "
      "come late, at barriers, or for one unit while others are idle. No count shows that; more "
      "loads under way, and loads, arithmetic and stores at the same time are the cure.",
      share < 0.005 ? "Nothing" : fmt::format("Only {:.0f}%", 100 * share));
}

}  // namespace warpath::cli
