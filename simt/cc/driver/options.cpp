#include "driver/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "driver/option_names.h"
#include "messages/nearest.h"

namespace simt::cc {

const char* const help_text =
    R"(usage: warpath cc [options] file...

Compiles CUDA sources for this CPU. It is used as nvcc is.

output
  -o FILE            name of the result (a.out, or the source's name with .o)
  -c, -dc            compile, do not link           -shared   make a shared library
  -odir DIR          where objects without a name go    --run     run the program
  -E                 preprocess only                --translate   show the C++ that is compiled
  --list-kernels     the kernels with their parameters and the files they come from, as JSON
  -M -MM -MD -MMD -MF FILE -MT NAME                 write dependencies for make and Ninja

input
  -I DIR  -isystem DIR  -include FILE  -D NAME[=VALUE]  -U NAME
  -x cu              treat every source as CUDA     -std=c++17|c++20
  -l NAME  -L DIR    libraries (cudart, cuda, cublas, curand and cufft are part of simt)

compiling
  -O0 ... -O3        default -O2                    -g        debug information, -Og
  -G                 the same with -O0, for `warpath debug`: every variable can be seen
  -ccbin PROGRAM     the C++ compiler (default: $CXX, then g++)
  -Xcompiler A,B     options for it                 -Xlinker A,B   options for the linker
  -W... -f... -m...  are handed to it as well
  --no-split         kernels with barriers run on fibers, not as loops over their threads; -v tells
                     of each which it is and why

checking
  --check            the program reports its CUDA bugs and exits with 1 if there are any:
                     --check=memory,race,init,sync,api takes some of the checks (default: all);
                     with leak, memory that is never freed is a bug too, not only a warning
  --json[=FILE]      such a program also writes its findings to FILE (check.json)
  --check --debug    opens gdb where something is found (see `warpath debug --help`)

counting
  --xray             the program counts what its kernels do to memory, line by line, and writes the counts to xray.json;
                     `warpath xray ./program` explains them

running
  --timeout SECONDS  kernels of the program end after this time, with the line they were in

as nvcc's: without them what needs them is refused
  -rdc=true -dc --expt-relaxed-constexpr --extended-lambda

accepted, without effect here
  -arch -gencode -code -lineinfo -Xptxas -Xcudafe -maxrregcount --use_fast_math
  --threads --diag-suppress and the like

about
  -v, --dry-run      show the commands              --keep    keep the intermediate file
  --reuse            with -c: leave an object alone whose text and flags have not changed (FILE.o.key)
  -h, --help         this text                      --version

environment: SIMT_HOME (where simt is installed), CXX; programs read SIMT_THREADS (OS threads),
SIMT_STACK_KB (stack of a CUDA thread), SIMT_CHECK (which checks a checked program makes),
SIMT_MULTIPROCESSORS (how many the device says it has; 132),
SIMT_SHARED_FILL (the byte that shared memory is filled with before each block; 0),
SIMT_CHECK_JSON (the file it writes its findings to), SIMT_TIMEOUT (seconds a kernel may run),
SIMT_SLOW (seconds after which a kernel is told to run for long; 10, 0: never),
SIMT_SPLIT=0 (as if compiled with --no-split), SIMT_DEBUG=1 (gdb where something goes wrong).

examples
  warpath cc saxpy.cu -o saxpy && ./saxpy
  warpath cc -c kernels.cu && warpath cc main.cpp kernels.o -o app
  warpath cc -shared -Xcompiler -fPIC kernels.cu -o libkernels.so
)";

bool has_suffix(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool is_cuda_source(const std::string& path) {
  return has_suffix(path, ".cu");
}

bool is_c_source(const std::string& path) {
  return has_suffix(path, ".c");
}

bool is_source(const std::string& path) {
  static constexpr std::array suffixes = {".cu", ".cpp", ".cc", ".cxx", ".c", ".C"};
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](const char* suffix) { return has_suffix(path, suffix); });
}

