#include "translate/translate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "translate/rewrite.h"
#include "translate/source.h"

namespace simt::cc {
namespace {

// What follows a __global__ or __device__ up to the body or the ';'.
struct Function {
  Index name = none;  // the token before the parameters
  Index body = none;  // its '{', none for a declaration or a variable
};

class Translator {
 public:
  Translator(std::string_view text, bool linked, bool checked, bool cpp20, bool debug, bool counted)
      : s_(text),
        linked_(linked),
        checked_(checked),
        cpp20_(cpp20),
        debug_(debug),
        counted_(counted) {}

  Translation run(const spaces::Options* rules) {
    spaces::Findings findings;
    if (rules != nullptr) findings = spaces::judge(s_, *rules);
    for (const Range& name : findings.no_symbols) {
      s_.insert_before(name.begin, "::simt::HostVariable{&");
      s_.insert_after(name.end, "}");
    }
    look_ahead();
    for (at_ = 0; at_ < s_.size(); ++at_) step();
    Translation result;
    result.errors = std::move(findings.errors);
    result.errors.insert(result.errors.end(), s_.errors.begin(), s_.errors.end());
    result.warnings = std::move(findings.warnings);
    result.text = s_.apply();
    result.pieces = std::move(s_.pieces);
    return result;
  }

 private:
  // What must be known before the kernels come: whether some are launched through untyped pointers,
  // and which of them have a name to themselves.
  void look_ahead() {
    for (Index i = 0; i < s_.size(); ++i) {
      if (s_[i].kind == Kind::directive) {
        follow_directive(i);
      } else if (s_.is(i, Word::global_)) {
        const Function f = parse_function(i + 1);
        if (f.name != none && f.body != none) ++definitions_[s_.text(f.name)];
      } else if (!system_header_ && s_.is_name(i) && s_[i].word == Word::none && !by_pointer_) {
        const std::string_view name = s_.text(i);
        by_pointer_ = name == "cudaLaunchKernel" || name == "cudaLaunchKernelExC" ||
                      name == "cudaLaunchCooperativeKernel" || name == "cudaGetFuncBySymbol" ||
                      name == "cudaGraphAddKernelNode";
      }
    }
    system_header_ = false;
  }

  // `# 12 "file" 1 3`: the 3 says that it is a system's. A pragma says nothing.
  void follow_directive(Index i) {
    const std::string_view line = s_.text(i);
    if (line.find("pragma") != line.npos) return;
    system_header_ = line.find("\" ") != line.npos && line.find(" 3", line.rfind('"')) != line.npos;
  }

  bool at_namespace_scope() const { return body_end_ == none || at_ > body_end_; }
  bool in_device_code() const { return device_end_ != none && at_ < device_end_; }

  void step() {
    const Token& t = s_[at_];
    switch (t.kind) {
      case Kind::punctuation:
        return punctuation(t);
      case Kind::name:
        if (t.word != Word::none) {
          word(t);
        } else if (at_namespace_scope() && s_.is(at_ + 1, '<') && s_.text(at_) == "texture") {
          refuse_texture_reference();
        } else if (!volatile_.empty() && in_device_code() && volatile_.count(s_.text(at_)) != 0) {
          rewrite_volatile_store(s_, at_, volatile_);
        } else if (checked_ && s_.is(at_ + 1, '(') && !system_header_ && !at_namespace_scope() &&
                   !in_device_code()) {
          rewrite_lost_call(s_, at_);
          rewrite_allocation(s_, at_);
        } else if (constant_indices_end_ != none && at_ < constant_indices_end_) {
          rewrite_index();
        }
        return;
      case Kind::directive:
        return follow_directive(at_);
      default:
        return;
    }
  }

