// What needs an option of nvcc's, whoever uses it.

#include "spaces/options_needed.h"

#include "spaces/locals.h"
#include "spaces/parameters.h"

namespace simt::cc::spaces {
namespace {

// Whether the '[' at `open` begins a lambda: not an index, an array's length or an attribute.
bool opens_lambda(const OwnTokens& t, Index open) {
  if (open == 0 || t.match(open) == none || t.is(open + 1, '[') || t.is(open - 1, '['))
    return false;
  const bool index = (t.is_name(open - 1) && !is_statement_word(t.text(open - 1))) ||
                     t.is(open - 1, ')') || t.is(open - 1, ']') || t.is_literal(open - 1);
  return !index;
}

// Whether __device__ or __host__ is among the specifiers at `i`, which then stands behind them.
bool skip_marks(const OwnTokens& t, Index& i) {
  bool marked = false;
  for (;; ++i) {
    i = skip_attributes(t, i);
    if (!is_specifier(t, i)) return marked;
    marked = marked || t.is(i, Word::device_) || t.is(i, Word::host_);
  }
}

}  // namespace

void judge_marked_lambdas(const OwnTokens& t, bool allowed, Report& report) {
  for (Index open = 0; open < t.size(); ++open) {
    if (!t.is(open, '[') || !opens_lambda(t, open)) continue;
    Index i = t.match(open) + 1;
    if (t.is(i, '<') && t.close_angle(i) != none) i = t.close_angle(i) + 1;
    if (skip_marks(t, i) && !allowed) {
      report.error(open,
                   "a lambda marked __device__ or __host__ needs the option --extended-lambda");
    }
    if (!t.is(i, '(') || t.match(i) == none) continue;
    i = t.match(i) + 1;
    if (skip_marks(t, i)) {
      report.error(open,
                   "__device__ and __host__ of a lambda stand before its parameters: "
                   "[] __device__(int i) { ... }");
    }
  }
}

void find_extern_variables(const Model& model, Report& report) {
  for (const Variable& v : model.variables) {
    if (!v.on_device || !v.is_extern || v.is_shared || v.is_field) continue;
    report.warning(v.place, "device variable " + in_quotes(v.name) +
                                " is declared extern: without the option -rdc=true each file has "
                                "one of its own. Compile and link all files with -rdc=true");
  }
}

}  // namespace simt::cc::spaces
