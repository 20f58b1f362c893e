#include "cli/kernel_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "cli/kernel_names.h"
#include "cli/op_names.h"
#include "cli/options.h"
#include "core/host/value.h"

namespace warpath::cli {
namespace {

template <class C, class T>
bool contains(const C& all, const T& one) {
  return std::find(std::begin(all), std::end(all), one) != std::end(all);
}

const std::vector<DType>& types_of(const Contract& contract, const ArgSpec& a) {
  return a.same_as.empty() ? a.dtypes : types_of(contract, *contract.find(a.same_as));
}

// "-5" is -5; an expression is nothing yet.
std::optional<long long> whole_number(const std::string& text) {
  std::size_t end = 0;
  try {
    const long long value = std::stoll(text, &end);
    if (end == text.size()) return value;
  } catch (const std::exception&) {
  }
  return {};
}

std::string type_list(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (const DType d : types) names.emplace_back(name(d));
  return fmt::format("{}", fmt::join(names, ", "));
}

bool all_same_shape(const Contract& contract) {
  const ArgSpec* first = nullptr;
  const auto same = [](const Dim& a, const Dim& b) { return a.name == b.name && a.plus == b.plus; };
  for (const ArgSpec& a : contract.args()) {
    if (!a.is_tensor()) continue;
    if (!first) first = &a;
    if (!std::equal(a.dims.begin(), a.dims.end(), first->dims.begin(), first->dims.end(), same))
      return false;
  }
  return first != nullptr;
}

class Matcher {
 public:
  Matcher(const Contract& contract, const KernelSource& source, const Kernel& kernel,
          const LaunchShape& asked)
      : contract_(contract), source_(source), kernel_(kernel), asked_(asked) {
    m_.contract = &contract;
    m_.kernel = &kernel;
    const std::size_t n = kernel.parameters.size();
    m_.arguments.resize(n);
    m_.meanings.resize(n);
    m_.entries.resize(n);
    for (const ArgSpec& a : contract.args())
      if (a.is_list())
        throw Refusal(
            fmt::format("{} takes lists of tensors, which only a rung can: docs/your-kernel.md",
                        contract.name()));
    instantiate();
  }