  void punctuation(const Token& t) {
    switch (t.op) {
      case '{':
        if (at_namespace_scope()) {
          if (!opens_namespace()) {
            body_end_ = s_.match(at_) != none ? s_.match(at_) : s_.size();
            rewrite_main(s_, declaration_, at_);
          }
          declaration_ = at_ + 1;
        }
        return;
      case '}':
        if (body_end_ == at_) {
          body_end_ = none;
          declaration_ = at_ + 1;
        } else if (at_namespace_scope()) {
          declaration_ = at_ + 1;
        }
        return;
      case ';':
        if (at_namespace_scope()) declaration_ = at_ + 1;
        return;
      case '<':
        if (s_.is(at_ + 1, '<') && s_.is(at_ + 2, '<') && s_.adjacent(at_, at_ + 1)) {
          rewrite_launch(s_, at_, checked_, cpp20_, references_);
          at_ += 2;
        }
        return;
      case '=':
        if (counted_ && in_device_code() && !system_header_) keep_whole(s_, at_);
        return;
      case '[':
        if (!shared_.empty() && in_device_code()) rewrite_captures(s_, at_, shared_);
        return;
    }
  }

  // Whether the '{' here belongs to a namespace or an extern "C".
  bool opens_namespace() const {
    for (Index i = declaration_; i < at_; ++i) {
      if (s_.is(i, Word::namespace_)) return true;
      if (s_.is(i, '(') || s_.is(i, Word::struct_)) return false;
    }
    return at_ >= 2 && s_[at_ - 1].kind == Kind::string && s_.is(at_ - 2, Word::extern_);
  }

  void word(const Token& t) {
    switch (t.word) {
      case Word::global_:
        return global();
      case Word::device_:
        return device();
      case Word::variable_:
        return qualify_variable(s_, at_, own_variable(parse_function(at_ + 1)));
      case Word::host_:
      case Word::mark_:
        return s_.replace(at_, at_, "");
      case Word::struct_:
        return drop_global_scope(s_, at_);
      case Word::cluster_dims_:
        return drop_attribute();
      case Word::shared_:
        return shared();
      case Word::noinline_:
        // Inside __attribute__((...)) it is the attribute's name already.
        if (at_ == 0 ||
            (!s_.is(at_ - 1, '(') && !s_.is(at_ - 1, ',') && !s_.is(at_ - 1, Word::scope_))) {
          s_.replace(at_, at_, "__attribute__((noinline))");
        }
        return;
      case Word::asm_:
        if (in_device_code()) rewrite_asm(s_, at_, system_header_);
        return;
      case Word::printf_:
        return redirect("::simt::PrintfAt{__builtin_LINE()}");
      case Word::assert_fail_:
        return redirect("::simt::assert_fail");
      case Word::clock_:
        return redirect("::simt::device_clock");
      case Word::volatile_:
        return declare_volatile(volatile_name(s_, at_));
      case Word::while_:
        if (in_device_code() && !rewrite_spin(s_, at_, volatile_)) {
          rewrite_spin(s_, at_, file_scope_volatile_);
        }
        return;
      case Word::memory_:
        if (checked_ && !system_header_ && !at_namespace_scope() && at_ > 0 &&
            !s_.is(at_ - 1, '*')) {
          redirect_call(("::simt_check_" + std::string(s_.text(at_))).c_str());
        }
        return;
      case Word::void_:
        return cast();
      case Word::reinterpret_cast_:
        return named_cast();
      default:
        return;
    }
  }

  // `texture<float, 2> t;`, unless the program has a template of this name.
  void refuse_texture_reference() {
    for (Index i = 0; i < at_; ++i) {
      if (s_.is(i, Word::struct_) && s_.text(i + 1) == "texture") return;
    }
    s_.error(at_,
             "texture references were removed in CUDA 12: make a texture object with "
             "cudaCreateTextureObject and pass it to the kernel");
  }

  // `name(...)` goes; line markers among its tokens stay, or what follows would move.
  void drop_attribute() {
    if (!s_.is(at_ + 1, '(') || s_.match(at_ + 1) == none) return;
    for (const Index close = s_.match(at_ + 1); at_ < close; ++at_) {
      if (s_[at_].kind != Kind::directive) s_.replace(at_, at_, "");
    }
    s_.replace(at_, at_, "");
  }

  // A call of a C function in device code goes to simt's own.
  void redirect(const char* to) {
    if (in_device_code()) redirect_call(to);
  }

  void redirect_call(const char* to) {
    if (!s_.is(at_ + 1, '(') || at_ == 0) return;
    const Token& before = s_[at_ - 1];
    if (before.is('.') || before.is(Word::arrow_)) return;
    if (before.kind == Kind::name && !before.is(Word::return_)) return;  // a declaration
    Index first = at_;
    if (before.is(Word::scope_)) {
      first = at_ - 1;
      if (first > 0 && s_.is_name(first - 1) && !s_.is(first - 1, Word::return_)) {
        if (s_.text(first - 1) != "std") return;
        --first;
        if (first > 0 && s_.is(first - 1, Word::scope_)) --first;
      }
    }
    s_.replace(first, at_, to);
  }

