#include "split/emit.h"

#include <algorithm>

namespace simt::cc {
namespace {

std::string number(std::size_t n) {
  return std::to_string(n);
}

class Emitter {
 public:
  Emitter(const Source& s, std::string_view text, const Lines& lines, const Variables& names,
          const Plan& plan, bool checked)
      : s_(s),
        text_(text),
        lines_(lines),
        names_(names),
        plan_(plan),
        checked_(checked),
        used_(variables_of_pieces(names, plan)) {
    for (const Variable& v : names.variables) {
      changes_parameters_ = changes_parameters_ || (v.parameter && v.life != Life::once);
    }
  }

  std::string run() {
    out_ = " if (__builtin_expect(::simt::splits(), 0)) { ";
    out_ += names_.lockstep ? "::simt::SplitRun simt_s; " : "::simt::SplitSchedule simt_s; ";
    out_ +=
        "[[maybe_unused]] const uint3 blockIdx = ::blockIdx; "
        "[[maybe_unused]] const dim3 blockDim = ::blockDim, gridDim = ::gridDim; ";
    front();
    if (names_.lockstep) {
      out_ += "goto simt_l" + number(target(0).piece) + "; ";
      for (piece_ = 0; piece_ < plan_.pieces.size(); ++piece_) together(plan_.pieces[piece_]);
      out_ += " simt_end: return; }";
    } else {
      out_ +=
          "for (unsigned simt_p; (simt_p = simt_s.next()) != ::simt::SplitSchedule::over;) "
          "switch (simt_p) {";
      for (piece_ = 0; piece_ < plan_.pieces.size(); ++piece_) apart(plan_.pieces[piece_]);
      out_ += " default: break; } return; }";
    }
    return std::move(out_);
  }

 private:
  struct Target {
    unsigned piece;
    bool barrier;
  };

  // The first piece gives every thread its own parameters, if it changes them.
  bool has_code(unsigned piece) const {
    return !plan_.pieces[piece].code.empty() || (piece == 0 && changes_parameters_);
  }

  // Where a way to `piece` really leads: pieces without anything in them are passed over.
  Target target(unsigned piece, bool barrier = false) const {
    for (unsigned steps = 0; piece != no_piece && steps < 1000; ++steps) {
      const Stretch& p = plan_.pieces[piece];
      const bool empty = !has_code(piece) && p.actions.empty() && p.condition.begin == none;
      if (!empty || !p.guards.empty() || (p.barrier && barrier)) break;
      barrier = barrier || p.barrier;
      piece = p.yes;
    }
    return {piece, barrier};
  }

  std::string text_of(Range r) const { return s_.flat_text(r); }

  // `base` without what a typedef cannot have.
  std::string type_text(const Variable& v) const {
    std::string text;
    for (Index i = v.base.begin; i < v.base.end; ++i) {
      const std::string_view word = s_.text(i);
      if (s_.is(i, '[') && s_.is(i + 1, '[')) {
        i = s_.last_of(i);
      } else if (word != "constexpr" && word != "static" && word != "register" &&
                 word != "inline" && s_[i].kind != Kind::directive) {
        text += std::string(word) + " ";
      }
    }
    return text;
  }

  // The declaration of one variable with another name in its place.
  std::string declaration(const Variable& v, const std::string& name, bool with_value) const {
    std::string text = text_of(v.base) + " " + text_of({v.d.begin, v.d.name}) + " " + name + " " +
                       text_of({v.d.name + 1, v.d.suffix_end});
    if (with_value && v.d.value.begin != none) text += " " + text_of(v.d.value);
    return text + "; ";
  }
  std::string declaration(const Variable& v) const {
    if (v.type) return text_of(v.base) + "; ";
    return declaration(v, std::string(v.name), true);
  }