  KernelMatch run() {
    if (kernel_.comment) {
      by_comment();
      m_.entries = kernel_.comment->arguments;
    } else {
      pointers();
      numbers();
    }
    launch_shape();
    work_in_place();
    complain_of_missing();
    for (const Parameter& p : parameters_) m_.restricted = m_.restricted || p.restricted;
    return std::move(m_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Refusal(fmt::format("{}: {}", source_.place(kernel_.line), why));
  }
  [[noreturn]] void refuse(const Parameter& p, const std::string& why) const {
    refuse(fmt::format("parameter {} of '{}' {}; {}", shown(p), kernel_.bare_name(), why,
                       describe_op(contract_)));
  }
  static std::string shown(const Parameter& p) {
    return p.name.empty() ? fmt::format("({})", p.type) : fmt::format("'{}' ({})", p.name, p.type);
  }
  // What a comment would look like.
  std::string hint() const {
    return fmt::format("say it above the kernel: // warpath: {}(…), see docs/your-kernel.md",
                       contract_.name());
  }

  // The parameters with the template's arguments put in. A single type is float unless the comment
  // says another.
  void instantiate() {
    parameters_ = kernel_.parameters;
    const std::vector<std::string> formal = split_list(kernel_.template_parameters);
    std::vector<std::string> actual =
        split_list(kernel_.comment ? kernel_.comment->template_arguments : "");
    if (formal.empty() && !actual.empty())
      refuse(fmt::format("'{}' is no template; take <{}> out of the comment", kernel_.bare_name(),
                         fmt::join(actual, ", ")));
    const auto is_type = [](const std::string& f) {
      return f.starts_with("class ") || f.starts_with("typename ");
    };
    for (std::size_t i = 0; i < formal.size(); ++i) {
      if (i < actual.size() || formal[i].find('=') != std::string::npos) continue;
      if (i > 0 || !is_type(formal[i]))
        refuse(fmt::format("'{}' is a template: give its arguments above it: // warpath: {}<{}>(…)",
                           kernel_.bare_name(), contract_.name(), kernel_.template_parameters));
      actual.emplace_back("float");
    }
    if (!actual.empty())
      m_.template_arguments = fmt::format("<{}>", fmt::join(actual, ", "));
    else if (!formal.empty())
      m_.template_arguments = "<>";
    for (std::size_t i = 0; i < formal.size(); ++i) {
      const auto equals = formal[i].find('=');
      std::string value = i < actual.size()             ? actual[i]
                          : equals == std::string::npos ? ""
                                                        : formal[i].substr(equals + 1);
      const std::vector<std::string> words = names_in(formal[i].substr(0, equals));
      if (!is_type(formal[i]) || words.size() < 2) continue;
      const std::regex whole("\\b" + words.back() + "\\b");
      for (Parameter& p : parameters_)
        p = parse_parameter(std::regex_replace(p.type, whole, value), p.name);
    }
  }

  // --- what a parameter becomes -------------------------------------------------------------------
  void bind_tensor(std::size_t i, const ArgSpec& a) {
    const Parameter& p = parameters_[i];
    if (p.kind != Parameter::pointer)
      refuse(p, fmt::format("is no pointer, but {} is a tensor", a.name));
    m_.entries[i] = a.name;
    if (a.is_output() && p.constant)
      refuse(p, fmt::format("points to const, but {} is an output", a.name));
    const std::vector<DType>& types = types_of(contract_, a);
    if (const std::string narrow = narrow_type(p, a, types); !narrow.empty()) {
      m_.tensors[&a] = DType::i64;
      m_.narrow[&a] = narrow;
      m_.arguments[i] = fmt::format("warpath_{}.data()", a.name);
      m_.meanings[i] = fmt::format("{} in 32 bits", a.name);
      bound_.insert(i);
      return;
    }
    if (!p.element || !contains(types, *p.element))
      refuse(p, fmt::format("points to no type that {} has ({})", a.name, type_list(types)));
    m_.tensors[&a] = *p.element;
    // A C-style cast: `long` and `long long` are two types of the same 64 bits.
    m_.arguments[i] = fmt::format("({}){}.data", p.type, a.name);
    m_.meanings[i] = a.name;
    bound_.insert(i);
  }

  // Counts and positions are 64 bits wide in the ops, and ints in most people's kernels.
  static std::string narrow_type(const Parameter& p, const ArgSpec& a,
                                 const std::vector<DType>& types) {
    if (a.role != Role::out || types != std::vector<DType>{DType::i64}) return "";
    return p.element == DType::i32 ? "int" : p.element == DType::u32 ? "unsigned" : "";
  }

  void bind_number(std::size_t i, const std::string& expression) {
    const Parameter& p = parameters_[i];
    if (p.kind == Parameter::pointer)
      refuse(p, unknown_name(expression).empty() && !names_in(expression).empty()
                    ? fmt::format("is a pointer, but {} is a number", expression)
                    : fmt::format(
                          "is a pointer, and '{}' in the comment is no tensor of {}: the "
                          "comment has the op's names, in the order of the kernel's parameters",
                          expression, contract_.name()));
    m_.entries[i] = expression;
    m_.arguments[i] = fmt::format("({})({})", p.type, expression);
    m_.meanings[i] = expression;
    bound_.insert(i);
    know(expression);
  }

  // Notes which sizes and scalars an expression uses; refuses names that the op does not have.
  void know(const std::string& expression) {
    if (const std::string n = unknown_name(expression); !n.empty())
      refuse(fmt::format("'{}' is no size or scalar of {}; {}", n, contract_.name(),
                         describe_op(contract_)));
    for (const std::string& n : names_in(expression)) {
      if (n == "dim3") continue;
      const ArgSpec* a = scalar(n);
      if (!a)
        add_unique(m_.known_dims, n);
      else if (!contains(m_.passed, a))
        m_.passed.push_back(a);
    }
  }

  // The first name that is no size or scalar of the op; empty: there is none.
  std::string unknown_name(const std::string& expression) const {
    const auto dims = dims_of(contract_);
    for (const std::string& n : names_in(expression)) {
      const auto is_it = [&](const Dim* d) { return d->name == n; };
      if (n != "dim3" && !scalar(n) && std::none_of(dims.begin(), dims.end(), is_it)) return n;
    }
    return {};
  }

  const ArgSpec* scalar(const std::string& n) const {
    const ArgSpec* a = contract_.find(n);
    return a && a->role == Role::scalar ? a : nullptr;
  }

  // --- by the comment -----------------------------------------------------------------------------
  void by_comment() {
    std::size_t next = 0;
    for (const std::string& entry : kernel_.comment->arguments) {
      const auto equals = entry.find('=');
      const bool gives = equals != std::string::npos;
      const std::string key = trimmed(entry.substr(0, equals));
      const std::string value = gives ? trimmed(entry.substr(equals + 1)) : "";
      const ArgSpec* a = contract_.find(key);
      if (gives && !(a && a->is_tensor())) {
        fix(key, value);
        continue;
      }
      if (gives && value == "none") {
        if (a->role != Role::in) refuse(fmt::format("{}: only an input can be left out", entry));
        m_.without.push_back(a);
        continue;
      }
      if (next == parameters_.size()) {
        ++next;
        break;
      }
      if (a && a->is_tensor()) {
        bind_tensor(next, *a);
        if (gives) zero(*a, value);
      } else {
        bind_number(next, entry);
      }
      ++next;
    }
    if (next != parameters_.size())
      throw Refusal(fmt::format("{}: the comment names {} than the {} parameters of '{}'",
                                source_.place(kernel_.comment->line),
                                next > parameters_.size() ? "more" : "fewer", parameters_.size(),
                                kernel_.bare_name()));
  }

  void zero(const ArgSpec& a, const std::string& value) {
    if (value != "0")
      refuse(fmt::format("{}={}: a tensor can be set to 0 before the launch, to nothing else",
                         a.name, value));
    if (a.role != Role::out)
      refuse(fmt::format("{}=0: only an output can be set to 0 before the launch", a.name));
    m_.zeroed.push_back(&a);
  }

  void fix(const std::string& key, const std::string& value) {
    if (const ArgSpec* a = contract_.find(key); a && a->role == Role::scalar) {
      try {
        const bool word = a->scalar == ScalarType::choice || a->scalar == ScalarType::boolean;
        m_.fixed[key] = a->scalar == ScalarType::boolean ? (value == "true" || value == "1")
                        : word                           ? Value(value).stored(*a)
                                                         : std::stod(value);
        return;
      } catch (const std::exception&) {
        refuse(fmt::format("{}={}: no value of {}; {}", key, value, key, describe_op(contract_)));
      }
    }
    know(key);
    try {
      m_.fixed[key] = static_cast<double>(std::stoll(value));
    } catch (const std::exception&) {
      refuse(fmt::format("{}={}: '{}' is no size", key, value, value));
    }
  }

  // --- by names and order ---------------------------------------------------------------------------
  std::vector<std::size_t> unbound(Parameter::Kind kind) const {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (parameters_[i].kind == kind && !bound_.contains(i)) left.push_back(i);
    return left;
  }

  std::vector<const ArgSpec*> free_tensors(bool output, bool optional) const {
    std::vector<const ArgSpec*> left;
    for (const ArgSpec& a : contract_.args())
      if (a.is_tensor() && a.is_output() == output && a.optional == optional &&
          !m_.tensors.contains(&a))
        left.push_back(&a);
    return left;
  }

  void by_name(bool constant, bool output, bool optional) {
    for (const std::size_t i : unbound(Parameter::pointer)) {
      if (parameters_[i].constant != constant) continue;
      // Outputs must be left for the pointers that may be written to: `C` of a matmul's A, B and C
      // is the result, even where the op has an input of that name.
      if (!constant && !output && writable() <= free_tensors(true, false).size()) continue;
      for (const ArgSpec* a : free_tensors(output, optional))
        if (lower(a->name) == plain_name(parameters_[i].name)) {
          bind_tensor(i, *a);
          break;
        }
    }
  }

  std::size_t writable() const {
    const auto left = unbound(Parameter::pointer);
    return static_cast<std::size_t>(std::count_if(
        left.begin(), left.end(), [&](std::size_t i) { return !parameters_[i].constant; }));
  }

  void in_order(bool constant, const std::vector<const ArgSpec*>& free) {
    std::size_t next = 0;
    for (const std::size_t i : unbound(Parameter::pointer)) {
      if (parameters_[i].constant != constant) continue;
      if (next == free.size()) return;
      // One of its type before one of another, which refuses it.
      const auto fit = std::find_if(free.begin() + static_cast<std::ptrdiff_t>(next), free.end(),
                                    [&](const ArgSpec* a) { return type_fits(i, *a); });
      if (fit != free.end()) next = static_cast<std::size_t>(fit - free.begin());
      bind_tensor(i, *free[next++]);
    }
  }

  bool type_fits(std::size_t i, const ArgSpec& a) const {
    const Parameter& p = parameters_[i];
    const std::vector<DType>& types = types_of(contract_, a);
    return !narrow_type(p, a, types).empty() || (p.element && contains(types, *p.element));
  }

  // `Pout, Pin`, `dst, src`: of the pointers without const, those whose names say that they are results.
  void outputs_by_their_names() {
    for (const std::size_t i : unbound(Parameter::pointer)) {
      const std::string n = plain_name(parameters_[i].name);
      const bool result = n.ends_with("out") || n.starts_with("out") || n.starts_with("dst") ||
                          n.ends_with("dst") || n.starts_with("res");
      if (parameters_[i].constant || !result) continue;
      for (const ArgSpec* a : free_tensors(true, false))
        if (type_fits(i, *a)) {
          bind_tensor(i, *a);
          break;
        }
    }
  }

  void pointers() {
    for (const bool optional : {false, true}) by_name(true, false, optional);
    for (const bool optional : {false, true}) by_name(false, true, optional);
    outputs_by_their_names();
    for (const bool optional : {false, true}) by_name(false, false, optional);
    for (const bool optional : {false, true}) in_order(true, free_tensors(false, optional));
    // Pointers without const in the order of the contract. Inputs among them only where there are
    // more of them than outputs.
    std::vector<const ArgSpec*> rest;
    const bool inputs_too = writable() > free_tensors(true, false).size();
    for (const ArgSpec& a : contract_.args()) {
      if (!a.is_tensor() || a.optional || m_.tensors.contains(&a)) continue;
      if (a.is_output() || inputs_too) rest.push_back(&a);
    }
    in_order(false, rest);
    in_order(false, free_tensors(true, true));
    for (const std::size_t i : unbound(Parameter::pointer))
      refuse(parameters_[i], "matches no tensor that is left");
  }

  void numbers() {
    const std::vector<const Dim*> dims = dims_of(contract_);
    std::vector<std::string> inner;  // without leading axes
    for (const Dim* d : dims)
      if (!d->leading) inner.push_back(d->name);
    for (const auto kind : {Parameter::integer, Parameter::real, Parameter::other})
      for (const std::size_t i : unbound(kind))
        if (const ArgSpec* a = contract_.find(plain_name(parameters_[i].name));
            a && a->role == Role::scalar)
          bind_number(i, a->name);
    for (const std::size_t i : unbound(Parameter::real)) bind_number(i, next_real(i));
    for (const std::size_t i : unbound(Parameter::other))
      refuse(parameters_[i], "is of no type that an argument has");

    const std::vector<std::size_t> sizes = unbound(Parameter::integer);
    if (sizes.size() == 1 && inner.size() > 1) return one_size_for_all(sizes[0], inner);
    for (const std::size_t i : sizes) {
      const std::string n = size_name(parameters_[i].name);
      for (const Dim* d : dims)
        if (d->name == n && !contains(m_.known_dims, n)) bind_number(i, n);
    }
    // By order. As many as there are, or all but the leading axes.
    const std::vector<std::size_t> left = unbound(Parameter::integer);
    std::vector<std::string> free, free_inner;
    for (const Dim* d : dims) {
      if (contains(m_.known_dims, d->name)) continue;
      free.push_back(d->name);
      if (!d->leading) free_inner.push_back(d->name);
    }
    const auto& order = left.size() == free_inner.size() ? free_inner : free;
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (k == order.size()) refuse(parameters_[left[k]], "matches no size that is left");
      bind_number(left[k], order[k]);
    }
  }

