#pragma once

// What was found: one entry for each kind and place, with a count.

#include <cstdint>
#include <string>

namespace simt::check {

struct Finding {
  const char* kind;  // "out of bounds", "race", …
  const void* pc = nullptr;
  const void* other = nullptr;  // the other side of a race
  std::string what;             // one line
  std::string who, other_who;   // threads, as text
  std::string kernel;
  std::string tail;                    // one more line, "" if there is none
  const void* allocated_at = nullptr;  // named behind `what`
  const void* freed_at = nullptr;
  std::uint64_t rank = 0;  // the smallest is shown
};

// False when a finding with a smaller rank is known for these places: it is only counted then, and
// no texts need be made.
bool is_news(const char* kind, const void* pc, const void* other, std::uint64_t rank);
void add(Finding finding);
void count_fault();  // the runtime has reported it

// True when the code at pc is simt's own (its headers), with no caller that is the program's; also when
// nothing tells.
bool is_own_code(const void* pc);

void print_new();
void print_summary(int status);

}  // namespace simt::check
