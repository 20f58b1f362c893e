#pragma once

// Running other programs, temporary files, and where simt is installed.

#include <string>
#include <vector>

namespace simt::cc {

// Runs a program and waits; its exit status, or 128 + signal. 127 when it does not exist.
// With `messages`, what it writes to standard error goes there.
int run(const std::vector<std::string>& command, std::string* messages = nullptr);

std::string quoted(const std::vector<std::string>& command);

// A file that is removed when the driver ends, also when it is interrupted.
std::string temporary_file(const std::string& stem, const std::string& suffix);
void remove_temporary_files();
void clean_up_on_signals();

struct Installation {
  std::string include;
  std::string library;  // the folder of libsimt.so
};

// SIMT_HOME, else relative to this program: the install tree or the build tree.
Installation find_installation();

// The file of a shared library on this system: libsimt.so of libsimt.
std::string library_file(const std::string& name);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);

}  // namespace simt::cc
