// Which rung answers a call.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "core/error.h"
#include "python/src/bind.h"

namespace warpath::python {
namespace {

// How many letters must change to make one text of the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t kept = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({kept, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// Empty when the rung can run; otherwise why not.
std::string obstacle(const Rung& r, const void* args, int arch) {
  if (r.min_arch > arch)
    return "needs sm_" + std::to_string(r.min_arch) + ", this device is sm_" + std::to_string(arch);
  return r.supports ? r.supports(args) : std::string();
}

const Rung& named_rung(const TorchOp& op, const Ladder& ladder, const std::string& wanted) {
  const Rung* nearest = nullptr;
  std::vector<const Rung*> begun;
  for (const Rung* r : ladder.rungs) {
    if (r->name == wanted) return *r;
    if (r->name.starts_with(wanted)) begun.push_back(r);
    if (!nearest || distance(r->name, wanted) < distance(nearest->name, wanted)) nearest = r;
  }
  if (begun.size() == 1) return *begun[0];
  std::string text = "warpath::" + op.name + ": argument 'rung' is '" + wanted + "', ";
  if (begun.size() > 1) {
    text += "which begins several: ";
    for (const Rung* r : begun) text += (r == begun[0] ? "" : ", ") + r->name;
    throw Error(text);
  }
  throw Error(text + "which this op has not; did you mean '" + nearest->name +
              "'? warpath.rungs(\"" + op.name + "\") lists them");
}

}  // namespace

const Rung& choose_rung(const TorchOp& op, const Ladder& ladder, const void* args,
                        const std::string& wanted, int arch) {
  if (ladder.rungs.empty()) throw Error("warpath::" + op.name + ": has no rungs");
  if (!wanted.empty()) {
    const Rung& r = named_rung(op, ladder, wanted);
    const std::string why = obstacle(r, args, arch);
    if (!why.empty())
      throw Error("warpath::" + op.name + ": rung '" + r.name + "' cannot take this call: " + why);
    return r;
  }
  for (auto r = ladder.rungs.rbegin(); r != ladder.rungs.rend(); ++r)
    if (obstacle(**r, args, arch).empty()) return **r;
  std::string reasons;
  for (auto r = ladder.rungs.rbegin(); r != ladder.rungs.rend(); ++r)
    reasons += "\n  " + (*r)->name + ": " + obstacle(**r, args, arch);
  throw Error("warpath::" + op.name + ": no rung can take this call:" + reasons);
}

namespace {

// Calls of one ladder that were answered before.
struct Memory {
  static constexpr std::size_t most = 16;     // the oldest goes
  static constexpr std::size_t bytes = 1024;  // of an args struct; larger ones are not remembered
  struct Known {
    std::array<unsigned char, bytes> args;
    int device = 0;
    Pick pick;
  };
  std::vector<Known> known;
  std::size_t oldest = 0;
};

// Rungs ask for sizes, types, strides and alignment, never for an address itself: of an address only its place within
// 4 KiB is kept, which is more than any alignment they ask for.
void copy_without_addresses(const TorchOp& op, const Bound& bound, unsigned char* to) {
  std::memcpy(to, bound.args(), bound.args_bytes());
  for (const ArgSpec& a : op.contract->args()) {
    if (!a.is_tensor()) continue;
    void*& data = tensor_at(to, a).data;
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    if (data) data = reinterpret_cast<void*>(4096 + address % 4096);  // not null
  }
}

}  // namespace

Pick pick(const TorchOp& op, const Ladder& ladder, const Bound& bound, int arch) {
  const auto anew = [&] {
    const Rung& rung = choose_rung(op, ladder, bound.args(), bound.wanted_rung(), arch);
    return Pick{&rung, rung.scratch(bound.args()), rung.zeroed(bound.args())};
  };
  const std::size_t bytes = bound.args_bytes();
  if (!bound.wanted_rung().empty() || bytes > Memory::bytes) return anew();
  static thread_local std::map<const Ladder*, Memory> memories;
  Memory& memory = memories[&ladder];
  alignas(std::max_align_t) std::array<unsigned char, Memory::bytes> key;
  copy_without_addresses(op, bound, key.data());
  for (const Memory::Known& k : memory.known)
    if (k.device == bound.device_index() && std::memcmp(k.args.data(), key.data(), bytes) == 0)
      return k.pick;
  const Memory::Known found{key, bound.device_index(), anew()};
  if (memory.known.size() < Memory::most)
    memory.known.push_back(found);
  else
    memory.known[memory.oldest++ % Memory::most] = found;
  return found.pick;
}

}  // namespace warpath::python