  std::string next_real(std::size_t i) const {
    for (const ArgSpec& a : contract_.args())
      if (a.role == Role::scalar && a.scalar == ScalarType::real && !contains(m_.passed, &a))
        return a.name;
    refuse(parameters_[i], "matches no number that is left");
  }

  // `int n` of square matrices; but where all tensors have one shape, it may as well be the number of elements.
  void one_size_for_all(std::size_t i, const std::vector<std::string>& inner) {
    static const std::set<std::string> total = {"size",   "total", "numel",        "count",
                                                "length", "len",   "num_elements", "elements"};
    const std::string product = fmt::format("{}", fmt::join(inner, " * "));
    if (all_same_shape(contract_)) {
      if (total.contains(plain_name(parameters_[i].name))) return bind_number(i, product);
      refuse(
          fmt::format("parameter {} of '{}' may be {} or {}; say which above the kernel: // "
                      "warpath: {}(…, {})",
                      shown(parameters_[i]), kernel_.bare_name(), fmt::join(inner, ", "), product,
                      contract_.name(), product));
    }
    bind_number(i, inner.front());
    m_.meanings[i] = fmt::format("{}", fmt::join(inner, " = "));
    for (const std::string& n : inner) add_unique(m_.known_dims, n);
    m_.equal_dims = inner;
  }