  std::string type_of(Index n) const {
    const Variable& v = names_.variables[n];
    const std::string name = "simt_t" + number(n);
    if (!v.is_auto) {
      return "typedef " + type_text(v) + text_of({v.d.begin, v.d.name}) + " " + name + " " +
             text_of({v.d.name + 1, v.d.suffix_end}) + "; ";
    }
    if (v.d.value.begin == none) throw NotSplit{"a declaration that is not understood"};
    const Range value = s_.is(v.d.value.begin, '=') ? Range{v.d.value.begin + 1, v.d.value.end}
                                                    : Range{v.d.value.begin + 1, v.d.value.end - 1};
    std::vector<bool> need(names_.variables.size());
    mention(value, need);
    std::string text = "auto simt_f" + number(n) + " = [&]() { ";
    for (Index u = 0; u < n; ++u) {
      const Variable& other = names_.variables[u];
      if (!need[u] || other.parameter || other.life == Life::once) continue;
      if (other.life == Life::thread) {
        text += "auto& " + std::string(other.name) + " = simt_v" + number(u) + ".at(0); ";
      } else if (other.life == Life::uniform) {
        text += "auto& " + std::string(other.name) + " = simt_u" + number(u) + "; ";
      } else {
        text += declaration(other);
      }
    }
    return text + "return ::simt::SplitType<std::decay_t<decltype(" + text_of(value) +
           ")>>(); }; using " + name + " = typename decltype(simt_f" + number(n) + "())::type; ";
  }

  void mention(Range r, std::vector<bool>& need) const {
    for (Index i = r.begin; r.begin != none && i < r.end; ++i) {
      const Index v = names_.find(i);
      if (v == none || need[v]) continue;
      need[v] = true;
      const Variable& found = names_.variables[v];
      if (found.life == Life::thread || found.life == Life::once || found.parameter) continue;
      mention(found.base, need);
      mention({found.d.begin, found.d.end}, need);
    }
  }

  // What stands before the first piece, in the source's order.
  void front() {
    std::vector<std::pair<Index, std::string>> items;
    for (const Hoisted& h : names_.hoisted) {
      items.push_back({h.at, lines_.marker(h.at) + std::string(s_.text(h.all)) + " "});
    }
    for (Index n = 0; n < names_.variables.size(); ++n) {
      const Variable& v = names_.variables[n];
      const std::string k = number(n);
      std::string text;
      if (v.parameter) {
        if (v.life == Life::once) continue;
        text = "using simt_t" + k + " = typename ::simt::SplitBare<decltype(" +
               std::string(v.name) + ")>::type; simt_t" + k + "& simt_p" + k +
               " = const_cast<simt_t" + k + "&>(" + std::string(v.name) + "); ";
        if (v.life == Life::thread) text += variable(k);
      } else if (v.life == Life::once) {
        text = "[[maybe_unused]] " + declaration(v);
      } else if (v.life == Life::thread) {
        text = type_of(n) + variable(k);
      } else if (v.life == Life::uniform) {
        text = type_of(n) + "simt_t" + k + " simt_u" + k +
               (v.in_front ? " " + text_of(v.d.value) + "; " : "{}; ");
      }
      if (!text.empty()) items.push_back({v.d.name, std::move(text)});
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [at, text] : items) {
      if (text[0] != '\n') out_ += lines_.marker(at);
      out_ += text;
    }
  }
  static std::string variable(const std::string& k) {
    return "const ::simt::SplitVar<simt_t" + k + "> simt_v" + k + "; ";
  }

  bool is_home(const Variable& v, const Stretch& piece) const {
    return std::any_of(piece.code.begin(), piece.code.end(), [&](const Code& c) {
      return v.d.name >= c.range.begin && v.d.name < c.range.end;
    });
  }

