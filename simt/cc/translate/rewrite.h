#pragma once

// The parts of the translator, one per construct. Each adds its edits to the source.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "translate/source.h"

namespace simt::cc {

// A shared variable in scope, for lambdas that use it.
struct SharedName {
  std::string_view name;
  Index declared;   // token after which it is known
  Index scope_end;  // the brace that ends its scope
};

// If the function whose declaration begins there is main, its `return;` becomes `return 0;`.
void rewrite_main(Source& source, Index declaration, Index body);

// `class ::a::B<int> {` at `i`, which nvcc takes and GCC before 14 does not, loses its first `::`.
void drop_global_scope(Source& source, Index i);

// Of kernels that are templates, by name: bit i is set if parameter i is a reference to what is not const.
using ReferenceParameters = std::unordered_map<std::string_view, std::uint64_t>;
std::uint64_t reference_parameters(const Source& source, Index open);

// If the three '<' at `i` open a launch, rewrites it.
void rewrite_launch(Source& source, Index i, bool checked, bool cpp20,
                    const ReferenceParameters& references);

// Rewrites the declaration around the `__shared__` at `i`; gives the names it declares and returns
// the index of its ';' (or `i` when it is no declaration). `file_scope` is null inside functions;
// else it has the names already declared there, because an extern declaration may come again.
// `checked`: a file's variables are placed as a function's are. `facts`: the type that stands for the
// kernel whose variables they are (simt/kernel_facts.h), or "".
Index rewrite_shared(Source& source, Index i, std::unordered_set<std::string_view>* file_scope,
                     bool checked, const std::string& facts,
                     std::vector<std::string_view>& declared);

// Replaces the qualifier of a variable at `i`; one that is the file's `own` becomes static.
void qualify_variable(Source& source, Index i, bool own);

// For the checks: names the variables of the declaration that begins at `begin` and has
// `__device__` at `i`, and puts a zone without data around them. `counted`: also says which are __constant__.
void watch_variable(Source& source, Index begin, Index i, bool counted);
// The same for a template, unless it is a function's: that there are such variables, for their addresses are not known here.
void watch_variable_template(Source& source, Index begin, Index i);

// For the counts: tells of the arrays that the function indexes by what differs between threads. `name` is the token
// before its parameters, `body` its '{'.
void tell_indexed(Source& source, Index name, Index body, bool kernel);

// For the counts: `= float4{...}` at `i` is made to store its vector as a whole.
void keep_whole(Source& source, Index i);

// The names that the declaration in [begin, end) declares; empty if it cannot be understood.
std::vector<Index> declared_names(const Source& source, Index begin, Index end);
// The ';' that ends the declaration around `i`, or none.
Index declaration_end(const Source& source, Index i);

// Shared variables have static storage on a GPU, so lambdas use them without capturing. Here they
// are references: the lambda whose '[' is at `i` is made to capture those it mentions.
void rewrite_captures(Source& source, Index i, const std::vector<SharedName>& names);

using VolatileNames = std::unordered_set<std::string_view>;

// What the declaration around the `volatile` at `i` declares; empty if it declares nothing.
std::string_view volatile_name(const Source& source, Index i);

// A statement that begins with the volatile array at `i`, if it stores what it read from one.
void rewrite_volatile_store(Source& source, Index i, const VolatileNames& names);

// The `while` at `i`, if it waits for one of these or a cast to volatile: then true.
bool rewrite_spin(Source& source, Index i, const VolatileNames& names);

// "T, N, Rest..." of the `template <class T, int N, class... Rest>` at `i`; "" if a parameter has no
// name, or it cannot be understood.
std::string template_arguments(const Source& source, Index i);

// For the checks: the call of the CUDA API at `i`, if it is a statement of its own: its error is
// lost.
void rewrite_lost_call(Source& source, Index i);

// For the checks: the allocation at `i` loses its cast to void**, so that the type is known.
void rewrite_allocation(Source& source, Index i);

// An asm statement in device code. One that is not known is an error; in a library's header only
// where it is used.
void rewrite_asm(Source& source, Index i, bool in_library);

}  // namespace simt::cc