namespace {

std::vector<std::string> items_of(const std::string& list, const char* at_any_of = ",") {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t end = std::min(list.find_first_of(at_any_of, at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool starts(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

std::string seconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e9) {
    throw UsageError("--timeout takes a number of seconds, not '" + text + "'");
  }
  return std::to_string(value);
}

// The long options that the help text names; of a short one any letter would be near.
std::vector<std::string> known_options() {
  std::vector<std::string> known;
  std::istringstream words(help_text);
  for (std::string word; words >> word;) {
    if (word.compare(0, 2, "--") != 0) continue;
    word.resize(std::min(word.size(), word.find_first_of("=[,;:")));
    if (word.size() > 3) known.push_back(word);
  }
  return known;
}

class Parser {
 public:
  explicit Parser(std::vector<std::string> args) : args_(std::move(args)) {}

  Options run() {
    while (at_ < args_.size()) {
      const std::string arg = args_[at_++];
      refuse_device_code(arg);
      if (arg.size() < 2 || arg[0] != '-') {
        input(arg);
      } else if (!simple(arg) && !with_value(arg) && !ignored(arg) && !passed_on(arg)) {
        const std::string near = did_you_mean(arg.substr(0, arg.find('=')), known_options());
        throw UsageError("unknown option '" + arg + "'" + (near.empty() ? "; see --help" : near));
      }
    }
    if (options_.xray && options_.check)
      throw UsageError(
          "--check and --xray are two programs: a checked one must not count the checks' own work");
    return options_;
  }

 private:
  void input(const std::string& arg) {
    if (!arg.empty() && arg[0] == '@') return response_file(arg.substr(1));
    options_.inputs.push_back(arg);
  }

  void response_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw UsageError("cannot read '" + path + "'");
    args_.insert(args_.begin() + static_cast<std::ptrdiff_t>(at_),
                 std::istream_iterator<std::string>(file), std::istream_iterator<std::string>());
  }

  // Options without a value.
  bool simple(const std::string& arg) {
    Options& o = options_;
    if (arg == "-c" || arg == "-dc" || arg == "--compile" || arg == "--device-c") {
      o.stage = Stage::compile;
      if (arg == "-dc" || arg == "--device-c") o.linked = true;
    } else if (arg == "-E" || arg == "--preprocess") {
      o.stage = Stage::preprocess;
    } else if (arg == "-dlink" || arg == "--device-link") {
      o.stage = Stage::device_link;
    } else if (arg == "-lib" || arg == "--lib") {
      o.stage = Stage::archive;
    } else if (arg == "--translate") {
      o.stage = Stage::translate;
    } else if (arg == "--list-kernels") {
      o.stage = Stage::list;
    } else if (arg == "-shared" || arg == "--shared") {
      o.shared = true;
    } else if (arg == "-g" || arg == "--debug") {
      o.debug = true;
      o.open_debugger |= arg == "--debug";
    } else if (arg == "-G" || arg == "--device-debug") {
      o.debug = o.device_debug = true;
    } else if (arg == "--xray") {
      o.xray = true;
    } else if (arg == "--check") {
      o.check = true;
    } else if (starts(arg, "--check=")) {
      o.check = true;
      o.checks = arg.substr(8);
      for (const std::string& name : items_of(o.checks)) {
        static const std::array names = {"memory", "race", "init", "sync", "api", "leak", "all"};
        if (std::find(names.begin(), names.end(), name) == names.end()) {
          const std::string near = did_you_mean(name, {names.begin(), names.end()});
          throw UsageError(
              "there is no check '" + name + "'" +
              (near.empty() ? "; there are memory, race, init, sync, api, leak" : near));
        }
      }
    } else if (arg == "--json") {
      o.json = "check.json";
    } else if (starts(arg, "--json=")) {
      o.json = arg.substr(7);
    } else if (arg == "-M" || arg == "-MM") {
      o.only_dependencies = true;
      o.system_dependencies = arg == "-M";
    } else if (arg == "-MD" || arg == "-MMD" || arg == "--generate-dependencies-with-compile") {
      o.dependencies = true;
      o.system_dependencies = arg != "-MMD";
    } else if (arg == "-MP") {
      o.preprocess.push_back(arg);
    } else if (arg == "-run" || arg == "--run") {
      o.run = true;
    } else if (arg == "-expt-relaxed-constexpr" || arg == "--expt-relaxed-constexpr") {
      o.relaxed_constexpr = true;
    } else if (arg == "-extended-lambda" || arg == "--extended-lambda" ||
               arg == "-expt-extended-lambda" || arg == "--expt-extended-lambda") {
      o.extended_lambda = true;
    } else if (arg == "--no-split") {
      o.split = false;
    } else if (arg == "-v" || arg == "--verbose") {
      o.verbose = true;
    } else if (arg == "--dry-run" || arg == "--dryrun" || arg == "-dryrun") {
      o.dry_run = true;
    } else if (arg == "--reuse") {
      o.reuse = true;
    } else if (arg == "--keep" || arg == "-keep" || arg == "--save-temps" || arg == "-save-temps") {
      o.keep = true;
    } else if (arg == "-h" || arg == "--help") {
      o.help = true;
    } else if (arg == "--version" || arg == "-V") {
      o.version = true;
    } else if (arg == "-w" || arg == "-pthread" || arg == "-pg" || arg == "-s") {
      (arg == "-s" ? o.link : o.compile).push_back(arg);
    } else {
      return false;
    }
    return true;
  }

  // The value of `name`, if `arg` is that option: "-o x", "-ox" (short ones), "--name=x".
  bool value_of(const std::string& arg, const char* name, std::string& value, bool joined = false) {
    const std::string key = name;
    if (arg == key) {
      if (at_ == args_.size()) throw UsageError("option '" + arg + "' needs a value");
      value = args_[at_++];
      return true;
    }
    if (starts(arg, (key + "=").c_str())) {
      value = arg.substr(key.size() + 1);
      return true;
    }
    if (joined && starts(arg, name)) {
      value = arg.substr(key.size());
      return true;
    }
    return false;
  }

  bool with_value(const std::string& arg) {
    Options& o = options_;
    std::string value;
    const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& what) {
      to.insert(to.end(), what.begin(), what.end());
    };
    if (value_of(arg, "-o", value) || value_of(arg, "--output-file", value)) {
      o.output = value;
    } else if (value_of(arg, "-isystem", value) || value_of(arg, "--system-include", value)) {
      add(o.preprocess, {"-isystem", value});
    } else if (value_of(arg, "-include", value) || value_of(arg, "--pre-include", value)) {
      add(o.preprocess, {"-include", value});
    } else if (value_of(arg, "-iquote", value)) {
      add(o.preprocess, {"-iquote", value});
    } else if (value_of(arg, "--include-path", value) || value_of(arg, "-I", value, true)) {
      add(o.preprocess, {"-I", value});
    } else if (value_of(arg, "--define-macro", value) || value_of(arg, "-D", value, true)) {
      add(o.preprocess, {"-D", value});
    } else if (value_of(arg, "--undefine-macro", value) || value_of(arg, "-U", value, true)) {
      add(o.preprocess, {"-U", value});
    } else if (value_of(arg, "-std", value) || value_of(arg, "--std", value)) {
      o.standard = value;
    } else if (value_of(arg, "-rdc", value) || value_of(arg, "--relocatable-device-code", value)) {
      o.linked = value == "true";
    } else if (value_of(arg, "-ccbin", value) || value_of(arg, "--compiler-bindir", value)) {
      o.compiler = value;
    } else if (value_of(arg, "-Xcompiler", value) || value_of(arg, "--compiler-options", value)) {
      add(o.compile, items_of(value, ", "));  // people write -Xcompiler "-O3 -Wall"
    } else if (value_of(arg, "-Xlinker", value) || value_of(arg, "--linker-options", value)) {
      for (const std::string& part : items_of(value)) add(o.link, {"-Xlinker", part});
    } else if (value_of(arg, "-x", value) || value_of(arg, "--x", value)) {
      if (value != "cu" && value != "c++" && value != "c") {
        throw UsageError("unknown language '" + value + "' after -x; it may be cu, c++ or c");
      }
      o.all_cuda = value == "cu";
    } else if (value_of(arg, "--library-path", value) || value_of(arg, "-L", value, true)) {
      o.link.push_back("-L" + value);
    } else if (value_of(arg, "--library", value)) {
      library(value);
    } else if (starts(arg, "-l") && !starts(arg, "-lineinfo") && arg.size() > 2) {
      library(arg.substr(2));
    } else if (arg == "-l" && value_of(arg, "-l", value)) {
      library(value);
    } else if (value_of(arg, "--timeout", value)) {
      o.timeout = seconds(value);
    } else if (value_of(arg, "-Xarch_host", value)) {
      o.compile.push_back(value);
    } else if (value_of(arg, "-odir", value) || value_of(arg, "--output-directory", value)) {
      o.output_folder = value;
    } else if (value_of(arg, "-MF", value) || value_of(arg, "--dependency-output", value)) {
      o.dependency_file = value;
    } else if (value_of(arg, "-MT", value) || value_of(arg, "-MQ", value)) {
      o.dependency_targets.push_back(value);
    } else if (arg == "-O" && (at_ == args_.size() || !std::isdigit(args_[at_][0]))) {
      o.compile.push_back(arg);
      o.optimised = true;
    } else if (value_of(arg, "--optimize", value) || value_of(arg, "-O", value, arg.size() > 2)) {
      o.compile.push_back("-O" + value);
      o.optimised = true;
    } else {
      return false;
    }
    return true;
  }

  void library(std::string name) {
    if (has_suffix(name, "_static")) name.resize(name.size() - 7);
    if (name == "cublas" || name == "cublasLt") {
      options_.cublas = true;
      return;
    }
    if (std::find(own_libraries.begin(), own_libraries.end(), name) == own_libraries.end()) {
      options_.inputs.push_back("-l" + name);
    }
  }

  bool ignored(const std::string& arg) {
    for (const char* flag : ignored_flags) {
      if (arg == flag) return true;
    }
    std::string value;
    if (arg == "-Werror" || arg == "--Werror") return warning_kinds();
    for (const char* name : ignored_values) {
      // nvcc takes "-arch sm_90" and "-arch=sm_90" alike.
      if (value_of(arg, name, value)) return true;
    }
    return false;
  }

  // `-Werror` with one of nvcc's kinds of warnings after it is nvcc's, alone the host compiler's.
  bool warning_kinds() {
    if (at_ == args_.size()) return false;
    const std::string& next = args_[at_];
    for (const char* kind :
         {"all-warnings", "cross-execution-space-call", "reorder", "default-stream-launch",
          "missing-launch-bounds", "ext-lambda-captures-this", "deprecated-declarations"}) {
      if (next.rfind(kind, 0) == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  // What nvcc makes of device code alone.
  void refuse_device_code(const std::string& arg) {
    static const std::array kinds = {"-ptx",     "--ptx",     "-cubin",     "--cubin", "-fatbin",
                                     "--fatbin", "-optix-ir", "--optix-ir", "-ltoir"};
    if (std::find(kinds.begin(), kinds.end(), arg) != kinds.end()) {
      throw UsageError("'" + arg + "' makes code for a GPU, which this CPU has no use for; " +
                       "--translate shows the C++ that is compiled");
    }
  }

  // Options that the C++ compiler understands as they are.
  bool passed_on(const std::string& arg) {
    if (starts(arg, "-g")) {
      options_.debug = true;
      options_.compile.push_back(arg);
    } else if (starts(arg, "-Wl,") || arg == "-rdynamic" || starts(arg, "-static-lib")) {
      options_.link.push_back(arg);
    } else if (starts(arg, "-f") || starts(arg, "-m") || starts(arg, "-W") ||
               starts(arg, "-pedantic")) {
      options_.compile.push_back(arg);
    } else {
      return false;
    }
    return true;
  }

  std::vector<std::string> args_;
  std::size_t at_ = 0;
  Options options_;
};

}  // namespace

Options parse_options(const std::vector<std::string>& args) {
  return Parser(args).run();
}

}  // namespace simt::cc