  Function parse_function(Index i) const {
    Function f;
    for (; i < s_.size(); i = s_.after(i)) {
      if (s_.is(i, '(')) {
        const Index before = i - 1;
        const bool modifier = s_.is(before, Word::attribute_) || s_.is(before, Word::alignas_) ||
                              s_.is(before, Word::decltype_) || s_.is(before, Word::noexcept_) ||
                              s_.is(before, Word::requires_) || s_.is(before, Word::explicit_) ||
                              s_.is(before, Word::cluster_dims_);
        if (f.name == none && !modifier) f.name = before;
      } else if (s_.is(i, Word::operator_)) {
        ++i;  // its symbol may look like an end
      } else if (s_.is(i, ';') || s_.is(i, '=') || s_.is(i, ')') || s_.is(i, '}') ||
                 s_.is(i, ',')) {
        return f;
      } else if (s_.is(i, ':') && f.name != none) {
        i = skip_initialisers(i);
        if (i == none) return f;
        f.body = i;
        return f;
      } else if (s_.is(i, '{')) {
        f.body = i;
        return f;
      }
    }
    return f;
  }

  // From the ':' of a constructor to its body.
  Index skip_initialisers(Index i) const {
    for (++i; i < s_.size(); ++i) {
      if (s_.is(i, '<')) {
        const Index close = s_.close_angle(i);
        if (close != none) i = close;
      } else if (s_.is(i, '(') || s_.is(i, '{')) {
        if (s_.match(i) == none) return none;
        i = s_.match(i);
        if (!s_.is(i + 1, ',')) return s_.is(i + 1, '{') ? i + 1 : none;
      } else if (s_.is(i, ';')) {
        return none;
      }
    }
    return none;
  }

  void enter_device_code(Function& f) {
    if (f.body != none && s_.match(f.body) == none) f.body = none;
    if (f.body == none) return;
    if (!in_device_code()) volatile_.clear();
    device_end_ = device_end_ == none ? s_.match(f.body) : std::max(device_end_, s_.match(f.body));
  }

  bool head_has(Word w, Index end) const {
    for (Index i = declaration_; i < std::min(end, s_.size()); ++i) {
      if (s_.is(i, w)) return true;
    }
    return false;
  }

  // `template <class T> ...`, but not the full specialisation `template <> ...`.
  bool is_template() const {
    Index i = declaration_;
    while (s_[i].kind == Kind::directive) ++i;
    return s_.is(i, Word::template_) && !(s_.is(i + 1, '<') && s_.is(i + 2, '>'));
  }

  void global() {
    Function f = parse_function(at_ + 1);
    enter_device_code(f);
    s_.replace(at_, at_, f.body != none && at_namespace_scope() ? kernel_attributes(f) : "");
    if (checked_ && f.body != none && at_namespace_scope()) name_constant_indices(f.body);
    if (f.name != none && f.body != none && at_namespace_scope()) {
      const std::string guard =
          " if (__builtin_expect(!::simt::in_kernel(), 0)) return "
          "::simt::called_without_launch(\"" +
          std::string(s_.text(f.name)) + "\");";
      if (debug_ && s_[f.body + 1].kind != Kind::directive) {
        s_.insert_before(f.body + 1, guard + " ");
      } else {
        s_.insert_after(f.body, guard);
      }
    }
    if (f.body != none) require_attributes(f.body);
    if (counted_) tell_indexed(s_, f.name, f.body, true);
    if (f.name == none) return;
    kernels_.insert(s_.text(f.name));
    if (is_template()) references_[s_.text(f.name)] |= reference_parameters(s_, f.name + 1);
    if (f.body != none && by_pointer_) register_template(f);
    const bool plain = f.body != none && s_.match(f.body) != none && at_namespace_scope() &&
                       !is_template() && s_.is_name(f.name) && !head_has(Word::template_, f.name) &&
                       !s_.is(f.name - 1, Word::scope_);
    if (!plain) return;
    const std::string name(s_.text(f.name)), id = name + "_" + std::to_string(at_);
    const bool has_shared = keep_shared_facts(f.body, "simt_facts_" + id);
    s_.insert_after(s_.match(f.body),
                    " [[maybe_unused]] static const ::simt::KernelRegistrar simt_kernel_" + id +
                        "(\"" + name + "\", [](auto simt_id) -> decltype(simt_id(" + name +
                        ")) { return simt_id(" + name + "); }, {" + launch_bound(f.body) + ", " +
                        (has_shared ? "&::simt::static_shared<" + facts_ + ">" : "nullptr") +
                        cluster_size(f.body) + "});");
  }

