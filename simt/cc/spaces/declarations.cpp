#include "spaces/declarations.h"

#include <algorithm>

#include "spaces/lookup.h"
#include "spaces/parameters.h"
#include "spaces/qualifiers.h"

namespace simt::cc::spaces {

namespace {

class Reader {
 public:
  Reader(const OwnTokens& tokens, Model& model, Report& report)
      : t(tokens), m_(model), report_(report) {}

  void scope(Index i, Index end, Scope* into) {
    while (i < end) {
      const Index next = declaration(i, end, into);
      i = std::max(next, i + 1);
    }
  }

 private:
  // The ';' or the end of the braces behind `i`: where the next declaration begins.
  Index past_declaration(Index i, Index end) const {
    for (; i < end; i = t.after(i)) {
      if (t.is(i, ';')) return i + 1;
      if (t.is(i, '{')) return t.is(t.after(i), ';') ? t.after(i) + 1 : t.after(i);
      if (t.is(i, '}')) return i;
    }
    return end;
  }

  // What is not understood declares something of each name that could be a function's.
  Index give_up(Index begin, Index end, Scope* into) {
    const Index stop = past_declaration(begin, end);
    for (Index i = begin; i < stop; i = t.after(i)) {
      if (t.is_name(i)) into->entries[t.text(i)].unknown = true;
      if (t.is(i, Word::operator_)) m_.free_functions[t.text(i + 1)];
    }
    return stop;
  }

  Index declaration(Index i, Index end, Scope* into) {
    if (t.is(i, ';') || t.is(i, '}')) return i + 1;
    Declared d;
    d.first = i;
    while (t.is(i, Word::template_)) {
      if (!t.is(i + 1, '<')) return past_declaration(i, end);  // an explicit instantiation
      const Index close = t.close_angle(i + 1);
      if (close == none) return give_up(i, end, into);
      d.is_template = d.is_template || close > i + 2;
      i = close + 1;
      if (t.is(i, Word::requires_)) return give_up(i, end, into);
    }
    i = skip_attributes(t, i);
    if (t.is(i, Word::namespace_) || (t.is(i, Word::inline_) && t.is(i + 1, Word::namespace_))) {
      return name_space(i, end, into);
    }
    if (t.is(i, Word::extern_) && t[i + 1].kind == Kind::string) {
      if (!t.is(i + 2, '{')) return declaration(i + 2, end, into);
      scope(i + 3, std::min(end, t.match(i + 2)), into);
      return t.after(i + 2);
    }
    const std::string_view word = t.is_name(i) ? t.text(i) : std::string_view();
    if (word == "using") return using_(i, end, into);
    if (word == "typedef") return type_name(i, end, into);
    if (word == "static_assert" || word == "concept" || t.is(i, Word::asm_)) {
      return give_up(i, end, into);
    }
    if ((word == "public" || word == "private" || word == "protected") && t.is(i + 1, ':')) {
      return i + 2;
    }
    return declarators(i, end, into, d);
  }

  Index name_space(Index i, Index end, Scope* into) {
    const bool is_inline = t.is(i, Word::inline_);
    i += is_inline ? 2 : 1;
    Scope* inner = into;
    for (i = skip_attributes(t, i); i < end && !t.is(i, '{'); i = skip_attributes(t, i + 1)) {
      if (t.is(i, '=')) {  // an alias
        into->entries[t.text(i - 1)].space = find_namespace(t, i + 1, into);
        return past_declaration(i, end);
      }
      if (t.is(i, ';')) return i + 1;
      if (!t.is_name(i) || t.is(i, Word::inline_)) continue;
      Entry& entry = inner->entries[t.text(i)];
      if (is_inline) {  // its names are those of the scope around it
        entry.space = inner;
      } else if (entry.space == nullptr) {
        m_.namespaces.push_back(std::make_unique<Scope>());
        entry.space = m_.namespaces.back().get();
        entry.space->parent = inner;
      }
      inner = entry.space;
    }
    if (i >= end || t.match(i) == none) return end;
    const bool unnamed_before = in_unnamed_;
    in_unnamed_ = in_unnamed_ || inner == into;
    scope(i + 1, t.match(i), inner);
    in_unnamed_ = unnamed_before;
    return t.match(i) + 1;
  }

