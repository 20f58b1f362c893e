#pragma once

// What was found: one entry per kind and location, with a count.

#include <simt/array_shape.h>
#include <vector_types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/finding_kind.h"

namespace simt::check {

// How far apart the two threads of a race are.
enum class Apart : unsigned char { none, lanes, warps, blocks };

// What a racing write stored, and where.
struct Value {
  unsigned bytes = 0;  // 0: not known
  std::uint64_t bits = 0;
  std::uintptr_t at = 0;

  bool known() const { return bytes != 0; }
  bool same_as(const Value& other) const { return bytes == other.bytes && bits == other.bits; }
};

struct Finding {
  FindingKind kind;
  const void* pc = nullptr;
  const void* other = nullptr;  // the other side of a race
  std::string what;             // one line
  std::string who, other_who;   // threads, as text
  uint3 block{}, thread{}, other_block{}, other_thread{};
  std::string kernel;  // "" when the host did it
  std::string tail;    // one more line, "" if there is none
  // The allocation it is about, named behind `what`.
  const void* allocated_at = nullptr;
  std::string name;  // "": that of the variable in the allocation's line
  const void* freed_at = nullptr;
  std::size_t bytes = 0;
  long long offset = 0;
  ArrayShape shape{};       // of the allocation, by the type of the pointer to it
  std::size_t element = 0;  // bytes of the access; 0: the offset says nothing
  std::uint64_t rank = 0;   // the smallest is shown
  bool of_object = false;   // the allocation is a texture or surface object
  bool warning = false;     // shown, but no reason to fail
  bool told = false;        // `what` is a whole report, of the runtime
  // Of a race between two accesses.
  Apart apart = Apart::none;
  bool both_write = false, some_atomic = false;
  bool atomic_reads = false;  // the atomic side is a read: volatile, or past the first cache
};

// False when a finding with a smaller rank is known for these places: it is only counted then, and
// no texts need be made.
bool is_news(FindingKind kind, const void* pc, const void* other, std::uint64_t rank);
// What the write of a race at these places has stored.
void note_written(const void* pc, const void* other, Value written);
void add(Finding finding);
// What the program calls the allocation; "" if that cannot be told.
std::string block_name(const Finding& finding);
// True when something was found in the source line of this code already.
bool is_reported_at(const void* pc);
// The runtime has a report of its own (a deadlock, a failed assert), and prints it; `pc` is of its place, null if that is not
// known.
void add_fault(FindingKind kind, const std::string& report, const std::string& kernel,
               const void* pc);

// True when the code at pc is simt's own (its headers), with no caller that is the program's; also
// when nothing tells.
bool is_own_code(const void* pc);
// True when the code is in one of simt's libraries.
bool is_in_runtime(const void* pc);

struct Entry {
  Finding finding;
  std::uint64_t count = 0;
  // Of races at one pair of lines: the kinds that were seen, and whether all writes stored the same.
  bool write_write = false, read_write = false, one_value = true, one_place = true;
  Value written;
  bool unwritten = false;  // one of its lines also reads what nobody wrote: all values come of that
  bool changes = false;    // of a read: its line is in front of one where threads race to write
};
// As it is printed, without the tool's name before it.
std::string report_text(const Entry& entry);

// The kernel ends, on the host's stack: what was found in it inside a library is at the line that called the library.
void name_calls(const std::string& kernel);
void print_new();
// Everything since the last time; from now on all of it is news again.
std::vector<Entry> take_findings();
void print_summary(int status);
void write_json_to(const char* file);

}  // namespace simt::check

// Does nothing: `warpath debug --on-finding` stops here, called by what the finding is about.
extern "C" void simt_check_found(const char* kind, const char* what);
