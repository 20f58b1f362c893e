#include "spaces/body.h"

#include <algorithm>

#include "spaces/known_names.h"
#include "spaces/lookup.h"
#include "spaces/parameters.h"

namespace simt::cc::spaces {
namespace {

// `std::` and `::std::`, not `cuda::std::`, whose classes are for both sides.
bool begins_std_name(const OwnTokens& t, Index i) {
  if (!t.is(i, "std") || !t.is(i + 1, Word::scope_)) return false;
  return i < 2 || !t.is(i - 1, Word::scope_) || !t.is_name(i - 2) || is_specifier(t, i - 2);
}

}  // namespace

void Body::read(const Function& f) {
  function_ = &f;
  space_ = f.space;
  for (const Parameter& p : f.parameters) {
    if (p.name.empty()) continue;
    Local local;
    local.name = p.name;
    local.varies = true;
    for (Index i = p.begin; i < p.end; ++i) {
      if (t.is(i, '<') && t.close_angle(i) != none) i = t.close_angle(i);
      if (t.is(i, '*') || t.is(i, '[')) local.is_pointer = true;
      if (t.is(i, '&') || t.is(i, "&&")) local.is_reference = true;
      if (is_type_keyword(t.text(i))) local.is_basic = true;
      if (t.is_name(i) && !is_specifier(t, i)) local.type_name = t.text(i);
      if (begins_std_name(t, i)) local.std_type = t.text(i + 2);
    }
    if (t.is(p.end, '(') || t.is(p.end + 1, '[')) local.is_pointer = true;
    const Entry* type = find_in_scopes(f.scope, local.type_name);
    if (type != nullptr && !type->unknown) local.type = type->type;
    locals_.push_back(local);
  }
  walk(f.body, t.match(f.body) + 1);
}

void Body::walk(Index begin, Index end) {
  bool starts = true;
  std::vector<Index> heads;  // the ')' of `if (...)` and the like
  for (Index i = begin; i < end; ++i) {
    const Token& token = t[i];
    while (!frames_.empty() && i >= frames_.back().end) {
      space_ = frames_.back().space;
      frames_.pop_back();
    }
    if (token.is('{')) {
      ++depth_;
      starts = true;
    } else if (token.is('}')) {
      --depth_;
      while (!locals_.empty() && locals_.back().depth > depth_) locals_.pop_back();
      starts = true;
    } else if (token.is(';')) {
      starts = true;
    } else if (token.is(')') && !heads.empty() && heads.back() == i) {
      heads.pop_back();
      starts = true;
    } else if (token.is('[')) {
      lambda(i);
      starts = false;
    } else if (token.kind == Kind::name) {
      const std::string_view word = t.text(i);
      const bool has_head =
          word == "if" || word == "for" || word == "while" || word == "switch" || word == "catch";
      if (has_head) {
        keyword(i);
        const Index open = t.is(i + 1, Word::constexpr_) ? i + 2 : i + 1;
        if (t.is(open, '(') && t.match(open) != none) {
          note_sides(open);
          heads.push_back(t.match(open));
          i = open;
          starts = true;
        }
        continue;
      }
      if (word == "else" || word == "do" || word == "try" || word == "default") {
        keyword(i);
        starts = true;
        continue;
      }
      if (starts && t.is(i + 1, ':')) {  // a label
        ++i;
        continue;
      }
      if (word == "case") {
        while (i < end && !t.is(i, ':') && !t.is(i, ';')) ++i;
        starts = true;
        continue;
      }
      if (starts && (word == "using" || word == "typedef" || word == "static_assert")) {
        while (i < end && !t.is(i, ';')) {
          if (t.is_name(i)) locals_.push_back({t.text(i), {}, nullptr, {}});
          locals_.back().depth = depth_;
          i = t.after(i);
        }
        continue;
      }
      if (starts && token.is(Word::struct_) && !t.is(i, "enum")) {
        Index open = i;  // a local class
        while (open < end && !t.is(open, '{') && !t.is(open, ';') && !t.is(open, '(')) ++open;
        if (t.is(open, '{') && t.match(open) != none) {
          Local type;
          type.name = t.text(i + 1);
          type.depth = depth_;
          locals_.push_back(type);
          i = t.match(open);
          continue;
        }
      }
      if (starts && declare(i, end)) {
        i = first_declared_;
        starts = false;
        continue;
      }
      starts = false;
      if (is_statement_word(word) || is_specifier(t, i) || is_type_keyword(word) ||
          token.is(Word::decltype_) || token.is(Word::noexcept_) || word == "typeid" ||
          word == "dynamic_cast" || word == "alignof" || word == "requires") {
        keyword(i);
        if (unevaluated_end_ > i) i = unevaluated_end_;
        continue;
      }
      i = name(i);
    } else {
      if (token.kind == Kind::punctuation) operators(i);
      starts = false;
    }
  }
}

// `if (!__builtin_is_constant_evaluated() && ::simt::in_kernel()) { device } else { host }`, as join_sides writes it.
void Body::note_sides(Index condition) {
  const Index device = t.match(condition) + 1;
  if (!t.is(device - 4, "in_kernel") || !t.is(condition + 2, "__builtin_is_constant_evaluated") ||
      !t.is(device, '{') || t.match(device) == none) {
    return;
  }
  device_sides_.push_back({device, t.match(device)});
  const Index host = t.match(device) + 2;
  if (t.is(host - 1, "else") && t.is(host, '{') && t.match(host) != none) {
    host_sides_.push_back({host, t.match(host)});
  }
}

bool Body::inside(const std::vector<Range>& sides, Index i) {
  return std::any_of(sides.begin(), sides.end(),
                     [i](const Range& side) { return side.begin < i && i < side.end; });
}

void Body::say(bool warning, Index i, const std::string& what, std::string_view function) {
  if (i < discarded_end_) return;
  if (warning) {
    report_.warning(i, what, function);
  } else {
    report_.error(i, what, function);
  }
}

void Body::keyword(Index i) {
  const std::string_view word = t.text(i);
  const bool operand = word == "sizeof" || word == "alignof" || word == "requires" ||
                       t.is(i, Word::decltype_) || t.is(i, Word::noexcept_) || word == "typeid";
  if (runs_on_device()) {
    if (word == "throw" || word == "try" || word == "catch") {
      if (word != "catch") {
        say(false, i,
            "device code has no exceptions: " + caller() + " cannot use '" + std::string(word) +
                "'. Write an error to memory, or use assert or __trap()");
      }
    } else if (word == "typeid" || word == "dynamic_cast") {
      say(false, i,
          "device code has no run-time type information: " + caller() + " cannot use " +
              in_quotes(word));
    }
  }
  if (operand && t.is(i + 1, '(') && t.match(i + 1) != none) unevaluated_end_ = t.match(i + 1);
  // Which branch is compiled is known when the template is used.
  if (word == "if" && t.is(i + 1, Word::constexpr_) && function_->is_template) {
    Index stop = t.after(i + 2);
    for (;;) {
      stop = t.is(stop, '{') ? t.after(stop) : stop;
      while (stop < t.size() && !t.is(stop - 1, '}') && !t.is(stop - 1, ';')) stop = t.after(stop);
      if (!t.is(stop, "else")) break;
      ++stop;
      if (t.is(stop, "if")) stop = t.after(t.is(stop + 1, Word::constexpr_) ? stop + 2 : stop + 1);
    }
    discarded_end_ = std::max(discarded_end_, stop);
  }
}

bool Body::declare(Index i, Index end) {
  LocalDeclaration d;
  if (!read_local_declaration(t, i, end, d)) return false;
  first_declared_ = d.names.front();
  constant_end_ = 0;
  if (d.is_constexpr) {
    constant_end_ = d.names.front();
    while (constant_end_ < end && !t.is(constant_end_, ';')) constant_end_ = t.after(constant_end_);
  } else if (t.is(d.names.front() + 1, '[')) {  // an array's length
    constant_end_ = t.after(d.names.front() + 1);
  }
  for (const Index name : d.names) {
    judge_local(d, name);
    declare_local(d, name, name == d.names.front());
  }
  return true;
}

void Body::declare_local(const LocalDeclaration& d, Index name, bool first) {
  Local local;
  local.name = t.text(name);
  local.depth = depth_;
  local.varies = !d.is_const && !d.is_constexpr;
  local.is_pointer = (first ? d.is_pointer : t.is(name - 1, '*')) || t.is(name + 1, '[');
  local.is_reference = first ? d.is_reference : t.is(name - 1, '&');
  local.is_static = d.is_static && d.qualifier == none && !local.is_reference;
  local.is_basic = d.type_begin < d.type_end && is_type_keyword(t.text(d.type_begin)) && !d.is_auto;
  if (!d.is_auto && !local.is_basic) {
    for (Index i = d.type_begin; i < d.type_end; ++i) {
      if (t.is(i, '<') && t.close_angle(i) != none) i = t.close_angle(i);
      if (t.is_name(i)) local.type_name = t.text(i);
      if (begins_std_name(t, i)) local.std_type = t.text(i + 2);
    }
    const Entry* type = this->local(local.type_name) == nullptr
                            ? find_in_scopes(function_->scope, local.type_name)
                            : nullptr;
    if (type != nullptr && !type->unknown && local.std_type.empty()) local.type = type->type;
  }
  if (d.is_auto && t.is(name + 1, '=') && t.is(name + 2, '[') && !runs_on_device()) {
    Index at = t.after(name + 2);
    if (t.is(at, '(')) at = t.after(at);
    local.is_plain_lambda = !t.is(at, Word::device_) && !t.is(at, Word::host_) &&
                            !t.is(t.after(name + 2), Word::device_) &&
                            !t.is(t.after(name + 2), Word::host_);
  }
  judge_construction(d, name);
  // What is said of its declaration is enough.
  if (!local.is_reference && std_kind(local.std_type) != StdKind::array) local.std_type = {};
  locals_.push_back(local);
}

void Body::judge_local(const LocalDeclaration& d, Index name) {
  const std::string quoted = in_quotes(t.text(name));
  Index behind = name + 1;
  while (t.is(behind, '[')) behind = t.after(behind);
  if (d.is_shared) {
    if (!on_device() && !inside(device_sides_, name)) {
      say(false, name,
          "shared variable " + quoted + " is declared in " + caller() +
              ": only kernels and __device__ functions have shared memory");
    } else if (t.is(behind, '=') || t.is(behind, '{') || t.is(behind, '(')) {
      say(false, name,
          "shared variable " + quoted +
              " has an initialiser, which shared memory cannot have: assign in the kernel, then "
              "__syncthreads()");
    }
  } else if (d.qualifier != none && !d.is_static && !d.is_extern) {
    const bool constant = t.is(d.qualifier - 1, "__simt_constant__");
    const bool managed = t.is(d.qualifier - 1, "__simt_managed__");
    say(false, name,
        std::string(constant  ? "__constant__"
                    : managed ? "__managed__"
                              : "__device__") +
            " variable " + quoted + " is declared in " + caller() +
            ": declare it outside of functions");
  }
  if (d.thread_local_ != none && runs_on_device()) {
    say(false, d.thread_local_,
        "thread_local is not for device code: a local variable is each thread's own");
  }
  if (runs_on_device() && !d.is_extern) judge_length(d, name);
  if (d.is_shared && d.is_extern) judge_dynamic_shared(d, name);
}

void Body::judge_construction(const LocalDeclaration& d, Index name) {
  const bool first = name == d.names.front();
  const bool indirect =
      first ? d.is_pointer || d.is_reference : t.is(name - 1, '*') || t.is(name - 1, '&');
  if (indirect || d.is_auto || d.is_extern || d.is_shared || t.is(name + 1, ':')) return;
  if (t.is(d.type_begin, "std") && t.is(d.type_begin + 1, Word::scope_)) {
    std_name(d.type_begin);
    return;
  }
  Index last = d.type_begin;
  for (Index i = d.type_begin; i < d.type_end; ++i) {
    if (t.is(i, '<') && t.close_angle(i) != none) i = t.close_angle(i);
    if (t.is(i, Word::scope_) && i > d.type_begin) return;  // not looked up
    if (t.is_name(i)) last = i;
  }
  const std::string_view type_name = t.text(last);
  if (local(type_name) != nullptr) return;
  const Entry* entry = find_in_scopes(function_->scope, type_name);
  if (entry == nullptr) {
    if (m_.uses_std && runs_on_device() && std_kind(type_name) == StdKind::type) library_call(last);
    return;
  }
  if (entry->unknown || entry->type == nullptr) return;
  construct(name, *entry->type, name + 1);
  for (const Function* f : entry->type->scope.entries.count(entry->type->name) != 0
                               ? entry->type->scope.entries.at(entry->type->name).functions
                               : std::vector<Function*>()) {
    if (f->is_destructor && !f->is_defaulted && !may_call(*f)) {
      complain_call(name, *f, "~" + std::string(f->name));
    }
  }
}

// A '[' in an expression: of a lambda, whose parameters are names from here on.
void Body::lambda(Index open) {
  const Token& before = t[open - 1];
  const bool index = (before.kind == Kind::name && !is_statement_word(t.text(open - 1))) ||
                     before.is(')') || before.is(']') || t.is_literal(open - 1);
  if (index || t.match(open) == none) {
    if (index) operators(open);
    return;
  }
  Index i = t.match(open) + 1;
  if (t.is(i, '<') && t.close_angle(i) != none) i = t.close_angle(i) + 1;
  unsigned space = 0;
  Index annotated = none;
  const auto annotations = [&] {
    for (;; ++i) {
      i = skip_attributes(t, i);
      if (t.is(i, Word::device_)) space |= space_device;
      if (t.is(i, Word::host_)) space |= space_host;
      if (!is_specifier(t, i)) return;
      if (annotated == none && (t.is(i, Word::device_) || t.is(i, Word::host_))) annotated = i;
    }
  };
  annotations();
  if (t.is(i, '(') && t.match(i) != none) {
    Function parameters;
    read_parameters(t, i, parameters);
    for (const Parameter& p : parameters.parameters) {
      Local local;
      local.name = p.name;
      local.depth = depth_ + 1;
      locals_.push_back(local);
    }
    i = t.match(i) + 1;
    annotations();
  }
  Index body = i;
  while (body < t.size() && !t.is(body, '{') && !t.is(body, ';') && !t.is(body, ')'))
    body = t.after(body);
  if (!t.is(body, '{') || t.match(body) == none) return;
  for (Index c = open + 1; c < t.match(open); ++c) {  // [x = ...]
    if (!t.is_name(c) || !t.is(c + 1, '=')) continue;
    Local local;
    local.name = t.text(c);
    local.depth = depth_ + 1;
    locals_.push_back(local);
  }
  if (annotated != none && o_.extended_lambda && on_host() && (space & space_device) != 0) {
    judge_captures(open, body);
    if (space == space_both) judge_both_sided(open, body);
  }
  if (space == 0 || runs_on_device()) return;  // it runs where it is
  frames_.push_back({t.match(body), space_});
  space_ = space;
}

// A lambda for the device cannot refer to the host's variables.
void Body::judge_captures(Index open, Index body) {
  const Index close = t.match(open);
  for (Index i = open + 1; i < close; ++i) {
    if (!t.is(i, '&')) continue;
    if (t.is_name(i + 1) && (t.is(i - 1, '[') || t.is(i - 1, ','))) {
      return say(false, i,
                 "a __device__ lambda cannot capture " + in_quotes(t.text(i + 1)) +
                     " by reference: capture by value, [=]");
    }
    if (!t.is(i + 1, ']') && !t.is(i + 1, ',')) continue;
    for (Index used = body; used < t.match(body); ++used) {
      const bool plain = t.is_name(used) && !t.is(used - 1, '.') && !t.is(used - 1, Word::arrow_) &&
                         !t.is(used - 1, Word::scope_);
      const Local* captured = plain ? local(t.text(used)) : nullptr;
      if (captured == nullptr || captured->depth > depth_ || captured->name.empty()) continue;
      return say(false, i,
                 "a __device__ lambda cannot capture " + in_quotes(captured->name) +
                     " by reference: capture by value, [=]");
    }
  }
}

// nvcc has some forms of lambdas for the device alone.
void Body::judge_both_sided(Index open, Index body) {
  for (Index i = open + 1; i < t.match(open); i = t.after(i)) {
    if (!t.is_name(i) || !t.is(i + 1, '=')) continue;
    return say(false, i,
               "a __host__ __device__ lambda cannot capture with an initialiser, as " +
                   in_quotes(t.text(i)) + ": capture a variable that has the value");
  }
  for (Index i = t.match(open) + 1; i < body && !t.is(i, Word::arrow_); ++i) {
    if (!t.is(i, "auto") && !(t.is(i, '<') && i == t.match(open) + 1)) continue;
    return say(false, i,
               "a __host__ __device__ lambda cannot be generic: write the types of its parameters, "
               "or make it __device__ alone");
  }
}

const Local* Body::local(std::string_view name) const {
  for (std::size_t i = locals_.size(); i-- > 0;) {
    if (locals_[i].name == name) return &locals_[i];
  }
  return nullptr;
}

std::string Body::caller() const {
  const std::string name = function_->is_operator ? "operator" + std::string(function_->name)
                                                  : std::string(function_->name);
  const std::string in_lambda = frames_.empty() ? "" : "a lambda of ";
  const unsigned space = frames_.empty() ? space_ : frames_.front().space;
  const char* kind = space == space_kernel   ? "kernel "
                     : space == space_device ? "device function "
                     : space == space_both   ? "__host__ __device__ function "
                                             : "host function ";
  return in_lambda + kind + in_quotes(name);
}

}  // namespace simt::cc::spaces
