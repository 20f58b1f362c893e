#pragma once

// Reads the body of a function, and judges the calls and the variables in it.

#include "spaces/locals.h"
#include "spaces/model.h"
#include "spaces/own_tokens.h"
#include "spaces/report.h"
#include "spaces/spaces.h"

namespace simt::cc::spaces {

class Body {
 public:
  Body(const OwnTokens& tokens, const Model& model, const Options& options, Report& report)
      : t(tokens), m_(model), o_(options), report_(report) {}

  void read(const Function& function);

 private:
  // A lambda with its own execution space.
  struct Frame {
    Index end;
    unsigned space;
  };

  // body.cpp: statements and declarations
  void walk(Index begin, Index end);
  void keyword(Index i);
  bool declare(Index i, Index end);
  void declare_local(const LocalDeclaration& d, Index name, bool first);
  void judge_local(const LocalDeclaration& d, Index name);
  void judge_length(const LocalDeclaration& d, Index name);
  void judge_dynamic_shared(const LocalDeclaration& d, Index name);
  void judge_construction(const LocalDeclaration& d, Index name);
  void lambda(Index open);
  void judge_captures(Index open, Index body);
  void judge_both_sided(Index open, Index body);

  // calls.cpp: names in expressions
  Index name(Index i);
  Index std_name(Index i);
  void unqualified(Index i);
  void member(Index i);
  void found(Index i, Index begin, const Entry& entry);
  void call(Index i, const std::vector<const Function*>& candidates, Index open);
  void launch(Index i, const Entry& entry);
  void launch_arguments(Index i, const Function& kernel);
  void functor(const Class& type, const Function& kernel, std::string_view parameter);
  void construct(Index i, const Class& type, Index open);
  void variable(Index i, Index begin, const Variable& variable);
  void device_variable_on_host(Index i, const Variable& variable);
  void host_variable_as_symbol(Index i, Index begin, const Variable& variable);
  void host_name_as_symbol(Index i, Index begin);
  void library_call(Index i);
  void built_in_written(Index i);
  void use_of_std_object(Index i, const Local& local);
  void operators(Index i);
  void binary_operator(Index i, const std::string& symbol, Index right);
  bool may_be_meant(const Function& f, const Local* a, const Local* b) const;
  const Local* operand_before(Index i) const;
  const Local* operand_after(Index i) const;

  bool may_call(const Function& callee) const;
  void other_file(Index i, const Function& callee);
  void complain_call(Index i, const Function& callee, std::string_view shown);
  void say(bool warning, Index i, const std::string& what, std::string_view function = {});
  // How many arguments; ~0u if it cannot be said.
  unsigned arguments(Index open) const;
  std::string caller() const;

  const Local* local(std::string_view name) const;
  bool on_device() const { return space_ == space_device || space_ == space_kernel; }
  bool runs_on_device() const { return space_ != space_host; }
  bool on_host() const { return space_ == space_host; }
  // What `#ifdef __CUDA_ARCH__` leaves of a __host__ __device__ function for one side (translate/two_sides.h).
  void note_sides(Index condition);
  static bool inside(const std::vector<Range>& sides, Index i);

  const OwnTokens& t;
  const Model& m_;
  const Options& o_;
  Report& report_;
  const Function* function_ = nullptr;
  unsigned space_ = space_host;
  std::vector<Frame> frames_;
  std::vector<Local> locals_;
  std::vector<Range> device_sides_, host_sides_;
  int depth_ = 0;
  Index first_declared_ = 0;   // the first name of the last declaration
  Index unevaluated_end_ = 0;  // of sizeof(...) and the like
  Index constant_end_ = 0;     // of a declaration that is evaluated by the compiler
  Index discarded_end_ = 0;    // of an `if constexpr` in a template
};

}  // namespace simt::cc::spaces
