#include "core/host/registry.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace warpath {

Library& library() {
  static Library l;
  return l;
}

void detail::add_rung(const RungEntry& e) {
  Rung r;
  r.op = e.op;
  r.name = e.peer ? e.peer : rung_name(e.file);
  r.file = e.file;
  r.peer = e.peer != nullptr;
  r.deterministic = e.deterministic;
  r.race = e.race;
  r.weak_memory = e.weak_memory;
  r.min_arch = rung_arch(e.file);
  r.note = e.note;
  const auto asks = [&e](AnyFunction f) {
    return [f, ask = e.ask](const void* a) { return f ? ask(f, a) : std::string(); };
  };
  const auto counts = [&e](AnyFunction f) {
    return [f, count = e.count](const void* a) { return f ? count(f, a) : 0; };
  };
  r.supports = asks(e.supports);
  r.preferred = asks(e.preferred);
  r.scratch = counts(e.scratch);
  r.zeroed = counts(e.zeroed);
  r.launch = [f = e.launch, call = e.call](const void* a, cudaStream_t s) { call(f, a, s); };
  library().rungs.push_back(std::move(r));
}

void call(const Op& op, const Rung& rung, const void* args, cudaStream_t stream) {
  check_args(op.contract, args);
  rung.launch(args, stream);
}

// The stem from its first "NN_" on; "wrong/" is kept so that a wrong kernel never passes for a
// rung.
std::string rung_name(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string stem = path.stem().string();
  if (path.parent_path().filename() == "wrong") return "wrong/" + stem;
  const auto digit = [&](std::size_t i) {
    return std::isdigit(static_cast<unsigned char>(stem[i])) != 0;
  };
  for (std::size_t i = 0; i + 2 < stem.size(); ++i)
    if (digit(i) && digit(i + 1) && stem[i + 2] == '_' && (i == 0 || stem[i - 1] == '_'))
      return stem.substr(i);
  return stem;
}

int rung_arch(const std::string& file) {
  return std::filesystem::path(file).stem().string().ends_with("_sm90") ? 90 : 0;
}

}  // namespace warpath

// Registrars run in an order the linker chooses: sort, so that a ladder always reads from the
// bottom up.
extern "C" __attribute__((visibility("default"))) const warpath::Library* warpath_library() {
  warpath::Library& l = warpath::library();
  std::sort(l.ops.begin(), l.ops.end(),
            [](const auto& a, const auto& b) { return a.contract.name() < b.contract.name(); });
  std::sort(l.rungs.begin(), l.rungs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.op, a.peer, a.name) < std::tie(b.op, b.peer, b.name);
  });
  return &l;
}