  // An instance of a template registers itself when it is made, for launches through a pointer from
  // a table, whose type is lost. Not one of several templates of a name.
  void register_template(const Function& f) {
    if (!at_namespace_scope() || !is_template() || definitions_[s_.text(f.name)] != 1) return;
    Index head = declaration_;
    while (s_[head].kind == Kind::directive) ++head;
    const std::string arguments = template_arguments(s_, head);
    if (arguments.empty() || !s_.is_name(f.name)) return;
    s_.insert_after(f.body, " (void)&::simt::SelfRegistered<&" + std::string(s_.text(f.name)) +
                                "<" + arguments + ">>::noted;");
  }

  // Shared variables of the kernel are counted under a type that stands for it: simt/kernel_facts.h.
  // False if there are none.
  bool keep_shared_facts(Index body, const std::string& facts) {
    const Index end = s_.match(body);
    // A kernel that runs as loops has two bodies: `if (__builtin_expect(::simt::splits(), 0)) {...}`
    // comes before the other.
    const bool split = s_.text(body + 8) == "splits" && s_.match(body + 2) != none;
    facts_begin_ = split ? s_.last_of(s_.match(body + 2) + 1) : body;
    bool found = false;
    for (Index i = body; i < end && !found; ++i) found = s_.is(i, Word::shared_);
    if (!found) return false;
    Index begin = declaration_;
    while (s_[begin].kind == Kind::directive) ++begin;
    s_.insert_before(begin, "namespace { struct " + facts + "; } ");
    facts_ = facts;
    facts_end_ = end;
    return true;
  }

  // The threads that `__launch_bounds__` allows, as text; "0" without it.
  std::string launch_bound(Index body) const {
    for (Index i = declaration_; i < body; ++i) {
      if (s_.text(i) != "__simt_launch_bounds__" || s_.match(i + 1) == none) continue;
      const std::string sizes = s_.flat_text({i + 2, s_.match(i + 1)});
      if (!sizes.empty()) return "::simt::launch_bound(" + sizes + ")";
    }
    return "0";
  }

  // ", {2, 1}" for `__cluster_dims__(2, 1)`, nothing without it.
  std::string cluster_size(Index body) const {
    for (Index i = declaration_; i < body; ++i) {
      if (s_.text(i) != "__simt_cluster_dims__" || s_.match(i + 1) == none) continue;
      return ", {" + s_.flat_text({i + 2, s_.match(i + 1)}) + "}";
    }
    return "";
  }

  // What a thread reads of threadIdx.x and the like is the same as long as it runs, and no access
  // to watch: see simt/self.h. A kernel that runs as loops has its own threadIdx; where asm and
  // volatile are, whole statements are rewritten.
  void name_constant_indices(Index body) {
    const Index end = std::min(s_.match(body), s_.size());
    for (Index i = body; i < end; ++i) {
      if (s_.is(i, Word::asm_) || s_.is(i, Word::volatile_) || s_.text(i) == "simt_s") return;
    }
    constant_indices_end_ = end;
  }
  void rewrite_index() {
    const std::string_view name = s_.text(at_);
    const bool known = name == "threadIdx" || name == "blockDim" || name == "gridDim";
    if (!known || !s_.is(at_ + 1, '.') || s_.is(at_ - 1, Word::scope_) || s_.is(at_ - 1, '.')) {
      return;
    }
    const std::string_view member = s_.text(at_ + 2);
    if (member != "x" && member != "y" && member != "z") return;
    s_.replace(at_, at_, "::simt_" + std::string(name));
  }