  Index using_(Index i, Index end, Scope* into) {
    const Index stop = past_declaration(i, end);
    if (t.is(i + 1, Word::namespace_)) {
      Scope* used = find_namespace(t, i + 2, into);
      if (used != nullptr && used != into) {
        into->used.push_back(used);
      } else if (used == nullptr) {
        (t.is(i + 2, "std") && t.is(i + 3, ';') ? m_.uses_std : m_.uses_others) = true;
      }
    } else if (t.is(i + 2, '=')) {
      into->entries[t.text(i + 1)].unknown = true;
    } else if (stop >= 2 && t.is_name(stop - 2)) {
      into->entries[t.text(stop - 2)].unknown = true;
    }
    return stop;
  }

  Index type_name(Index i, Index end, Scope* into) {
    Index stop = i;
    while (stop < end && !t.is(stop, ';')) {
      if (t.is_name(stop)) into->entries[t.text(stop)].unknown = true;
      if (t.is(stop, '(') && t.is_name(stop + 2)) into->entries[t.text(stop + 2)].unknown = true;
      stop = t.after(stop);
    }
    return stop + 1;
  }

  // `struct S : B { ... }`: then true, and `i` is behind the brace. Else `i` is behind the name.
  bool class_(Index& i, Index end, Scope* into, const Declared& d) {
    const bool is_enum = t.is(i, "enum");
    i = skip_attributes(t, i + 1);
    if (is_enum && t.is(i, Word::struct_)) ++i;
    std::string_view name;
    Scope* where = into;
    bool specialised = false;
    for (; t.is_name(i) || t.is(i, Word::scope_) || t.is(i, '<'); ++i) {
      i = skip_attributes(t, i);
      if (t.is(i, '<')) {
        if (t.close_angle(i) == none) return false;
        i = t.close_angle(i);
        specialised = true;
      } else if (t.is_name(i) && !t.is(i, "final") && !is_specifier(t, i)) {
        if (!name.empty() && !t.is(i - 1, Word::scope_)) return false;  // `struct S f(...)`
        name = t.text(i);
        if (t.is(i + 1, Word::scope_)) {
          const Entry* outer = find_here(where, name);
          where = outer != nullptr && outer->type != nullptr    ? &outer->type->scope
                  : outer != nullptr && outer->space != nullptr ? outer->space
                                                                : where;
        }
      }
    }
    if (!t.is(i, ':') && !t.is(i, '{')) {
      if (t.is(i, ';') && !name.empty() && !is_enum) declare_class(name, where, d);
      return false;
    }
    Index open = i;
    while (open < end && !t.is(open, '{')) {
      if (t.is(open, ';') || t.is(open, '(')) return false;
      open = t.is(open, '<') && t.close_angle(open) != none ? t.close_angle(open) + 1 : open + 1;
    }
    const Index close = t.match(open);
    if (close == none) return false;
    if (is_enum) {
      if (!name.empty()) where->entries[name].unknown = true;
      for (Index e = open + 1; e < close; e = t.after(e)) {
        if (t.is_name(e)) into->entries[t.text(e)].unknown = true;
      }
    } else {
      Class* c = name.empty() || specialised ? nullptr : declare_class(name, where, d);
      if (c == nullptr || c->is_complete) {  // one of several specialisations, or without a name
        m_.classes.push_back(std::make_unique<Class>());
        if (c != nullptr || specialised) where->entries[name].unknown = true;
        c = m_.classes.back().get();
        c->name = name;
        c->scope.parent = where;
        c->scope.owner = c;
      }
      c->is_complete = true;
      c->is_template = c->is_template || d.is_template || specialised;
      bases(*c, i, open, into);
      scope(open + 1, close, &c->scope);
    }
    i = close + 1;
    return true;
  }

