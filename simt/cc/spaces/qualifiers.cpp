#include "spaces/qualifiers.h"

#include "spaces/parameters.h"

namespace simt::cc::spaces {
namespace {

// `int`, `float*`, `unsigned long`: what stands before the name, if it is surely not void. What
// names stand for is not looked up.
bool returns_a_value(const OwnTokens& t, const Function& f, const Declared& d) {
  bool is_void = false, is_basic = false;
  for (Index i = d.first; i < f.place; ++i) {
    const std::string_view word = t.text(i);
    if (t.is(i, '<')) return false;
    if (word == "auto" || word == "decltype") return false;
    if (word == "void") {
      is_void = true;
    } else if (is_type_keyword(word)) {
      is_basic = true;
    }
  }
  return is_basic || (is_void && d.is_pointer);
}

// `auto` before the name, and no `-> void` behind the parameters.
bool deduces_its_type(const OwnTokens& t, const Function& f, const Declared& d) {
  bool is_auto = false;
  for (Index i = d.first; i < f.place; ++i) is_auto = is_auto || t.is(i, "auto");
  const Index close = t.is(f.place + 1, '(') ? t.match(f.place + 1) : none;
  return is_auto && close != none && !t.is(close + 1, Word::arrow_);
}

void judge_kernel_parameters(const OwnTokens& t, const Function& f, const std::string& kernel,
                             Report& report) {
  for (const Parameter& p : f.parameters) {
    for (Index i = p.begin; i < p.end; ++i) {
      if (t.is(i, "&&") && !f.is_template) {
        report.error(i, kernel + " has a parameter that is an rvalue reference: pass it by value");
      } else if (t.is(i, "initializer_list") || t.is(i, "va_list")) {
        report.error(i, kernel + " has a parameter of type " + std::string(t.text(i)) +
                            ", which a kernel cannot have: pass a pointer and a count");
      }
    }
  }
  const Index close = t.match(f.is_operator ? none : f.place + 1);
  if (close != none && f.most == ~0u && t.is(close - 1, '.')) {
    const Index before = close >= 4 ? close - 4 : close;
    if (t.is(before, ',') || t.is(before, '(')) {
      report.error(close - 3,
                   kernel + " has '...' as its last parameter, which a kernel cannot have");
    }
  }
}

void judge_kernel(const OwnTokens& t, const Function& f, const Declared& d, Report& report) {
  const std::string kernel = "kernel " + in_quotes(f.is_operator ? "operator" : f.name);
  if (d.on_host != none || d.on_device != none) {
    report.error(f.place,
                 kernel + " is __global__ and " + (d.on_host != none ? "__host__" : "__device__") +
                     ": a function can be only one of the two. A kernel is __global__ alone");
  }
  if (f.is_operator) return report.error(f.place, "an operator cannot be a __global__ function");
  if (f.name == "main") return;
  if (f.owner != nullptr) {
    return report.error(f.place,
                        kernel + " is a member of " + in_quotes(f.owner->name) +
                            ": a __global__ function cannot be a member; move it out of the class");
  }
  if (d.is_friend && f.body != none) {
    return report.error(
        f.place, kernel + " is defined in a friend declaration: define it outside of the class");
  }
  if (returns_a_value(t, f, d)) {
    report.error(
        f.place,
        kernel +
            " returns a value: a __global__ function must return void. Write the result to "
            "memory that a pointer argument names");
  }
  if (deduces_its_type(t, f, d)) {
    report.error(f.place, kernel + " has a return type that is deduced: write void");
  }
  if (d.is_constexpr) {
    report.error(f.place, kernel + " is constexpr, which a __global__ function cannot be");
  } else if (d.is_inline != none) {
    report.warning(d.is_inline, "inline is ignored for " + kernel);
  }
  judge_kernel_parameters(t, f, kernel, report);
}

}  // namespace

void judge_function(const OwnTokens& t, const Function& f, const Declared& d, Report& report) {
  if (f.name == "main" && f.owner == nullptr && d.scope->parent == nullptr &&
      (d.on_kernel != none || d.on_device != none)) {
    report.error(f.place, "main runs on the host: it cannot be __device__ or __global__");
  }
  if (d.on_kernel != none) return judge_kernel(t, f, d, report);
  if (d.launch_bounds != none) {
    report.error(f.place, "__launch_bounds__ is for kernels, and " + in_quotes(f.name) +
                              " is no __global__ function");
  }
}

void judge_variable(const Variable& v, const Declared& d, Report& report) {
  if (d.on_kernel != none) {
    report.error(d.on_kernel, "__global__ is for functions, and " + in_quotes(v.name) +
                                  " is a variable: __device__ puts it on the device");
  }
  if (d.is_shared && d.is_constant) {
    report.error(v.place, in_quotes(v.name) + " cannot be both __shared__ and __constant__");
  } else if (d.is_shared && v.value_begin != none) {
    report.error(
        v.place,
        "shared variable " + in_quotes(v.name) +
            " has an initialiser, which shared memory cannot have: assign in the kernel, then "
            "__syncthreads()");
  }
}

}  // namespace simt::cc::spaces
