#include "cli/interrupt.h"

namespace warpath::cli {

volatile std::sig_atomic_t interrupted = 0;

static void note_interrupt(int) {
  interrupted = 1;
}

NoteInterrupts::NoteInterrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, &before_);
}

NoteInterrupts::~NoteInterrupts() {
  sigaction(SIGINT, &before_, nullptr);
}

}  // namespace warpath::cli