  Class* declare_class(std::string_view name, Scope* where, const Declared& d) {
    Entry& entry = where->entries[name];
    if (entry.type == nullptr) {
      m_.classes.push_back(std::make_unique<Class>());
      entry.type = m_.classes.back().get();
      entry.type->name = name;
      entry.type->scope.parent = where;
      entry.type->scope.owner = entry.type;
    }
    entry.type->is_template = entry.type->is_template || d.is_template;
    return entry.type;
  }

  void bases(Class& c, Index i, Index open, Scope* into) {
    while (i < open) {
      ++i;  // the ':' or the ','
      const Index stop = list_item_end(t, i, open);
      while (i < stop && (t.is(i, "public") || t.is(i, "private") || t.is(i, "protected") ||
                          t.is(i, "virtual"))) {
        ++i;
      }
      const Entry* base = i < stop && t.is_name(i) && !t.is(i + 1, Word::scope_)
                              ? find_in_scopes(into, t.text(i))
                              : nullptr;
      if (base != nullptr && base->type != nullptr && !base->unknown) {
        c.bases.push_back(base->type);
      } else if (i < stop) {
        c.has_unknown_base = true;
      }
      i = stop;
    }
  }

  Index declarators(Index i, Index end, Scope* into, Declared& d) {
    d.scope = into;
    Index last_name = none;  // the last name that is no specifier
    bool qualified = false;
    for (Index steps = 0; i < end; ++steps) {
      const Index attributes = i;
      i = skip_attributes(t, i);
      for (Index a = attributes; a < i; ++a)
        if (t.text(a) == "__simt_launch_bounds__") d.launch_bounds = a;
      if (specifier(i, d)) {
        ++i;
      } else if (t.is(i, Word::struct_) && last_name == none) {
        if (class_(i, end, into, d)) {
          if (t.is(i, ';')) return i + 1;
          d.type_begin = d.type_end = none;
        }
        last_name = i;  // whatever follows declares something of that type
        if (t.is(i, '(')) return give_up(d.first, end, into);
      } else if (t.is(i, Word::operator_)) {
        return operator_function(i, end, into, d);
      } else if (t.is(i, Word::decltype_) && t.is(i + 1, '(')) {
        last_name = i;
        i = t.after(i + 1);
      } else if (t.is(i, '~')) {
        d.is_destructor = true;
        ++i;
      } else if (t.is_name(i)) {
        if (d.type_begin == none) d.type_begin = i;
        last_name = i++;
        if (t.is(i, '<') && !t.is_launch(i)) {
          if (t.close_angle(i) == none) return give_up(d.first, end, into);
          d.after_name = t.close_angle(i) + 1;
          i = d.after_name;
        } else {
          d.after_name = i;
        }
      } else if (t.is(i, Word::scope_)) {
        qualified = last_name != none;
        if (d.type_begin == none) d.type_begin = i;
        ++i;
      } else if (t.is(i, '*')) {
        d.is_pointer = true;
        ++i;
      } else if (t.is(i, '&') || t.is(i, "&&")) {
        d.is_reference = true;
        ++i;
      } else if (t.is(i, '(')) {
        if (last_name == none || t.match(i) == none) return give_up(d.first, end, into);
        const bool after_name = i == d.after_name;
        if (!after_name || t.is(i + 1, '*') || is_type_keyword(t.text(last_name))) {
          return pointer_variable(i, end, into, d);
        }
        if (!is_parameter_list(i, into)) return variables(last_name, i, end, into, d);
        return function(last_name, i, end, into, d, qualified && t.is(last_name - 1, Word::scope_));
      } else if (last_name != none && (t.is(i, '=') || t.is(i, ';') || t.is(i, '[') ||
                                       t.is(i, ',') || t.is(i, '{') || t.is(i, ':'))) {
        if (t.is(last_name - 1, Word::scope_) && last_name > d.first) {
          return past_variable(i, end);  // the definition of a static member
        }
        return variables(last_name, i, end, into, d);
      } else {
        return give_up(d.first, end, into);
      }
      if (steps > 200) return give_up(d.first, end, into);
    }
    return end;
  }

