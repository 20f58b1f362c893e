#include "split/split.h"

#include <algorithm>
#include <optional>

#include "split/emit.h"

namespace simt::cc {
namespace {

struct KernelParts {
  Index name = none;
  Range parameters = {none, none};
  Range body = {none, none};  // between its braces
};

// What follows the `__global__` at `i`.
std::optional<KernelParts> parts_of(const Source& s, Index i) {
  KernelParts parts;
  for (++i; i < s.size(); i = s.after(i)) {
    if (s.is(i, '<')) {
      const Index close = s.close_angle(i);
      if (close != none) i = close;
    } else if (s.is(i, '(') && s.is_name(i - 1) && s.match(i) != none) {
      const bool modifier = s.is(i - 1, Word::attribute_) || s.is(i - 1, Word::alignas_) ||
                            s.is(i - 1, Word::decltype_) || s.is(i - 1, Word::noexcept_) ||
                            s.is(i - 1, Word::requires_) || s.is(i - 1, Word::cluster_dims_);
      if (modifier) continue;
      parts.name = i - 1;
      parts.parameters = {i + 1, s.match(i)};
    } else if (s.is(i, '{')) {
      if (s.match(i) == none || parts.name == none) return std::nullopt;
      parts.body = {i + 1, s.match(i)};
      return parts;
    } else if (s.is(i, ';') || s.is(i, '=') || s.is(i, ')') || s.is(i, '}')) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool mentions_barrier(const Source& s, Range r) {
  for (Index i = r.begin; i < r.end; ++i) {
    if (!s.is_name(i) || !s.is(i + 1, '(')) continue;
    const std::string_view name = s.text(i);
    if (name == "__syncthreads" || name == "__syncwarp" || name == "sync") return true;
  }
  return false;
}

bool some_of_warp(const std::vector<Node>& list) {
  return std::any_of(list.begin(), list.end(), [](const Node& node) {
    return node.of_warp || some_of_warp(node.body) || some_of_warp(node.other);
  });
}

// As loops, threads that part, that return before a barrier or that wait for their warp alone would
// not be told from the others, nor would the local variables of one thread from those of the next.
void refuse_unwatchable(const Source& s, Range body, const std::vector<Node>& tree,
                        const Variables& names) {
  if (!names.lockstep) throw NotSplit{"the checks want to see which threads part"};
  if (some_of_warp(tree)) throw NotSplit{"the checks want to see warps one by one"};
  for (const Jump& jump : jumps_of(s, body)) {
    if (jump.kind == 'r') throw NotSplit{"the checks want to see who returns"};
  }
  for (const Variable& v : names.variables) {
    if (v.life == Life::thread && (v.address || v.escapes || v.d.array)) {
      throw NotSplit{"the checks want to see whose '" + std::string(v.name) + "' is used"};
    }
  }
}

std::string second_body(const Source& s, std::string_view text, const Facts& facts,
                        const Lines& lines, const KernelParts& parts, bool checked) {
  std::vector<std::string_view> parameters;
  for (Index i = parts.parameters.begin; i < parts.parameters.end; ++i) {
    if (s.is_name(i)) parameters.push_back(s.text(i));
  }
  const std::vector<Node> tree = parse_kernel(s, facts, parts.body, parameters);
  Variables names(s, facts, parts.parameters, parts.body, tree);
  const Plan plan = make_plan(s, names, tree);
  if (checked) refuse_unwatchable(s, parts.body, tree, names);
  return emit_kernel(s, text, lines, names, plan, checked) + lines.back_to(parts.body.begin - 1);
}

}  // namespace

SplitText split_kernels(std::string_view preprocessed, bool checked) {
  SplitText result;
  Source s(preprocessed);
  std::optional<Facts> facts;
  std::optional<Lines> lines;
  for (Index i = 0; i < s.size(); ++i) {
    if (!s.is(i, Word::global_)) continue;
    const std::optional<KernelParts> parts = parts_of(s, i);
    if (!parts || !mentions_barrier(s, parts->body)) continue;
    if (!facts) {
      facts.emplace(s);
      lines.emplace(s, preprocessed);
    }
    SplitKernel kernel{std::string(s.text(parts->name)), ""};
    try {
      s.insert_after(parts->body.begin - 1,
                     second_body(s, preprocessed, *facts, *lines, *parts, checked));
      result.changed = true;
    } catch (const NotSplit& refused) {
      kernel.why_not = refused.why;
    }
    result.kernels.push_back(std::move(kernel));
    i = parts->body.end;
  }
  if (result.changed) result.text = s.apply();
  return result;
}

}  // namespace simt::cc
