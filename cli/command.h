// One command of the program: its name, its help, its flags, what it does. Each is defined in the
// file of its command.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace warpath::cli {

// How a command declares its flags. The parser behind it is CLI11: program.cpp.
class Flags {
 public:
  explicit Flags(void* command) : command_(command) {}  // a CLI::App

  void names(std::vector<std::string>& into, const char* help, bool required);  // of ops
  void words(const char* what, std::vector<std::string>& into, const char* help, bool required);
  void yes(const char* flag, bool& into, const char* help);
  void text(const char* flag, std::string& into, const char* type, const std::string& help);
  // May be given several times; `commas`: also as a,b.
  void list(const char* flag, std::vector<std::string>& into, bool commas, const char* type,
            const char* help);
  void seconds(const char* flag, double& into, const char* help);  // positive, shows its default
  void seconds(const char* flag, std::optional<double>& into, const std::string& help);
  void real(const char* flag, double& into, const char* help);
  void number(const char* flag, std::uint64_t& into, const char* help);
  void count(const char* flag, int& into, const char* help, int least = 0);
  // `all` where the flag stands alone, or before that word.
  void count_or_all(const char* flag, int& into, int all, const char* help);

 private:
  void* command_;
};

struct Command {
  const char *name, *summary, *examples;
  void (*flags)(Flags&, Options&);
  int (*run)(const Options&);  // the exit status
  // Refuses what can be seen without a kernel. With WARPATH_LOOK in the environment a command does no more than that: the
  // launcher asks so before it builds what the command needs, which may take minutes.
  void (*look)(const Options&) = nullptr;
};

extern const Command doctor_command, days_command, day_command, done_command, start_command,
    watch_command, hint_command, solution_command, grade_command, ops_command, run_command,
    check_command, bench_command, train_command, generate_command, xray_command, profile_command,
    tables_command;

// The exit status; writes what was wrong. Commands that are not in the list are handed on to the program that has them.
int run_program(int argc, char** argv, std::span<const Command* const> commands);
// The same for a program that is one command.
int run_alone(const Command& command, int argc, char** argv);

void add_json_flag(Flags& flags, Options& o);
void add_selection_flags(Flags& flags, Options& o);  // --rung --case --dtype --backend
void add_running_flags(Flags& flags, Options& o);    // --seed --timeout -j

}  // namespace warpath::cli