  bool specifier(Index i, Declared& d) const {
    if (!is_specifier(t, i)) return false;
    const Word w = t[i].word;
    const std::string_view word = t.text(i);
    if (w == Word::global_) d.on_kernel = i;
    if (w == Word::device_) d.on_device = i;
    if (w == Word::host_) d.on_host = i;
    if (w == Word::variable_) d.on_device = i;
    if (w == Word::shared_) d.is_shared = true;
    if (w == Word::mark_) {
      if (word == "__simt_constant__") d.is_constant = true;
      if (word == "__simt_managed__") d.is_managed = true;
    }
    if (w == Word::inline_) d.is_inline = i;
    if (w == Word::constexpr_) d.is_constexpr = true;
    if (w == Word::static_) d.is_static = true;
    if (w == Word::extern_) d.is_extern = true;
    if (w == Word::friend_) d.is_friend = true;
    if (w == Word::volatile_) d.is_volatile = true;
    // Behind the last '*': `const char* const name`.
    if (w == Word::const_) (d.is_pointer ? d.is_const_pointer : d.is_const) = true;
    return true;
  }

  // Between the parentheses behind a name: parameters, or the arguments of a variable's constructor.
  bool is_parameter_list(Index open, const Scope* into) const {
    const Index close = t.match(open), first = open + 1;
    if (first == close || into->owner != nullptr) return true;
    if (t.is(close + 1, '{') || t.is_name(close + 1) || t.is(close + 1, Word::arrow_) ||
        t.is(close + 1, ':') || t.is(close + 1, '=')) {
      return true;
    }
    if (t.is_literal(first) || t.is(first, '-') || t.is(first, '&') || t.is(first, '['))
      return false;
    if (is_type_keyword(t.text(first)) || is_specifier(t, first)) return true;
    for (Index i = first; i < close; ++i) {
      if (t.is(i, '.') && t.is(i + 1, '.')) return true;  // ...
      if (t.is(i, '(') || t.is(i, '+') || t.is(i, '/') || t.is(i, '.')) return false;
    }
    return true;
  }

  Index past_variable(Index i, Index end) const {
    while (i < end && !t.is(i, ';')) i = t.after(i);
    return i + 1;
  }

  // `float (*table[3])(float) = ...`
  Index pointer_variable(Index open, Index end, Scope* into, Declared& d) {
    for (Index i = open + 1; i < t.match(open); ++i) {
      if (!t.is_name(i) || is_specifier(t, i) || t.is(i + 1, Word::scope_)) continue;
      d.is_pointer = true;
      return variables(i, t.match(open), end, into, d);
    }
    return give_up(d.first, end, into);
  }

  Index variables(Index name, Index i, Index end, Scope* into, Declared& d) {
    d.type_end = name;
    for (;;) {
      Variable* v = variable(name, into, d);
      for (; i < end && !t.is(i, ',') && !t.is(i, ';'); i = t.after(i)) {
        if (t.is(i, '[')) v->is_array = true;
        if (v->value_begin != none) continue;
        if (t.is(i, '=')) v->value_begin = i + 1;
        if (t.is(i, '{') || t.is(i, '(')) v->value_begin = i;
      }
      if (v->value_begin != none) v->value_end = i;
      judge_variable(*v, d, report_);
      if (!t.is(i, ',')) return i + 1;
      d.is_pointer = d.is_reference = d.is_const_pointer = false;
      for (++i; i < end && !t.is_name(i); ++i) {
        if (t.is(i, '*')) d.is_pointer = true;
        if (t.is(i, '&')) d.is_reference = true;
        if (t.is(i, ';') || t.is(i, '}')) return i;
      }
      name = i++;
    }
  }