  std::string keep(Index n) const {
    const std::string k = number(n);
    return "::simt::SplitKeep<typename ::simt::SplitVar<simt_t" + k + ">::T> simt_k" + k +
           "(simt_v" + k + ".at(simt_w.id()), " + std::string(names_.variables[n].name) + "); ";
  }
  // `View name = simt_vN.<how>;`
  std::string view(Index n, const std::string& how) const {
    const Variable& v = names_.variables[n];
    const std::string k = number(n);
    std::string kind = v.address ? "T& " : v.modified ? "View " : "Seen ";
    std::string text = "typename ::simt::SplitVar<simt_t" + k + ">::" + kind + std::string(v.name) +
                       " = simt_v" + k + "." + how + "; ";
    if (v.modified && !v.address) text += keep(n);
    return text;
  }

  // The variables that the code of this piece needs and does not declare.
  void before_code(const Stretch& piece) {
    for (Index n = 0; n < names_.variables.size(); ++n) {
      const Variable& v = names_.variables[n];
      const std::string k = number(n);
      if (v.parameter && v.life != Life::once && piece_ == 0) {
        out_ += v.life == Life::thread
                    ? view(n, "make(simt_w.id(), simt_p" + k + ")")
                    : "simt_t" + k + " " + std::string(v.name) + " = simt_p" + k + "; ";
        continue;
      }
      if (!used_[piece_][n]) continue;
      if (v.life == Life::again) out_ += declaration(v);
      if (v.life == Life::thread && !is_home(v, piece)) out_ += view(n, "at(simt_w.id())");
    }
  }

  void code(const Code& c) {
    Index begin = c.range.begin;
    while (begin < c.range.end && s_[begin].kind == Kind::directive) ++begin;
    if (begin >= c.range.end) return;
    if (c.is_declaration && declare({begin, c.range.end})) return;
    std::vector<Jump> jumps = jumps_of(s_, c.range);
    out_ += lines_.marker(begin);
    std::uint32_t from = s_[begin].begin;
    for (const Jump& jump : jumps) {
      if (!s_.is(jump.at + 1, ';')) throw NotSplit{"a return with a value"};
      out_.append(text_, from, s_[jump.at].begin - from);
      from = s_[jump.at + 1].end;
      ends_early_ = true;
      if (jump.kind == 'r') {
        out_ += names_.lockstep ? "{ simt_w.leave(); " : "{ simt_n = ::simt::SplitSchedule::over; ";
      } else {
        const unsigned to = jump.kind == 'b' ? c.on_break : c.on_continue;
        if (to == no_piece) throw NotSplit{"a break that is not understood"};
        out_ += "{ simt_n = " + place(target(to)) + "; ";
      }
      out_ += "goto simt_e" + number(piece_) + "; }";
    }
    const std::uint32_t end = s_[c.range.end - 1].end;
    if (from < end) out_.append(text_, from, end - from);
    out_ += c.is_expression ? "; " : " ";
  }

  // A declaration of variables with different lives; false when it can be copied as it stands.
  bool declare(Range r) {
    Declaration declaration_of;
    if (!parse_declaration(s_, {r.begin, r.end - 1}, declaration_of)) return false;
    if (declaration_of.is_type || declaration_of.is_shared || declaration_of.is_static) return true;
    bool plain = true;
    for (const Declarator& d : declaration_of.names) plain = plain && life_at(d) == Life::piece;
    if (plain) return false;
    out_ += lines_.marker(r.begin);
    for (const Declarator& d : declaration_of.names) {
      const Index n = variable_at(d);
      const Variable& v = names_.variables[n];
      const std::string k = number(n);
      if (v.life == Life::piece) {
        out_ += declaration(v);
      } else if (v.life == Life::thread) {
        if (v.d.value.begin == none) {
          out_ += view(n, "make(simt_w.id())");
        } else {
          out_ +=
              declaration(v, "simt_i" + k, true) + view(n, "make(simt_w.id(), simt_i" + k + ")");
        }
      }
    }
    return true;
  }
  Index variable_at(const Declarator& d) const {
    for (Index n = 0; n < names_.variables.size(); ++n) {
      if (names_.variables[n].d.name == d.name) return n;
    }
    throw NotSplit{"a declaration that is not understood"};
  }
  Life life_at(const Declarator& d) const { return names_.variables[variable_at(d)].life; }

