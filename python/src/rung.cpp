// Which rung answers a call.
#include <algorithm>
#include <cstring>
#include <map>

#include "core/host/choose.h"
#include "core/host/error.h"
#include "python/src/bind.h"
#include "python/src/deterministic.h"

namespace warpath::python {
namespace {

const Rung& named_rung(const TorchOp& op, const Ladder& ladder, const std::string& wanted) {
  const NamedRung found = find_rung(ladder.rungs, wanted);
  if (found.rung) return *found.rung;
  std::string text = "warpath::" + op.name + ": argument 'rung' is '" + wanted + "', ";
  if (!found.begun.empty()) {
    text += "which begins several: ";
    for (const Rung* r : found.begun) text += (r == found.begun[0] ? "" : ", ") + r->name;
    throw Error(text);
  }
  // A number that is near another says nothing about what was meant; a name does.
  if (found.nearest && wanted.find_first_not_of("0123456789") != wanted.npos)
    throw Error(text + "which this op has not; did you mean '" + found.nearest->name +
                "'? warpath.rungs(\"" + op.name + "\") lists them");
  text += "which this op has not; it has: ";
  for (const Rung* r : ladder.rungs) text += (r == ladder.rungs[0] ? "" : ", ") + r->name;
  throw Error(text);
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
  if (const Rung* best = warpath::choose_rung(ladder.rungs, args, arch)) return *best;
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
    bool same_bits = false;  // only deterministic rungs were asked
    Pick pick;
  };
  std::vector<Known> known;
  std::size_t oldest = 0;
};

// A rung's choice depends on sizes, types, strides and alignment, never on an address itself: only an address modulo
// 4 KiB is kept, which is more than any alignment that rungs ask for.
void copy_without_addresses(const TorchOp& op, const Bound& bound, unsigned char* to) {
  std::memcpy(to, bound.args(), bound.args_bytes());
  for (const ArgSpec& a : op.contract->args()) {
    if (!a.is_tensor()) continue;
    void*& data = tensor_at(to, a).data;
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    if (data) data = reinterpret_cast<void*>(4096 + address % 4096);  // not null
  }
}

// The best of the deterministic rungs; null when none can take the call.
const Rung* choose_deterministic(const Ladder& ladder, const void* args, int arch) {
  std::vector<const Rung*> rungs;
  for (const Rung* r : ladder.rungs)
    if (r->deterministic) rungs.push_back(r);
  return warpath::choose_rung(rungs, args, arch);
}

// What a call gets, whatever bits it gives; with `same_bits` of the deterministic rungs alone, and then perhaps none.
Pick remembered(const TorchOp& op, const Ladder& ladder, const Bound& bound, int arch,
                bool same_bits) {
  const auto choose = [&] {
    const Rung* const rung =
        same_bits ? choose_deterministic(ladder, bound.args(), arch)
                  : &choose_rung(op, ladder, bound.args(), bound.wanted_rung(), arch);
    return rung ? Pick{rung, rung->scratch(bound.args()), rung->zeroed(bound.args())} : Pick{};
  };
  const std::size_t bytes = bound.args_bytes();
  // The sizes of a list's tensors are not in the args struct.
  if (!bound.wanted_rung().empty() || bytes > Memory::bytes || takes_lists(op)) return choose();
  static thread_local std::map<const Ladder*, Memory> memories;
  Memory& memory = memories[&ladder];
  alignas(std::max_align_t) std::array<unsigned char, Memory::bytes> key;
  copy_without_addresses(op, bound, key.data());
  for (const Memory::Known& k : memory.known)
    if (k.device == bound.device_index() && k.same_bits == same_bits &&
        std::memcmp(k.args.data(), key.data(), bytes) == 0)
      return k.pick;
  const Memory::Known found{key, bound.device_index(), same_bits, choose()};
  if (memory.known.size() < Memory::most)
    memory.known.push_back(found);
  else
    memory.known[memory.oldest++ % Memory::most] = found;
  return found.pick;
}

// Why a call cannot have the same bits in every run.
std::string no_deterministic_rung(const TorchOp& op, const Ladder& ladder, const Bound& bound,
                                  int arch) {
  const std::string asked =
      "torch.use_deterministic_algorithms(True) asks for the same bits in every run";
  if (!bound.wanted_rung().empty())
    return "warpath::" + op.name + ": rung '" + named_rung(op, ladder, bound.wanted_rung()).name +
           "' is not deterministic, but " + asked;
  std::string reasons;
  for (auto r = ladder.rungs.rbegin(); r != ladder.rungs.rend(); ++r) {
    const std::string why = obstacle(**r, bound.args(), arch);
    reasons += "\n  " + (*r)->name + ": " + (why.empty() ? "not deterministic" : why);
  }
  return "warpath::" + op.name + ": " + asked +
         ", and no rung that has them can take this call:" + reasons;
}

}  // namespace

Pick pick(const TorchOp& op, const Ladder& ladder, const Bound& bound, int arch) {
  const Pick best = remembered(op, ladder, bound, arch, false);
  if (best.rung->deterministic) return best;
  const SameBits wanted = same_bits_wanted();
  if (wanted == SameBits::as_it_comes) return best;
  if (bound.wanted_rung().empty())
    if (const Pick other = remembered(op, ladder, bound, arch, true); other.rung) return other;
  const std::string why = no_deterministic_rung(op, ladder, bound, arch);
  if (wanted == SameBits::must) throw Error(why);
  warn(why);
  return best;
}

}  // namespace warpath::python