  Variable* variable(Index name, Scope* into, const Declared& d) {
    Entry& entry = into->entries[t.text(name)];
    if (entry.variable == nullptr) {
      m_.variables.emplace_back();
      entry.variable = &m_.variables.back();
    }
    Variable* v = entry.variable;
    v->name = t.text(name);
    v->place = name;
    v->on_device = v->on_device || d.on_device != none || d.is_constant || d.is_managed;
    v->is_constant = v->is_constant || d.is_constant;
    v->is_managed = v->is_managed || d.is_managed;
    v->is_shared = v->is_shared || d.is_shared;
    v->is_const = d.is_pointer ? d.is_const_pointer : d.is_const;
    v->is_constexpr = d.is_constexpr;
    v->is_volatile = d.is_volatile;
    v->is_pointer = d.is_pointer;
    v->is_reference = d.is_reference;
    v->is_template = d.is_template;
    v->is_extern = d.is_extern;
    v->is_field = into->owner != nullptr && !d.is_static;
    v->type_begin = d.type_begin;
    v->type_end = d.type_end;
    return v;
  }

  Index operator_function(Index i, Index end, Scope* into, Declared& d) {
    d.operator_at = i;
    Index open = i + 1;
    if (t.is(open, '(') && t.is(open + 1, ')')) open += 2;
    while (open < end && !t.is(open, '(')) {
      if (t.is(open, ';') || t.is(open, '{')) return give_up(d.first, end, into);
      ++open;
    }
    const bool qualified = i > d.first && t.is(i - 1, Word::scope_);
    return function(i, open, end, into, d, qualified);
  }

  Index function(Index name, Index open, Index end, Scope* into, Declared& d, bool qualified) {
    const Index close = t.match(open);
    if (close == none) return give_up(d.first, end, into);
    Function f;
    f.place = name;
    f.is_operator = d.operator_at != none;
    f.name =
        f.is_operator ? t.source().text(Range{t.place(name + 1), t.place(open)}) : t.text(name);
    f.is_template = d.is_template;
    f.is_constexpr = d.is_constexpr;
    f.is_destructor = d.is_destructor;
    f.space = d.on_kernel != none                        ? unsigned(space_kernel)
              : d.on_device != none && d.on_host != none ? unsigned(space_both)
              : d.on_device != none                      ? unsigned(space_device)
                                                         : unsigned(space_host);
    d.type_end = name;
    read_parameters(t, open, f);
    Scope* home = into;
    if (qualified) {
      home = scope_of_qualified(name, into, d);
      if (home == nullptr) return give_up(d.first, end, into);
    }
    f.owner = d.is_friend ? nullptr : home->owner;
    f.scope = home;
    f.is_constructor = f.owner != nullptr && !f.is_destructor && f.name == f.owner->name;
    if (f.owner != nullptr && f.owner->is_template) f.is_template = true;
    f.only_if_used = f.is_template || d.is_static || d.is_inline != none || d.is_constexpr ||
                     home->owner != nullptr || in_unnamed_;
    Index i = behind_parameters(close + 1, end, f);
    if (i == none) return give_up(d.first, end, into);
    judge_function(t, f, d, report_);
    enter(std::move(f), home, d);
    return i;
  }

  // Of `int S::get()`, to which S belongs.
  Scope* scope_of_qualified(Index name, Scope* into, const Declared& d) const {
    Index begin = name - 1;
    while (begin > d.first && (t.is(begin - 1, Word::scope_) || t.is_name(begin - 1) ||
                               t.is(begin - 1, '>') || t.is(begin - 1, '<'))) {
      const bool joined = t.is(begin, Word::scope_) || t.is(begin - 1, Word::scope_);
      if (!joined) break;
      if (t.is(begin - 1, '>') || t.is(begin - 1, '<')) return nullptr;
      --begin;
    }
    if (t.is(begin, Word::scope_)) ++begin;
    Scope* at = into;
    for (bool first = true; begin < name - 1; begin += 2, first = false) {
      const Entry* entry = first ? find_in_scopes(at, t.text(begin)) : find_here(at, t.text(begin));
      if (entry == nullptr || (entry->type == nullptr && entry->space == nullptr)) return nullptr;
      at = entry->type != nullptr ? &entry->type->scope : entry->space;
    }
    return at;
  }

