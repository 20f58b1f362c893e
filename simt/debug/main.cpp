// warpath-debug: gdb at a chosen CUDA thread of a program that warpath-cc made. What it does in gdb
// is written in simt_gdb/.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr const char* help_text =
    R"(warpath debug: gdb at a CUDA thread of a program that `warpath cc -G` made.

usage: warpath debug [options] ./program [arguments]

where to stop
  --block x[,y[,z]]    the block (default 0)
  --thread x[,y[,z]]   the thread of the block (default 0); one number counts x first, then y, z
  --kernel NAME        in a launch of this kernel (default: of any)
  --launch N           the N-th of these launches (default 1)
  --break WHERE        at FILE:LINE or a function (default: the first line of the kernel)
  --library FILE       the program opens this library, which warpath cc made
  --on-finding         instead: where a checked program (warpath cc --check) finds something, or a
                       kernel fails

gdb
  --batch              no questions; gdb ends after the commands
  -x FILE, -ex COMMAND gdb's commands, run when the thread is there

In gdb: threadIdx, blockIdx, blockDim, gridDim, locals and shared arrays by name, and
  info cuda threads    where each thread of the block stands      info cuda blocks
  cuda thread 33       look at another thread of the block        cuda block 2,0
  cuda continue        go on until the thread that is looked at runs again
next, step and finish stay in the CUDA thread. Blocks run one after the other here.

examples
  warpath cc -G sum.cu -o sum && warpath debug --block 2 --thread 33 ./sum
  warpath debug --kernel reduce --launch 3 --break sum.cu:20 ./sum 1000
  warpath debug --batch -ex 'info cuda threads' -ex 'print tile[3]' ./sum
  warpath cc --check -g sum.cu -o sum && warpath debug --on-finding ./sum
)";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string start = "cuda start";  // the command that brings gdb there
  std::vector<std::string> for_gdb;  // -x and -ex, in order
  std::vector<std::string> program;  // with its arguments
  std::string library;               // made by warpath-cc, opened by a program that need not be
  bool batch = false;
  bool help = false;
};

std::string shell_word(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

Options parse(const std::vector<std::string>& args) {
  Options o;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string name = args[i];
    // The target may come before the options too, as in `warpath debug ./a --block 2`.
    if (name.empty() || name[0] != '-') {
      o.program.push_back(name);
      if (o.program.size() > 1) {
        o.program.insert(o.program.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         args.end());
        return o;
      }
      continue;
    }
    if (name == "--") {
      o.program.insert(o.program.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                       args.end());
      return o;
    }
    if (name == "-h" || name == "--help") {
      o.help = true;
    } else if (name == "--batch" || name == "-batch") {
      o.batch = true;
    } else if (name == "--on-finding") {
      o.start += " " + name;
    } else {
      std::string value;
      const std::size_t equals = name.find('=');
      const bool joined = name.rfind("--", 0) == 0 && equals != std::string::npos;
      if (joined) {
        value = name.substr(equals + 1);
        name.resize(equals);
      }
      const bool for_gdb = name == "-x" || name == "-ex";
      if (!for_gdb && name != "--block" && name != "--thread" && name != "--kernel" &&
          name != "--launch" && name != "--break" && name != "--library") {
        throw UsageError("unknown option '" + name + "'; see --help");
      }
      if (!joined && ++i == args.size()) throw UsageError("option '" + name + "' needs a value");
      if (!joined) value = args[i];
      if (name == "--launch" && std::atoi(value.c_str()) < 1) {
        throw UsageError("--launch counts from 1");
      }
      if (name == "--library") {
        o.library = value;
      } else if (for_gdb) {
        o.for_gdb.insert(o.for_gdb.end(), {name, value});
      } else {
        o.start += " " + name + " " + shell_word(value);
      }
    }
  }
  return o;
}

// A program of warpath-cc names libsimt.so among the libraries it needs.
void check_program(const std::string& path) {
  if (!fs::exists(path)) throw UsageError("no such file: '" + path + "'");
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const bool is_program = bytes.rfind("\177ELF", 0) == 0;
  if (!is_program || bytes.find(std::string("\0libsimt.so\0", 12)) == std::string::npos) {
    throw UsageError("'" + path +
                     "' was not built by warpath cc; try `warpath cc -G file.cu -o a`");
  }
}

bool has_gdb() {
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (access((rest.substr(0, colon) + "/gdb").c_str(), X_OK) == 0) return true;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return false;
}

std::string commands_folder() {
  const fs::path home = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const char* folder : {"lib", "lib64"}) {
    const fs::path found = home / folder / "simt-debug";
    if (fs::exists(found / "simt_gdb" / "__init__.py")) return found;
  }
  throw UsageError("cannot find gdb's commands (lib/simt-debug) beside this program");
}

[[noreturn]] void become_gdb(Options o) {
  if (o.program.empty())
    throw UsageError("what shall it open: OP/RUNG, OP FILE.cu or a program? see --help");
  // gdb looks for a bare name in PATH.
  if (o.program[0].find('/') == std::string::npos) o.program[0] = "./" + o.program[0];
  check_program(o.library.empty() ? o.program[0] : o.library);
  if (!has_gdb()) throw UsageError("gdb is missing; type: sudo apt-get install -y gdb");
  // Python's list of folders takes the path as an argument of gdb's convenience: no quoting.
  setenv("SIMT_DEBUG_COMMANDS", commands_folder().c_str(), 1);
  setenv("SIMT_DEBUGGER", "1", 1);
  setenv("SIMT_THREADS", "1", 1);
  unsetenv("SIMT_TIMEOUT");
  std::vector<std::string> words = {
      "gdb",
      "-q",
      "-iex",
      "set debuginfod enabled off",
      "-ex",
      "python import os, sys; sys.dont_write_bytecode = True; "
      "sys.path.insert(0, os.environ['SIMT_DEBUG_COMMANDS']); import simt_gdb",
      "-ex",
      o.start};
  if (o.batch) words.insert(words.begin() + 2, "-batch");
  words.insert(words.end(), o.for_gdb.begin(), o.for_gdb.end());
  words.push_back("--args");
  words.insert(words.end(), o.program.begin(), o.program.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw UsageError("cannot run gdb");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse({argv + 1, argv + argc});
    if (options.help) {
      std::fputs(help_text, stdout);
      return 0;
    }
    become_gdb(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpath debug: %s\n", error.what());
    return 2;
  }
}