  std::string place(Target to) const {
    if (to.piece == no_piece) return "::simt::SplitSchedule::over";
    return number(to.piece) + (to.barrier ? " | ::simt::SplitSchedule::barrier" : "");
  }
  std::string label(Target to) const {
    return to.piece == no_piece ? "simt_end" : "simt_l" + number(to.piece);
  }

  // To the next piece, all together; past a barrier if one lies on the way.
  std::string go(Target to, bool barrier) const {
    const std::string jump = "goto " + label(to) + "; ";
    return checked_ && (barrier || to.barrier) ? "{ ::simt::split_barrier(); " + jump + "} " : jump;
  }

  void open_guards(const Stretch& piece) {
    for (const std::string& guard : piece.guards) out_ += " if constexpr (" + guard + ") {";
  }

  void loop(const Stretch& piece, bool apart) {
    out_ += checked_ ? " ::simt::CheckedSweep simt_c(simt_s); for (::simt::SplitTurn simt_w; "
                       "(simt_w = simt_c.next()).id() != ::simt::fresh;) { "
                       "[[maybe_unused]] const uint3 threadIdx = simt_w.index(); "
                     : " for (::simt::Sweep simt_w(simt_s); simt_w.more(); simt_w.step()) { "
                       "[[maybe_unused]] const uint3 threadIdx = simt_w.enter(); ";
    out_ += apart ? "unsigned simt_n; { " : "{ ";
    before_code(piece);
    ends_early_ = false;
    for (const Code& c : piece.code) code(c);
  }

  // All threads go the same way, which is decided once.
  void together(const Stretch& piece) {
    if (piece_ != target(piece_).piece) return;  // nothing leads here
    out_ += " simt_l" + number(piece_) + ": ";
    open_guards(piece);
    if (has_code(piece_)) {
      out_ += "{ " + uniform(piece, false);
      loop(piece, false);
      out_ += "} ";
      if (ends_early_) out_ += "simt_e" + number(piece_) + ":; ";
      out_ += "} ";
      if (ends_early_) {
        out_ +=
            "if (simt_s.some_left) { simt_s.drop_gone(); if (simt_s.nobody()) goto simt_end; } ";
      }
      out_ += "} ";
    }
    out_ += "{ " + uniform(piece, true);
    for (const Range& action : piece.actions) act(action);
    const std::string yes = go(target(piece.yes), piece.barrier);
    if (piece.condition.begin == none) {
      out_ += yes + "} ";
    } else {
      out_ += lines_.marker(piece.condition.begin) + (piece.constant ? "if constexpr (" : "if (") +
              text_of(piece.condition) + ") " + yes + "else " + go(target(piece.no), false) + "} ";
    }
    out_ += std::string(piece.guards.size(), '}');
  }

  // The uniform variables a piece uses: copies for its threads, themselves for what is done once.
  std::string uniform(const Stretch& piece, bool itself) const {
    std::string text;
    for (Index n = 0; n < names_.variables.size(); ++n) {
      const Variable& v = names_.variables[n];
      if (v.life != Life::uniform || !used_or_set(piece, n)) continue;
      text += "[[maybe_unused]] simt_t" + number(n) + (itself ? "& " : " ") + std::string(v.name) +
              " = simt_u" + number(n) + "; ";
    }
    return text;
  }
  bool used_or_set(const Stretch& piece, Index n) const {
    const Variable& v = names_.variables[n];
    const bool set = std::any_of(piece.actions.begin(), piece.actions.end(),
                                 [&](Range r) { return v.d.name >= r.begin && v.d.name < r.end; });
    return set || used_[piece_][n];
  }

