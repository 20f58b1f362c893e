// Ctrl-C as a note: a run ends at a good place, with what it has.
#pragma once
#include <csignal>

namespace warpath::cli {

extern volatile std::sig_atomic_t interrupted;  // 1 from the first Ctrl-C on

// As long as it lives, the first Ctrl-C is noted; the next one ends the program at once.
class NoteInterrupts {
 public:
  NoteInterrupts();
  ~NoteInterrupts();
  NoteInterrupts(const NoteInterrupts&) = delete;
  NoteInterrupts& operator=(const NoteInterrupts&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace warpath::cli