  // --- the launch -----------------------------------------------------------------------------------
  void launch_shape() {
    const std::vector<std::string> said =
        kernel_.comment ? kernel_.comment->launch : std::vector<std::string>{};
    if (said.size() > 3)
      refuse("<<<…>>> in the comment has more than a grid, a block and bytes of shared memory");
    const auto pick = [&](const char* flag, const std::string& asked, std::size_t i,
                          const char* fallback) {
      const std::string text = !asked.empty() ? asked : i < said.size() ? said[i] : fallback;
      const auto wrong = [&](const std::string& why) {
        if (asked.empty()) refuse(fmt::format("'{}' in the launch {}", text, why));
        throw Refusal(fmt::format("--{} {} {}; {}", flag, text, why, describe_op(contract_)));
      };
      static const std::string allowed = "+-*/%()_ ,";
      for (const char c : text)
        if (!std::isalnum(static_cast<unsigned char>(c)) && allowed.find(c) == std::string::npos)
          wrong("is no expression of sizes");
      if (const std::string n = unknown_name(text); !n.empty())
        wrong(
            fmt::format("is no number, and '{}' is no size or scalar of {}", n, contract_.name()));
      know(text);
      const std::vector<std::string> axes = split_list(text);
      if (axes.size() > 3) wrong("has more than three axes");
      const bool shared = std::string_view(flag) == "shared";
      if (shared && axes.size() > 1) wrong("is more than one number of bytes");
      for (const std::string& axis : axes)
        if (const auto value = whole_number(axis); value && *value < (shared ? 0 : 1))
          wrong(shared ? "is less than 0 bytes"
                       : fmt::format("has {} along an axis; the least is 1", *value));
      return axes.size() > 1 ? "dim3(" + text + ")" : text;
    };
    m_.launch.grid = pick("grid", asked_.grid, 0, "");
    m_.launch.block = pick("block", asked_.block, 1, uses_second_axis() ? "16, 16" : "256");
    m_.launch.shared = pick("shared", asked_.shared, 2, "0");
    m_.launch_chosen = !asked_.grid.empty() || !asked_.block.empty() || !said.empty();
    if (asked_.shared.empty() && said.size() < 3 && has_in_body("extern __shared__"))
      refuse(
          fmt::format("'{}' has shared memory of a size that the launch gives (extern "
                      "__shared__), and it gives none: --shared BYTES, or the third value of "
                      "<<<…>>> in the comment, see docs/your-kernel.md",
                      kernel_.bare_name()));
  }