  // From behind the parameters to the next declaration; finds the body.
  Index behind_parameters(Index i, Index end, Function& f) {
    while (i < end) {
      i = skip_attributes(t, i);
      if (t.is(i, ';')) return i + 1;
      if (t.is(i, '{')) {
        if (t.match(i) == none) return none;
        f.body = i;
        return t.match(i) + 1;
      }
      if (t.is(i, '=')) {
        f.is_defaulted = t.is(i + 1, "default") || t.is(i + 1, "delete");
        return past_variable(i, end);
      }
      if (t.is(i, ':')) {
        f.has_initialisers = true;
        i = past_initialisers(i, end);
        if (i == none) return none;
      } else if (t.is(i, Word::arrow_)) {
        while (i < end && !t.is(i, '{') && !t.is(i, ';') && !t.is(i, '=')) i = t.after(i);
      } else if (t.is(i, Word::noexcept_) && t.is(i + 1, '(')) {
        i = t.after(i + 1);
      } else if (t.is(i, Word::requires_)) {
        return none;
      } else if (t.is_name(i) || t.is(i, '&') || t.is(i, "&&")) {
        ++i;
      } else {
        return none;
      }
    }
    return end;
  }

  Index past_initialisers(Index i, Index end) const {
    for (++i; i < end; ++i) {
      if (t.is(i, '<') && t.close_angle(i) != none) {
        i = t.close_angle(i);
      } else if (t.is(i, '(') || t.is(i, '{')) {
        if (t.match(i) == none) return none;
        i = t.match(i);
        if (t.is(i + 1, '{')) return i + 1;
      } else if (t.is(i, ';')) {
        return none;
      }
    }
    return none;
  }

  // A function that was declared before is the same one: its spaces add up, as in nvcc.
  void enter(Function f, Scope* home, const Declared& d) {
    Entry& entry = (d.is_friend ? m_.global : *home).entries[f.is_operator ? "operator" : f.name];
    std::vector<Function*>& list =
        f.is_operator && f.owner == nullptr ? m_.free_functions[f.name] : entry.functions;
    for (Function* before : list) {
      const bool same = before->signature == f.signature && before->owner == f.owner &&
                        before->is_operator == f.is_operator && before->name == f.name &&
                        before->is_destructor == f.is_destructor &&
                        before->is_template == f.is_template;
      if (!same) continue;
      // A definition outside of its class need not repeat the words.
      const unsigned both = before->space | f.space;
      before->space = both & space_kernel ? unsigned(space_kernel) : both;
      before->is_constexpr = before->is_constexpr || f.is_constexpr;
      if (before->body == none) {
        before->body = f.body;
        before->has_initialisers = f.has_initialisers;
        if (f.body != none) before->parameters = f.parameters;
        before->scope = f.scope;
      }
      return;
    }
    m_.functions.push_back(std::move(f));
    Function* stored = &m_.functions.back();
    list.push_back(stored);
    if (stored->owner == nullptr && !stored->is_operator) {
      m_.free_functions[stored->name].push_back(stored);
    }
  }

  const OwnTokens& t;
  Model& m_;
  Report& report_;
  bool in_unnamed_ = false;  // namespace, whose functions nobody else can use
};

}  // namespace

void read_declarations(const OwnTokens& tokens, Model& model, Report& report) {
  Reader(tokens, model, report).scope(0, tokens.size(), &model.global);
}

}  // namespace simt::cc::spaces