  // The kernel's first statements make sure of its `__cluster_dims__` and a template's
  // `__launch_bounds__`: so they are known whatever the way of the launch, and may depend on template
  // parameters.
  void require_attributes(Index body) {
    for (Index i = declaration_; i < body; ++i) {
      if (!s_.is(i, Word::cluster_dims_) || s_.match(i + 1) == none) continue;
      const std::string size = s_.flat_text({i + 2, s_.match(i + 1)});
      const bool cluster = s_.text(i) == "__simt_cluster_dims__";
      if (size.empty() || (!cluster && !is_template())) continue;
      s_.insert_after(body, (cluster ? " ::simt::in_clusters_of(" : " ::simt::in_launch_bounds(") +
                                size + ");");
    }
  }

  // A kernel of a few statements is worth putting into the loop over the threads: the call would
  // cost as much. One with loops or barriers is not: there its variables would compete with the
  // loop's for registers (a tiled product runs at half the speed).
  std::string kernel_attributes(const Function& f) const {
    bool small = true;
    for (Index i = f.body; i < std::min(s_.match(f.body), s_.size()) && small; ++i) {
      if (!s_.is_name(i)) continue;
      const std::string_view name = s_.text(i);
      small = name != "for" && name != "while" && name != "do" && name != "__shared__" &&
              name.rfind("__sync", 0) != 0 && name.rfind("__shfl", 0) != 0;
    }
    // Nor in a checked program, whose threads must not share what the compiler knows of threadIdx.
    if (!small || checked_) return "__attribute__((noinline))";
    if (head_has(Word::inline_, f.name)) return "";
    return is_template() ? "inline" : "inline __attribute__((used))";
  }

  void device() {
    Function f = parse_function(at_ + 1);
    const bool inner = in_device_code();
    enter_device_code(f);
    // nvcc gives device functions no linkage between files, so headers define them without
    // `inline`; but a file compiled with -dc may be called from another: hence `used`.
    const bool function = f.body != none && f.name != none && at_namespace_scope();
    const bool needs_inline = function && !is_template() && !head_has(Word::inline_, f.name) &&
                              !head_has(Word::static_, f.name) &&
                              !head_has(Word::constexpr_, f.name) &&
                              !head_has(Word::friend_, f.name) && !head_has(Word::host_, f.name) &&
                              !head_has(Word::global_, f.name);
    if (needs_inline) {
      s_.replace(at_, at_, "inline __attribute__((used))");
    } else {
      qualify_variable(s_, at_, own_variable(f));
    }
    if (checked_ && f.name == none && at_namespace_scope() && watched_ != declaration_) {
      watched_ = declaration_;
      if (is_template()) {
        watch_variable_template(s_, declaration_, at_);
      } else {
        watch_variable(s_, declaration_, at_, counted_);
      }
    }
    if (counted_ && !inner) tell_indexed(s_, f.name, f.body, false);
  }

  // A variable of this file alone, at the first of its words: what nvcc makes of every one without
  // -rdc=true, so that a header may define them.
  bool own_variable(const Function& f) {
    if (linked_ || !at_namespace_scope() || f.name != none || f.body != none) return false;
    for (Index i = declaration_; i < at_; ++i) {
      if (s_.is(i, Word::device_) || s_.is(i, Word::variable_)) return false;
    }
    bool own = true, is_extern = false;
    std::string_view name;
    for (Index i = declaration_; i < s_.size(); ++i) {
      if (s_.is(i, ';') || s_.is(i, '=') || s_.is(i, '[') || s_.is(i, ',')) break;
      if (s_.is_name(i)) name = s_.text(i);
      is_extern = is_extern || s_.is(i, Word::extern_);
      own = own && !s_.is(i, Word::static_) && !s_.is(i, Word::inline_) &&
            !s_.is(i, Word::constexpr_) && !s_.is(i, Word::template_) && !s_.is(i, Word::struct_);
    }
    // A definition after its own extern declaration has the linkage of that.
    if (is_extern) extern_variables_.insert(name);
    return own && extern_variables_.count(name) == 0;
  }

  void declare_volatile(std::string_view name) {
    if (!name.empty()) (in_device_code() ? volatile_ : file_scope_volatile_).insert(name);
  }

