#pragma once

// What splitting a kernel needs to know about the functions of its file, by name alone: which may
// wait for other threads, and which may change their arguments. A name that several functions share
// counts as the worst of them.

#include <string_view>
#include <unordered_set>
#include <vector>

#include "translate/source.h"

namespace simt::cc {

class Facts {
 public:
  explicit Facts(const Source& source);

  bool waits(std::string_view name) const { return waits_.count(name) != 0; }
  // Calls through an object: a lambda or an operator() somewhere waits.
  bool objects_wait() const { return waits("operator()"); }
  bool takes_reference(std::string_view name) const { return references_.count(name) != 0; }
  // A variable of the file, or a member, is declared volatile by this name.
  bool is_volatile(std::string_view name) const { return volatile_.count(name) != 0; }
  // A __device__, __constant__ or __managed__ variable, whose value may change while a kernel runs.
  bool is_device_variable(std::string_view name) const { return variables_.count(name) != 0; }

 private:
  struct Definition {
    std::string_view name;
    Index begin, end;  // of its body
    bool waits;
    bool users_own;
  };

  void scan();
  void define(Index brace, bool users_own);
  void add_variable(Index at);
  bool is_site(Index close) const;
  void spread();

  const Source& s_;
  std::vector<Definition> definitions_;
  std::unordered_set<std::string_view> waits_;
  std::unordered_set<std::string_view> references_;
  std::unordered_set<std::string_view> variables_;
  std::unordered_set<std::string_view> volatile_;
};

// A loop in [begin, end) that looks at memory until another thread changes it.
bool has_spin(const Source& source, Index begin, Index end);

// The name at `i` is called, or its address is taken.
bool is_called(const Source& source, Index i);

// An asm statement at `i` whose instructions concern other threads too.
bool asm_waits(const Source& source, Index i);

}  // namespace simt::cc
