#include "spaces/lookup.h"

namespace simt::cc::spaces {
namespace {

const Entry* find_member(const Class& c, std::string_view name, int depth) {
  const auto found = c.scope.entries.find(name);
  if (found != c.scope.entries.end()) return &found->second;
  for (const Class* base : c.bases) {
    const Entry* entry = depth < 16 ? find_member(*base, name, depth + 1) : nullptr;
    if (entry != nullptr) return entry;
  }
  return nullptr;
}

const Entry* find(const Scope* scope, std::string_view name, int depth) {
  if (scope->owner != nullptr) return find_member(*scope->owner, name, 0);
  const auto found = scope->entries.find(name);
  if (found != scope->entries.end()) return &found->second;
  for (const Scope* used : scope->used) {
    const Entry* entry = depth < 16 ? find(used, name, depth + 1) : nullptr;
    if (entry != nullptr) return entry;
  }
  return nullptr;
}

bool unknown_base(const Class& c, int depth) {
  if (c.has_unknown_base || depth > 16) return true;
  for (const Class* base : c.bases) {
    if (unknown_base(*base, depth + 1)) return true;
  }
  return false;
}

}  // namespace

bool has_unknown_base(const Class& c) {
  return unknown_base(c, 0);
}

const Entry* find_here(const Scope* scope, std::string_view name) {
  return find(scope, name, 0);
}

const Entry* find_in_scopes(const Scope* scope, std::string_view name) {
  for (; scope != nullptr; scope = scope->parent) {
    const Entry* entry = find_here(scope, name);
    if (entry != nullptr) return entry;
    if (scope->owner != nullptr && has_unknown_base(*scope->owner)) {
      static const Entry unknown{{}, nullptr, nullptr, nullptr, true};
      return &unknown;
    }
  }
  return nullptr;
}

bool is_computed(const OwnTokens& t, const Model& model, const Variable& v) {
  for (Index i = v.value_begin; v.value_begin != none && i < v.value_end;
       i = t.is(i, '[') ? t.after(i) : i + 1) {
    const bool calls =
        t.is_name(i) && t.is(i + 1, '(') && !t.is(i - 1, '.') && !t.is(i - 1, Word::scope_);
    const Entry* called = calls ? find_here(&model.global, t.text(i)) : nullptr;
    if (called == nullptr || called->unknown || called->functions.empty()) continue;
    bool known = false;
    for (const Function* f : called->functions) known = known || f->is_constexpr;
    if (!known) return true;
  }
  return false;
}

Scope* find_namespace(const OwnTokens& t, Index i, const Scope* scope) {
  if (t.is(i, Word::scope_)) ++i;
  Scope* at = nullptr;
  for (; t.is_name(i); i += 2) {
    const Entry* entry =
        at == nullptr ? find_in_scopes(scope, t.text(i)) : find_here(at, t.text(i));
    if (entry == nullptr || entry->space == nullptr) return nullptr;
    at = entry->space;
    if (!t.is(i + 1, Word::scope_)) break;
  }
  return at;
}

}  // namespace simt::cc::spaces
