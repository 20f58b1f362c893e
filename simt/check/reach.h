#pragma once

// Which accesses of the kernels were executed at all: what a set of test cases reaches.
//
// SIMT_CHECK_REACH=FILE appends a line `library offset` to FILE for each call site, the offset
// being that of the call in the library: addr2line knows its source line.

namespace simt::check {

// Read at every access; hidden, so that this is one instruction.
extern bool records_sites [[gnu::visibility("hidden")]];

void record_sites_to(const char* file);
void note_site(const void* pc);
// Appends the sites that this process has not written yet.
void append_sites();

}  // namespace simt::check