  // Whether the kernel asks for its place in a block of two axes.
  bool uses_second_axis() const { return has_in_body("threadIdx.y"); }

  // Whether a line of the kernel, from its head to the next kernel, has this text outside of a comment.
  bool has_in_body(const char* text) const {
    int next = 0;
    for (const Kernel& k : source_.kernels)
      if (k.line > kernel_.line && (next == 0 || k.line < next)) next = k.line;
    std::istringstream lines(source_.text);
    int number = 0;
    for (std::string line; std::getline(lines, line);)
      if (++number >= kernel_.line && (next == 0 || number < next) &&
          line.substr(0, line.find("//")).find(text) != line.npos)
        return true;
    return false;
  }

  // A kernel that has only the result of an op that may work in place: the result begins as the input.
  void work_in_place() {
    for (const ArgSpec& a : contract_.args()) {
      if (a.in_place.empty() || !m_.tensors.contains(&a) || m_.narrow.contains(&a)) continue;
      const ArgSpec* const input = contract_.find(a.in_place);
      if (m_.tensors.contains(input) || contains(m_.without, input) || contains(m_.zeroed, &a))
        continue;
      m_.begun[&a] = input;
      m_.without.push_back(input);
      for (std::string& meaning : m_.meanings)
        if (meaning == a.name) meaning += " beginning as " + input->name;
    }
  }

