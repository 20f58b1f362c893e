// What names stand for in a function's body, and whether the body may use it.

#include <algorithm>

#include "spaces/body.h"
#include "spaces/known_names.h"
#include "spaces/lookup.h"
#include "spaces/parameters.h"

namespace simt::cc::spaces {
namespace {

std::vector<const Function*> of_entry(const Entry& entry) {
  return {entry.functions.begin(), entry.functions.end()};
}

}  // namespace

bool Body::may_call(const Function& callee) const {
  if (callee.is_defaulted) return true;
  if (callee.is_constexpr && o_.relaxed_constexpr) return true;
  if (callee.space == space_kernel) return false;
  const unsigned here = on_device() ? unsigned(space_device) : space_;
  if (here != space_both) return (callee.space & here) != 0;
  // What is only for one of the sides may be in a part that only this side compiles; and a template
  // for both sides may be used on one.
  if (function_->is_template || o_.asks_for_arch) return true;
  return callee.space == space_both;
}

void Body::complain_call(Index i, const Function& callee, std::string_view shown) {
  const std::string name = in_quotes(shown);
  const std::string_view key =
      callee.owner == nullptr && !callee.is_operator ? callee.name : std::string_view();
  if (callee.space == space_kernel && t.is(i + 1, '<') && t.is(i + 2, '<')) {
    return say(false, i,
               "a launch of kernel " + name + " has three '<' and three '>': " +
                   std::string(shown) + "<<<blocks, threads>>>(...)",
               key);
  }
  if (callee.space == space_kernel) {
    return say(false, i,
               "kernel " + name + " is called like a function: launch it with " +
                   std::string(shown) + "<<<blocks, threads>>>(...)",
               key);
  }
  if (callee.space == space_device) {
    return say(
        false, i,
        "device function " + name + " is called from " + caller() +
            ": the host cannot call it. Call it from a kernel, or mark it __host__ __device__",
        key);
  }
  const bool warning = space_ == space_both;
  say(warning, i,
      std::string(callee.is_constexpr ? "constexpr host function " : "host function ") + name +
          " is called from " + caller() +
          ": mark it __device__, or __host__ __device__ to have it on both sides" +
          (callee.is_constexpr ? relaxed : ""),
      key);
}

unsigned Body::arguments(Index open) const {
  const Index close = t.match(open);
  if (close == none) return ~0u;
  if (close == open + 1) return 0;
  unsigned count = 1;
  for (Index i = open + 1; i < close; i = t.after(i)) {
    if (t.is(i, ',')) ++count;
    if (t.is(i, '<') || (t.is(i, '.') && t.is(i + 1, '.'))) return ~0u;
  }
  return count;
}

void Body::call(Index i, const std::vector<const Function*>& candidates, Index open) {
  const unsigned count = arguments(open);
  const Function* wrong = nullptr;
  for (const Function* f : candidates) {
    if (count != ~0u && (count < f->least || count > f->most)) continue;
    if (may_call(*f)) return other_file(i, *f);
    // Of two that may be meant, the one about which less is said.
    if (wrong == nullptr || (space_ == space_both && f->space == space_host)) wrong = f;
  }
  if (wrong != nullptr) {
    complain_call(
        i, *wrong,
        wrong->is_operator ? "operator" + std::string(wrong->name) : std::string(t.text(i)));
  }
}

// Without -rdc=true nvcc has only the device functions of the file itself.
void Body::other_file(Index i, const Function& f) {
  if (o_.linked || function_->space != space_kernel || function_->is_template ||
      f.space != space_device || f.is_template || f.is_operator || f.is_constexpr ||
      f.is_defaulted || f.owner != nullptr)
    return;
  const auto all = m_.free_functions.find(f.name);
  if (all == m_.free_functions.end()) return;
  for (const Function* other : all->second) {
    if (other->body != none || other->is_template) return;
  }
  say(false, i,
      "device function " + in_quotes(f.name) +
          " is not defined in this file: another file's needs the option -rdc=true, for all files",
      f.name);
}

// A name that begins an expression, maybe `a::b<c>::d`. Returns the last token that is dealt with.
Index Body::name(Index i) {
  if (t.is(i - 1, '.') || t.is(i - 1, Word::arrow_)) {
    member(i);
    return i;
  }
  if (t.is(i, "std") && t.is(i + 1, Word::scope_)) return std_name(i);
  const bool from_global = t.is(i - 1, Word::scope_);
  if (!t.is(i + 1, Word::scope_)) {
    if (!from_global) {
      unqualified(i);
    } else if (!t.is_name(i - 2) && !t.is(i - 2, '>')) {
      const Entry* entry = find_here(&m_.global, t.text(i));
      if (entry != nullptr) found(i, i - 1, *entry);
    }
    return i;
  }
  if (local(t.text(i)) != nullptr) return i;
  const Index begin = from_global ? i - 1 : i;
  const Entry* entry =
      from_global ? find_here(&m_.global, t.text(i)) : find_in_scopes(function_->scope, t.text(i));
  while (entry != nullptr && t.is(i + 1, Word::scope_) && t.is_name(i + 2)) {
    if (entry->unknown) return i;
    const Scope* inside = entry->type != nullptr ? &entry->type->scope : entry->space;
    i += 2;
    if (inside == nullptr) return i;
    entry = find_here(inside, t.text(i));
  }
  if (entry != nullptr && !t.is(i + 1, Word::scope_)) found(i, begin, *entry);
  if (entry == nullptr) {  // another's: past all of it
    while (t.is(i + 1, Word::scope_) && t.is_name(i + 2)) i += 2;
  }
  return i;
}

void Body::unqualified(Index i) {
  const std::string_view text = t.text(i);
  const Local* known = local(text);
  if (known != nullptr) {
    if (!known->std_type.empty()) use_of_std_object(i, *known);
    if (known->is_static && on_host()) host_name_as_symbol(i, i);
    const bool calls = known->type != nullptr && !known->is_pointer && t.is(i + 1, '(') &&
                       !known->type->is_template;
    if (calls) {
      std::vector<const Function*> candidates;
      const auto operators = known->type->scope.entries.find("operator");
      if (operators != known->type->scope.entries.end()) {
        for (const Function* f : operators->second.functions) {
          if (f->name.rfind("(", 0) == 0) candidates.push_back(f);
        }
      }
      call(i, candidates, i + 1);
    }
    return;
  }
  const Entry* entry = find_in_scopes(function_->scope, text);
  if (entry == nullptr) return library_call(i);
  found(i, i, *entry);
}

void Body::found(Index i, Index begin, const Entry& entry) {
  if (entry.unknown) return;
  Index behind = i + 1;
  if (t.is_launch(behind)) return launch(i, entry);
  if (t.is(behind, '<') && t.close_angle(behind) != none) {
    const Index close = t.close_angle(behind);
    if (!entry.functions.empty() || entry.type != nullptr) behind = close + 1;
    if (t.is_launch(behind)) return launch(i, entry);
  }
  if (entry.type != nullptr && (t.is(behind, '(') || t.is(behind, '{'))) {
    return construct(i, *entry.type, behind);
  }
  if (!entry.functions.empty() && t.is(behind, '(')) {
    std::vector<const Function*> candidates = of_entry(entry);
    // A function of this name that is found by its arguments.
    const bool member = candidates.front()->owner != nullptr;
    const auto others = m_.free_functions.find(candidates.front()->name);
    if (!member && begin == i && others != m_.free_functions.end()) {
      for (const Function* f : others->second) {
        if (std::find(candidates.begin(), candidates.end(), f) == candidates.end()) {
          candidates.push_back(f);
        }
      }
    }
    return call(i, candidates, behind);
  }
  if (!entry.functions.empty() && runs_on_device() && entry.variable == nullptr &&
      !t.is(i - 1, '&') && entry.functions.size() == 1) {
    const Function& f = *entry.functions.front();
    const bool taken = (t.is(i + 1, ';') || t.is(i + 1, ',') || t.is(i + 1, ')')) &&
                       (t.is(i - 1, '=') || t.is(i - 1, ',') || t.is(i - 1, '('));
    if (taken && f.space == space_host && !f.is_template && !f.is_constexpr && on_device()) {
      say(false, i,
          "host function " + in_quotes(f.name) + " is used in " + caller() +
              ": device code cannot call it. Mark it __device__",
          f.name);
    }
    return;
  }
  if (entry.variable != nullptr) variable(i, begin, *entry.variable);
}

void Body::launch(Index i, const Entry& entry) {
  if (entry.functions.empty()) return;
  const std::string name = in_quotes(t.text(i));
  for (const Function* f : entry.functions) {
    if (f->space == space_kernel) {
      if (runs_on_device() && !o_.linked && !function_->is_template && !inside(host_sides_, i)) {
        say(false, i,
            "kernel " + name + " is launched from " + caller() +
                ": a launch from device code needs the option -rdc=true");
      }
      if (on_host()) launch_arguments(i, *f);
      return;
    }
  }
  const bool device = entry.functions.front()->space == space_device;
  say(false, i,
      std::string(device ? "device" : "host") + " function " + name +
          " is launched with <<<...>>>: only a __global__ function can be");
}

// Lambdas and functors of the host that are passed to a kernel, which calls them.
void Body::launch_arguments(Index i, const Function& kernel) {
  Index open = i + 1;
  while (open < t.size() && !(t.is(open, '(') && t.is(open - 1, '>') && t.is(open - 2, '>'))) {
    if (t.is(open, ';')) return;
    open = t.after(open);
  }
  if (t.match(open) == none) return;
  const std::string name = in_quotes(kernel.name);
  std::size_t position = 0;
  for (Index begin = open + 1; begin < t.match(open); ++position) {
    const Index end = list_item_end(t, begin, t.match(open));
    const Local* argument = end == begin + 1 ? local(t.text(begin)) : nullptr;
    if (argument != nullptr && argument->is_plain_lambda) {
      say(false, begin,
          "lambda " + in_quotes(argument->name) + " is passed to kernel " + name +
              ": mark it __device__, as in [=] __device__ (...) { ... }, and compile with "
              "--extended-lambda");
    }
    const Class* type = argument != nullptr && !argument->is_pointer ? argument->type : nullptr;
    if (argument == nullptr && (t.is(begin + 1, '{') || t.is(begin + 1, '(')) &&
        t.match(begin + 1) == end - 1) {  // Functor{}
      const Entry* made = find_in_scopes(function_->scope, t.text(begin));
      type = made != nullptr && !made->unknown ? made->type : nullptr;
    }
    if (type != nullptr && position < kernel.parameters.size()) {
      functor(*type, kernel, kernel.parameters[position].name);
    }
    begin = end + 1;
  }
}

void Body::functor(const Class& type, const Function& kernel, std::string_view parameter) {
  const auto operators = type.scope.entries.find("operator");
  if (!kernel.is_template || kernel.body == none || operators == type.scope.entries.end()) return;
  Index call = none;
  for (Index at = kernel.body; call == none && at < t.match(kernel.body); ++at) {
    if (t.text(at) == parameter && t.is(at + 1, '(') && !t.is(at - 1, '.')) call = at;
  }
  bool any = false;
  for (const Function* f : operators->second.functions) {
    if (f->name.rfind("(", 0) != 0) continue;
    if (f->space != space_host || f->is_constexpr) return;
    any = true;
  }
  if (!any || call == none) return;
  report_.error(call, "host function 'operator()' of " + in_quotes(type.name) +
                          " is called from kernel " + in_quotes(kernel.name) +
                          ": mark it __device__");
}

void Body::construct(Index i, const Class& type, Index open) {
  const auto entry = type.scope.entries.find(type.name);
  if (entry == type.scope.entries.end() || entry->second.unknown) return;
  unsigned count = 0;
  if (t.is(open, '(') || t.is(open, '{')) {
    count = arguments(open);
    if (count == ~0u) return;
  } else if (t.is(open, '=')) {
    count = 1;
  }
  // A copy, unless it is made from a number.
  if (count == 1) {
    const Index first = open + 1;
    const Local* source = t.is_name(first) ? local(t.text(first)) : nullptr;
    const bool number =
        t.is_literal(first) || (source != nullptr && source->is_basic && !source->is_pointer);
    if (!number || !(t.is(first + 1, ')') || t.is(first + 1, '}') || t.is(first + 1, ';'))) return;
  }
  std::vector<const Function*> candidates;
  for (const Function* f : entry->second.functions) {
    if (!f->is_constructor) continue;
    for (const Parameter& p : f->parameters) {
      for (Index at = p.begin; at < p.end; ++at) {
        if (t.is(at, "initializer_list")) return;
      }
    }
    if (count >= f->least && count <= f->most) candidates.push_back(f);
  }
  const Function* wrong = nullptr;
  for (const Function* f : candidates) {
    if (may_call(*f)) return;
    wrong = f;
  }
  if (wrong == nullptr) return;
  const bool warning = space_ == space_both && wrong->space == space_host;
  const std::string name = "constructor of " + in_quotes(type.name);
  if (wrong->space == space_device) {
    say(false, i,
        "device " + name + " is called from " + caller() + ": mark it __host__ __device__");
  } else {
    say(warning, i,
        std::string(wrong->is_constexpr ? "constexpr host " : "host ") + name + " is called from " +
            caller() + ": mark it __device__, or __host__ __device__ to have it on both sides" +
            (wrong->is_constexpr ? relaxed : ""));
  }
}

// `object.name` and `pointer->name`, where the object's type is known.
void Body::member(Index i) {
  Index open = i + 1;
  if (t.is(open, '<') && t.close_angle(open) != none) open = t.close_angle(open) + 1;
  if (!t.is(open, '(')) return;
  const Class* type = nullptr;
  if (t.is(i - 2, "this")) {
    type = function_->owner;
  } else {
    const bool arrow = t.is(i - 1, Word::arrow_);
    const bool indexed = t.is(i - 2, ']');
    const Local* object = operand_before(i - 1);
    if (object != nullptr && object->is_pointer == (arrow || indexed)) type = object->type;
  }
  if (type == nullptr) return;
  const Entry* entry = find_here(&type->scope, t.text(i));
  if (entry == nullptr || entry->unknown || entry->functions.empty()) return;
  call(i, of_entry(*entry), open);
}

// The variable that ends before `i`, alone or with an index.
const Local* Body::operand_before(Index i) const {
  Index at = i - 1;
  if (t.is(at, ']') && t.match(at) != none) at = t.match(at) - 1;
  if (!t.is_name(at) || t.is(at - 1, '.') || t.is(at - 1, Word::arrow_) ||
      t.is(at - 1, Word::scope_)) {
    return nullptr;
  }
  return local(t.text(at));
}

const Local* Body::operand_after(Index i) const {
  Index behind = i + 1;
  if (!t.is_name(i)) return nullptr;
  if (t.is(behind, '[')) behind = t.after(behind);
  if (t.is(behind, '.') || t.is(behind, Word::arrow_) || t.is(behind, '(') ||
      t.is(behind, Word::scope_)) {
    return nullptr;
  }
  return local(t.text(i));
}

void Body::operators(Index i) {
  const Token& token = t[i];
  if (token.is('+') || token.is('-') || token.is('*') || token.is('/') || token.is('[')) {
    return binary_operator(i, std::string(1, token.op), i + 1);
  }
  const std::string_view text = t.text(i);
  if (text == "==" || text == "!=" || text == "+=" || text == "-=" || text == "*=" ||
      text == "/=") {
    binary_operator(i, std::string(text), i + 1);
  }
}

// Whether an operator template may take these operands. Where none is of a class that is known (a template's
// parameter may be int*), it may as well be the language's own; and a class that the template names must be theirs.
bool Body::may_be_meant(const Function& f, const Local* a, const Local* b) const {
  const Class* const left = a != nullptr ? a->type : nullptr;
  const Class* const other = b != nullptr ? b->type : nullptr;
  if (left == nullptr && other == nullptr) return false;
  const Scope* const scope = f.scope != nullptr ? f.scope : &m_.global;
  for (const Parameter& p : f.parameters) {
    for (Index at = p.begin; at < p.end; ++at) {
      const Entry* const entry = t.is_name(at) ? find_in_scopes(scope, t.text(at)) : nullptr;
      const Class* const named = entry != nullptr ? entry->type : nullptr;
      if (named != nullptr && named != left && named != other) return false;
    }
  }
  return true;
}

void Body::binary_operator(Index i, const std::string& symbol, Index right) {
  const Local* a = operand_before(i);
  const bool index = symbol == "[";
  const Local* b = index ? nullptr : operand_after(right);
  // In a template, a type that is not a known class may be its parameter, which another's is no match for.
  const bool in_template =
      function_->is_template || (function_->owner != nullptr && function_->owner->is_template);
  const auto is_object = [&](const Local* operand, bool indexed) {
    return operand != nullptr && !operand->type_name.empty() && operand->is_pointer == indexed &&
           (operand->type != nullptr || !in_template);
  };
  if (!is_object(a, t.is(i - 1, ']'))) a = nullptr;
  if (!is_object(b, t.is(right + 1, '['))) b = nullptr;
  if ((a == nullptr && b == nullptr) ||
      (!t.is_name(i - 1) && !t.is(i - 1, ']') && !t.is(i - 1, ')') && !t.is_literal(i - 1))) {
    return;
  }
  std::vector<const Function*> candidates;
  if (a != nullptr && a->type != nullptr) {
    const auto members = a->type->scope.entries.find("operator");
    if (members != a->type->scope.entries.end()) {
      for (const Function* f : members->second.functions) {
        const bool same = index ? f->name.rfind("[", 0) == 0 : f->name == symbol;
        if (same && f->parameters.size() == 1) candidates.push_back(f);
      }
    }
  }
  const auto free = m_.free_functions.find(symbol);
  if (free != m_.free_functions.end()) {
    for (const Function* f : free->second) {
      if (f->parameters.size() != 2 || (f->is_template && !may_be_meant(*f, a, b))) continue;
      for (const Local* operand : {a, b}) {
        for (const Parameter& p : f->parameters) {
          for (Index at = p.begin; operand != nullptr && at < p.end; ++at) {
            if (t.text(at) != operand->type_name) continue;
            candidates.push_back(f);
            at = p.end;
          }
        }
      }
      if (f->is_template) candidates.push_back(f);
    }
  }
  const Function* wrong = nullptr;
  for (const Function* f : candidates) {
    if (may_call(*f)) return;
    wrong = f;
  }
  if (wrong != nullptr) complain_call(i, *wrong, "operator" + std::string(wrong->name));
}

void Body::variable(Index i, Index begin, const Variable& v) {
  if (v.is_field || v.is_template || v.is_shared) return;
  if (v.on_device) return device_variable_on_host(i, v);
  if (on_host()) host_variable_as_symbol(i, begin, v);
  if (!runs_on_device() || v.is_reference || i < constant_end_) return;
  if (inside(host_sides_, i)) return;
  if (function_->owner != nullptr && function_->owner->is_template) return;
  const bool address = t.is(begin - 1, '&') && !t.is_name(begin - 2) && !t.is(begin - 2, ')') &&
                       !t.is(begin - 2, ']') && !t.is_literal(begin - 2);
  // A number that the compiler knows takes the variable's place.
  const bool value_known =
      v.is_constexpr || (v.is_const && !v.is_pointer && !is_computed(t, m_, v));
  if (value_known && !v.is_array && !v.is_volatile && !address) return;
  // A texture reference, about which enough is said.
  if (v.type_begin != none && t.is(v.type_begin, "texture")) return;
  // `using integer = const int`
  const Entry* type =
      v.type_begin != none ? find_in_scopes(function_->scope, t.text(v.type_begin)) : nullptr;
  if (type != nullptr && type->unknown) return;
  if (t.is(i + 1, '(')) return;  // a call of what the variable holds
  const bool writes = t.is(i + 1, '=') || t.is(i + 1, "+=") || t.is(i + 1, "-=") ||
                      t.is(i + 1, "++") || t.is(i + 1, "--") || t.is(begin - 1, "++");
  const char* advice = v.is_const || v.is_constexpr
                           ? "make it __constant__ or __device__, or a local of the kernel"
                           : "make it __device__ (or __managed__, for both sides), or "
                             "pass it as an argument";
  say(false, i,
      "host variable " + in_quotes(v.name) + " is " + (writes ? "written" : "used") + " in " +
          caller() + ", where it does not exist: " + advice);
}

// nvcc compiles it; when it runs, the call fails.
void Body::host_variable_as_symbol(Index i, Index begin, const Variable& v) {
  if (v.is_template || v.is_field || v.is_reference) return;
  for (Index at = v.type_begin; v.is_pointer && at < v.type_end; ++at) {
    if (t.is(at, "void") || t.is(at, "auto")) return;  // perhaps the address of a symbol
  }
  host_name_as_symbol(i, begin);
}

void Body::host_name_as_symbol(Index i, Index begin) {
  const bool alone =
      (t.is(i + 1, ',') || t.is(i + 1, ')')) && (t.is(begin - 1, ',') || t.is(begin - 1, '('));
  if (!alone) return;
  Index open = begin - 1;
  unsigned position = 0;
  for (; open > 0 && !t.is(open, '('); --open) {
    if (t.is(open, ';') || t.is(open, '{')) return;
    if (t.is(open, ',')) ++position;
    if (t.is(open, ')') && t.match(open) != none) open = t.match(open);
  }
  if (open == 0 || symbol_argument(t.text(open - 1)) != position) return;
  report_.no_symbols.push_back({begin, i});
}

void Body::device_variable_on_host(Index i, const Variable& v) {
  Index behind = i + 1;
  while (t.is(behind, '[')) behind = t.after(behind);
  const bool indexed = behind != i + 1;
  while (t.is(behind, '.') && t.is_name(behind + 1)) behind += 2;
  const bool assigned = t.is(behind, '=');
  const std::string_view next = t.text(behind);
  const bool changed = next == "+=" || next == "-=" || next == "*=" || next == "/=" ||
                       next == "++" || next == "--" || t.is(i - 1, "++") || t.is(i - 1, "--");
  if (v.is_constant && (assigned || changed) && !v.is_pointer) {
    const std::string what =
        "constant variable " + in_quotes(v.name) + " is written in " + caller() +
        ": kernels can only read it, and the host writes it with cudaMemcpyToSymbol";
    return say(indexed || behind != i + 1, i, what);
  }
  if (!(on_host() || (space_ == space_both && !o_.asks_for_arch && !function_->is_template)) ||
      v.is_managed) {
    return;
  }
  const char* kind = v.is_constant ? "constant" : "device";
  if (assigned || changed) {
    return say(true, i,
               std::string(kind) + " variable " + in_quotes(v.name) + " is written in " + caller() +
                   ", which has its own copy on a GPU: use cudaMemcpyToSymbol");
  }
  // An argument may be taken by its address, as cudaMemcpyToSymbol does.
  const Token& before = t[i - 1];
  const bool operand = t.is(behind, '+') || t.is(behind, '-') || t.is(behind, '*') ||
                       t.is(behind, '/') || next == "==" || next == "!=" || before.is('+') ||
                       before.is('-') || before.is('/') || t.is(i - 1, "==") ||
                       t.is(i - 1, "return") || (before.is('=') && t.is(behind, ';')) ||
                       t.is(i - 1, "+=");
  Index open = i;  // `printf("%d", x)`
  while (open > 0 && !t.is(open, '(') && !t.is(open, ';') && !t.is(open, '{')) {
    open = t.is(open, ')') && t.match(open) != none ? t.match(open) - 1 : open - 1;
  }
  const bool printed =
      (before.is(',') && t.is(open - 1, Word::printf_)) ||
      (before.is('<') && t.is(i - 2, '<') && (t.is(behind, '<') || t.is(behind, ';')));
  if ((!operand && !printed) || (v.is_array && !indexed) || before.is('&')) return;
  say(true, i,
      std::string(kind) + " variable " + in_quotes(v.name) + " is read in " + caller() +
          ", which has its own copy on a GPU: use cudaMemcpyFromSymbol");
}

}  // namespace simt::cc::spaces
