#include "spaces/spaces.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "spaces/body.h"
#include "spaces/declarations.h"
#include "spaces/lookup.h"
#include "spaces/options_needed.h"
#include "spaces/own_tokens.h"

namespace simt::cc::spaces {
namespace {

// Which of these names system headers declare as functions, outside of classes: for each the
// namespace, empty for the global one.
class HeaderFunctions {
 public:
  HeaderFunctions(const OwnTokens& tokens, const Model& model,
                  const std::unordered_set<std::string_view>& names)
      : s_(tokens.source()), model_(model), names_(names) {
    for (const Range& range : tokens.header_ranges()) scan(range);
  }
  bool may_be_meant(std::string_view name) const { return found_.count(name) != 0; }

 private:
  void scan(Range range) {
    for (Index i = range.begin; i < range.end; ++i) {
      if (s_.is(i, Word::namespace_)) {
        Index open = i + 1;
        std::string_view name;
        while (open < range.end && !s_.is(open, '{') && !s_.is(open, ';') && !s_.is(open, '=')) {
          if (s_.is_name(open) && name.empty()) name = s_.text(open);
          ++open;
        }
        if (s_.is(open, '{')) {
          while (!inside_.empty() && inside_.back().end < i) inside_.pop_back();
          inside_.push_back({name, s_.match(open)});
        }
        i = open;
      } else if (s_.is(i, '{')) {
        const bool is_extern =
            i >= 2 && s_[i - 1].kind == Kind::string && s_.is(i - 2, Word::extern_);
        if (!is_extern && s_.match(i) != none) i = s_.match(i);
      } else if (s_.is(i, '(') && i > range.begin && s_.is_name(i - 1) &&
                 names_.count(s_.text(i - 1)) != 0) {
        function(i - 1);
      }
    }
  }

  void function(Index i) {
    while (!inside_.empty() && inside_.back().end < i) inside_.pop_back();
    const bool in_std = !inside_.empty() && inside_.front().name == "std";
    // Functions of std are the host's too, so what they are found by does not matter.
    if (!in_std || model_.uses_std) found_.insert(s_.text(i));
  }

  struct Inside {
    std::string_view name;
    Index end;
  };
  const Source& s_;
  const Model& model_;
  const std::unordered_set<std::string_view>& names_;
  std::vector<Inside> inside_;
  std::unordered_set<std::string_view> found_;
};

// A template is judged where it is used; the name must occur somewhere else.
class Uses {
 public:
  explicit Uses(const OwnTokens& t) : t_(t) {}
  bool is_used(const Function& f) {
    if (!counted_) {
      for (Index i = 0; i < t_.size(); ++i) {
        if (t_.is_name(i)) ++count_[t_.text(i)];
      }
      counted_ = true;
    }
    if (f.is_operator || f.is_constructor || f.is_destructor) return true;
    unsigned inside = 1;
    for (Index i = f.body; i < t_.match(f.body); ++i) {
      if (t_.text(i) == f.name) ++inside;
    }
    return count_[f.name] > inside;
  }

 private:
  const OwnTokens& t_;
  bool counted_ = false;
  std::unordered_map<std::string_view, unsigned> count_;
};

}  // namespace

Findings judge(const Source& source, const Options& options) {
  const OwnTokens tokens(source);
  Model model;
  Report report;
  read_declarations(tokens, model, report);
  for (const Variable& v : model.variables) {
    if (!v.on_device || v.is_field || v.is_template || !is_computed(tokens, model, v)) continue;
    report.error(v.place, "device variable " + in_quotes(v.name) +
                              " is initialised by a function call: its value must be a constant, "
                              "or a kernel or the host "
                              "writes it");
  }
  judge_marked_lambdas(tokens, options.extended_lambda, report);
  if (!options.linked) find_extern_variables(model, report);
  Uses uses(tokens);
  for (const Function& f : model.functions) {
    if (f.body == none || (f.only_if_used && f.space != space_kernel && !uses.is_used(f)) ||
        (f.is_template && !uses.is_used(f)))
      continue;
    Body(tokens, model, options, report).read(f);
  }
  std::unordered_set<std::string_view> names;
  for (const Remark& remark : report.remarks) {
    if (!remark.function.empty()) names.insert(remark.function);
  }
  Findings findings;
  for (const Range& name : report.no_symbols) {
    findings.no_symbols.push_back({tokens.place(name.begin), tokens.place(name.end)});
  }
  std::stable_sort(report.remarks.begin(), report.remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.place < b.place; });
  std::unordered_set<std::string> told;
  const HeaderFunctions headers(tokens, model, names);
  for (const Remark& remark : report.remarks) {
    if (!remark.function.empty() && headers.may_be_meant(remark.function)) continue;
    // Once is enough.
    if (!told.insert(remark.what).second) continue;
    const std::uint32_t offset = tokens[remark.place].begin;
    std::vector<Finding>& list = remark.is_warning ? findings.warnings : findings.errors;
    const bool again = !list.empty() && list.back().offset == offset;
    if (!again) list.push_back({offset, remark.what});
  }
  return findings;
}

}  // namespace simt::cc::spaces