  void act(Range r) {
    bool declares = false;
    for (Index n = 0; n < names_.variables.size(); ++n) {
      const Variable& v = names_.variables[n];
      if (v.d.name < r.begin || v.d.name >= r.end) continue;
      declares = true;
      if (v.life != Life::uniform || v.in_front) continue;
      out_ += lines_.marker(v.d.name) + "{ simt_t" + number(n) + " simt_i" + number(n) + " " +
              text_of(v.d.value) + "; " + std::string(v.name) + " = simt_i" + number(n) + "; } ";
    }
    if (declares) return;
    Index end = r.end;
    while (r.begin < end && s_[r.begin].kind == Kind::directive) ++r.begin;
    if (end > r.begin && s_.is(end - 1, ';')) --end;
    out_ += lines_.marker(r.begin) + text_of({r.begin, end}) + "; ";
  }

  // Each thread decides for itself.
  void apart(const Stretch& piece) {
    if (piece_ != 0 && piece_ != target(piece_).piece) return;
    out_ += " case " + number(piece_) + ": ";
    open_guards(piece);
    loop(piece, true);
    const Target yes = target(piece.yes, piece.barrier);
    if (piece.condition.begin == none) {
      out_ += "simt_n = " + place(yes) + "; ";
    } else {
      out_ += lines_.marker(piece.condition.begin) + (piece.constant ? "if constexpr (" : "if (") +
              text_of(piece.condition) + ") simt_n = " + place(yes) +
              "; else simt_n = " + place(target(piece.no)) + "; ";
    }
    out_ += "} ";
    if (ends_early_) out_ += "simt_e" + number(piece_) + ": ";
    out_ += "simt_s.ended(simt_w.id(), simt_n); } ";
    out_ += std::string(piece.guards.size(), '}') + " break;";
  }

  const Source& s_;
  const std::string_view text_;
  const Lines& lines_;
  const Variables& names_;
  const Plan& plan_;
  const bool checked_;
  const std::vector<std::vector<bool>> used_;
  std::string out_;
  unsigned piece_ = 0;
  bool ends_early_ = false;
  bool changes_parameters_ = false;
};

}  // namespace

Lines::Lines(const Source& source, std::string_view text) : s_(source), text_(text) {
  marks_.push_back({0, 1, "\"\"", false});
  for (Index i = 0; i < source.size(); ++i) {
    if (source[i].kind != Kind::directive) continue;
    Position position;
    const std::string_view line = source.text(i);
    if (!follow_marker(line, position)) continue;
    const std::size_t quote = line.find('"'), last = line.rfind('"');
    const auto end = static_cast<std::uint32_t>(source[i].end + 1);
    marks_.push_back({end, position.line, std::string(line.substr(quote, last - quote + 1)),
                      line.find(" 3", last) != line.npos});
  }
}

const Lines::Mark& Lines::before(Index token) const {
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), s_[token].begin,
                       [](std::uint32_t offset, const Mark& mark) { return offset < mark.offset; });
  return *(after - 1);
}

std::string Lines::at(Index token, bool system) const {
  const Mark& mark = before(token);
  const auto lines = std::count(text_.begin() + mark.offset, text_.begin() + s_[token].begin, '\n');
  return "\n# " + std::to_string(mark.line + static_cast<unsigned>(lines)) + " " + mark.file +
         (system ? " 3\n" : "\n");
}

std::string Lines::marker(Index token) const {
  return at(token, true);
}

std::string Lines::back_to(Index token) const {
  const std::uint32_t end = s_[token].end;
  const std::size_t line = text_.rfind('\n', end - 1);
  const std::size_t column = end - (line == text_.npos ? 0 : line + 1);
  return at(token, before(token).system) + std::string(column, ' ');
}

std::string emit_kernel(const Source& source, std::string_view text, const Lines& lines,
                        const Variables& names, const Plan& plan, bool checked) {
  return Emitter(source, text, lines, names, plan, checked).run();
}

}  // namespace simt::cc