  void complain_of_missing() const {
    for (const ArgSpec& a : contract_.args())
      if (a.is_tensor() && !a.optional && !m_.tensors.contains(&a) && !contains(m_.without, &a))
        refuse(fmt::format("'{}' takes no {}; {}{}", kernel_.bare_name(), a.name,
                           describe_op(contract_),
                           a.role == Role::in ? fmt::format("; if it needs none: {}=none in the "
                                                            "comment, see docs/your-kernel.md",
                                                            a.name)
                                              : ""));
    for (const Dim* d : dims_of(contract_)) {
      if (d->leading || contains(m_.known_dims, d->name) || m_.fixed.contains(d->name)) continue;
      if (only_of_absent(d->name)) continue;
      refuse(fmt::format("'{}' takes no size {}; {}; {}", kernel_.bare_name(), d->name,
                         describe_op(contract_), hint()));
    }
  }

  // A dimension that only tensors have which the kernel does not take.
  bool only_of_absent(const std::string& dim) const {
    for (const auto& [a, dtype] : m_.tensors)
      for (const Dim& d : a->dims)
        if (d.name == dim) return false;
    return true;
  }

  const Contract& contract_;
  const KernelSource& source_;
  const Kernel& kernel_;
  const LaunchShape& asked_;
  std::vector<Parameter> parameters_;  // with the template's arguments
  std::set<std::size_t> bound_;
  KernelMatch m_;
};

}  // namespace

std::vector<const Dim*> dims_of(const Contract& contract) {
  std::vector<const Dim*> dims;
  for (const ArgSpec& a : contract.args())
    if (a.is_tensor())
      for (const Dim& d : a.dims)
        if (!d.name.empty() && std::none_of(dims.begin(), dims.end(), [&](const Dim* other) {
              return other->name == d.name;
            }))
          dims.push_back(&d);
  return dims;
}

std::string describe_op(const Contract& contract) {
  std::vector<std::string> parts;
  for (const ArgSpec& a : contract.args())
    if (a.is_tensor())
      parts.push_back(fmt::format("{} {}{}",
                                  a.role == Role::in    ? "in"
                                  : a.role == Role::out ? "out"
                                                        : "in and out",
                                  a.name, a.optional ? " (may be left out)" : ""));
  std::vector<std::string> sizes;
  for (const Dim* d : dims_of(contract)) sizes.push_back(d->name);
  parts.push_back(fmt::format("size{} {}", sizes.size() == 1 ? "" : "s", fmt::join(sizes, " ")));
  for (const ArgSpec& a : contract.args())
    if (a.role == Role::scalar)
      parts.push_back(
          a.choices.empty() ? a.name : fmt::format("{} ({})", a.name, fmt::join(a.choices, " ")));
  return fmt::format("{} has: {}", contract.name(), fmt::join(parts, ", "));
}

KernelMatch match_kernel(const Contract& contract, const KernelSource& source, const Kernel& kernel,
                         const LaunchShape& asked) {
  return Matcher(contract, source, kernel, asked).run();
}

}  // namespace warpath::cli
