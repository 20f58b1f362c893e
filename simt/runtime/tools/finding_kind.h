#pragma once

// Every kind of finding, with the check that makes it (--check=...). Faults are what the runtime itself
// reports: they are found whichever checks are chosen. A kind that is not in the table does not compile.

#include <string_view>

namespace simt {

struct KindEntry {
  std::string_view name, check;
};

inline constexpr KindEntry finding_kinds[] = {
    {"out of bounds", "memory"},
    {"use after free", "memory"},
    {"use after exit", "memory"},
    {"another thread's local memory", "memory"},
    {"null pointer", "memory"},
    {"host pointer in a kernel", "memory"},
    {"device pointer on the host", "memory"},
    {"misaligned", "memory"},
    {"bad address", "memory"},
    {"double free", "memory"},
    {"invalid free", "memory"},
    {"wrong direction", "memory"},
    {"race", "race"},
    {"missing proxy fence", "race"},
    {"register in flight", "race"},
    {"uninitialised", "init"},
    {"incomplete barrier", "sync"},
    {"different barriers", "sync"},
    {"wrong mask", "sync"},
    {"missed phase", "sync"},
    {"never waited for", "sync"},
    {"missing wgmma.fence", "sync"},
    {"deadlock", "sync"},
    {"wrong operation", "sync"},
    {"failed assert", "fault"},
    {"time limit", "fault"},
    {"trap", "fault"},
    {"refused launch", "api"},
    {"failed call", "api"},
    {"leak", "leak"},
};

// The checks, in the order of tables.
inline constexpr std::string_view check_names[] = {"memory", "race", "init", "sync",
                                                   "fault",  "api",  "leak"};

constexpr const KindEntry* kind_entry(std::string_view name) {
  for (const KindEntry& entry : finding_kinds)
    if (entry.name == name) return &entry;
  return nullptr;
}

constexpr bool has_check(const KindEntry& kind) {
  for (const std::string_view check : check_names)
    if (check == kind.check) return true;
  return false;
}

class FindingKind {
 public:
  FindingKind() = default;
  consteval FindingKind(const char* name) : entry_(kind_entry(name)) {
    if (entry_ == nullptr) throw "this kind of finding is not in the table";
  }
  const char* name() const { return entry_->name.data(); }
  std::string_view check() const { return entry_->check; }
  bool operator==(const FindingKind&) const = default;

 private:
  const KindEntry* entry_ = finding_kinds;
};

static_assert([] {
  for (const KindEntry& kind : finding_kinds)
    if (!has_check(kind)) return false;
  return true;
}());

}  // namespace simt