  void shared() {
    std::vector<std::string_view> declared;
    const bool at_namespace = at_namespace_scope();
    const Index end =
        rewrite_shared(s_, at_, at_namespace ? &file_scope_shared_ : nullptr, checked_,
                       at_ > facts_begin_ && at_ < facts_end_ ? facts_ : "", declared);
    for (Index i = at_; i < end; ++i) {
      if (s_.is(i, Word::volatile_)) {
        for (const std::string_view name : declared) declare_volatile(name);
      }
    }
    if (!at_namespace) {
      Index scope_end = end;
      while (scope_end < s_.size() && !s_.is(scope_end, '}')) scope_end = s_.after(scope_end);
      for (const std::string_view name : declared) shared_.push_back({name, end, scope_end});
    }
    at_ = std::max(at_, end == at_ ? at_ : end - 1);
  }

  // The kernel that [first, ...) names, possibly qualified and with template arguments.
  Range kernel_expression(Index first) const {
    Index i = first;
    if (s_.is(i, '&')) ++i;
    const Index begin = i;
    if (s_.is(i, Word::scope_)) ++i;
    while (s_.is_name(i) && s_.is(i + 1, Word::scope_)) i += 2;
    if (!s_.is_name(i) || kernels_.count(s_.text(i)) == 0) return {none, none};
    Index end = i + 1;
    if (s_.is(end, '<') && !s_.is(end + 1, '<')) {
      const Index close = s_.close_angle(end);
      if (close == none) return {none, none};
      end = close + 1;
    }
    if (s_.is(end, '(') || s_.is(end, '<')) return {none, none};  // a call or a launch
    return {begin, end};
  }

  // `(void*)kernel`, `(const void*)&kernel<T>`
  void cast() {
    if (kernels_.empty() || !s_.is(at_ + 1, '*') || !s_.is(at_ + 2, ')')) return;
    Index open = at_ - 1;
    if (at_ > 0 && s_.is(open, Word::const_)) --open;
    if (!s_.is(open, '(')) return;
    const Range kernel = kernel_expression(at_ + 3);
    if (kernel.begin == none) return;
    s_.replace(open, kernel.end - 1, "::simt::kernel_handle(" + s_.flat_text(kernel) + ")");
    at_ = kernel.end - 1;
  }

  // `reinterpret_cast<const void*>(kernel)`
  void named_cast() {
    if (kernels_.empty() || !s_.is(at_ + 1, '<')) return;
    const Index type = s_.is(at_ + 2, Word::const_) ? at_ + 3 : at_ + 2;
    if (!s_.is(type, Word::void_) || !s_.is(type + 1, '*') || !s_.is(type + 2, '>') ||
        !s_.is(type + 3, '(')) {
      return;
    }
    const Index close = s_.match(type + 3);
    const Range kernel = kernel_expression(type + 4);
    if (kernel.begin == none || kernel.end != close) return;
    s_.replace(at_, close, "::simt::kernel_handle(" + s_.flat_text(kernel) + ")");
    at_ = close;
  }

  Source s_;
  const bool linked_;
  const bool checked_;
  const bool cpp20_;
  const bool debug_;
  const bool counted_;
  bool system_header_ = false;
  Index watched_ = none;  // the declaration whose variables the checks know already
  Index at_ = 0;
  Index declaration_ = 0;  // first token of the current declaration at namespace scope
  Index body_end_ = none;  // the brace that ends the function or class at namespace scope
  Index device_end_ = none;
  std::string facts_;  // the type that stands for the current kernel, and where it is for
  Index facts_begin_ = 0, facts_end_ = 0;
  Index constant_indices_end_ = none;  // of a kernel, if threadIdx is a constant in it
  std::unordered_set<std::string_view> kernels_;
  ReferenceParameters references_;
  std::unordered_map<std::string_view, unsigned> definitions_;  // kernels by name
  bool by_pointer_ = false;
  std::vector<SharedName> shared_;
  std::unordered_set<std::string_view> file_scope_shared_;
  std::unordered_set<std::string_view> extern_variables_;
  VolatileNames volatile_;  // of this function
  VolatileNames file_scope_volatile_;
};

}  // namespace

Translation translate(std::string_view preprocessed, bool linked, bool checked, bool cpp20,
                      const spaces::Options* rules, bool debug, bool counted) {
  return Translator(preprocessed, linked, checked, cpp20, debug, counted).run(rules);
}

}  // namespace simt::cc
