#include "core/host/choose.h"

#include "core/host/nearest.h"

namespace warpath {

std::string obstacle(const Rung& rung, const void* args, int arch) {
  if (rung.min_arch > arch)
    return "needs sm_" + std::to_string(rung.min_arch) + ", this device is sm_" +
           std::to_string(arch);
  return rung.supports(args);
}

const Rung* choose_rung(const std::vector<const Rung*>& ladder, const void* args, int arch) {
  const Rung* possible = nullptr;
  for (auto r = ladder.rbegin(); r != ladder.rend(); ++r) {
    if (!obstacle(**r, args, arch).empty()) continue;
    if ((*r)->preferred(args).empty()) return *r;
    if (!possible) possible = *r;
  }
  return possible;
}

NamedRung find_rung(const std::vector<const Rung*>& ladder, const std::string& wanted) {
  NamedRung found;
  std::vector<std::string> names;
  for (const Rung* r : ladder) {
    if (r->name == wanted) return {r, {}, nullptr};
    if (r->name.starts_with(wanted)) found.begun.push_back(r);
    names.push_back(r->name);
  }
  const std::string near = nearest(wanted, names);
  for (const Rung* r : ladder) {
    const bool whole_word = wanted.size() > 2 && r->name.find(wanted) != r->name.npos;  // "warp"
    if (r->name == near || (near.empty() && !found.nearest && whole_word)) found.nearest = r;
  }
  if (found.begun.size() == 1) found.rung = found.begun[0];
  return found;
}

std::vector<Considered> explain_choice(const std::vector<const Rung*>& ladder, const void* args,
                                       int arch) {
  const Rung* const chosen = choose_rung(ladder, args, arch);
  std::vector<Considered> all;
  for (auto r = ladder.rbegin(); r != ladder.rend(); ++r) {
    Considered c{*r, *r == chosen, false, obstacle(**r, args, arch)};
    c.possible = c.reason.empty();
    if (c.possible) c.reason = (*r)->preferred(args);
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace warpath
