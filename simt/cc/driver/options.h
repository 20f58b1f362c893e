#pragma once

// The command line of warpath-cc, which follows nvcc's.

#include <stdexcept>
#include <string>
#include <vector>

namespace simt::cc {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Stage { preprocess, list, translate, compile, link, device_link, archive };

struct Options {
  std::vector<std::string> inputs;  // sources, objects and libraries, in order, with -l
  std::string output;
  std::string output_folder;  // -odir: of objects that have no name
  bool run = false;           // --run: the program, when it is linked
  Stage stage = Stage::link;
  std::vector<std::string> preprocess;  // -I -D -U -isystem -include
  std::vector<std::string> compile;     // -O -g -f -m -W and what -Xcompiler brings
  std::vector<std::string> link;        // -L -Xlinker -shared
  std::string standard;
  std::string compiler;
  bool shared = false;
  bool cublas = false;             // -lcublas was given
  bool linked = false;             // -rdc=true, -dc: device variables may be other files'
  bool all_cuda = false;           // -x cu: every source is CUDA
  bool relaxed_constexpr = false;  // --expt-relaxed-constexpr
  bool extended_lambda = false;    // --extended-lambda
  bool optimised = false;          // an -O was given
  bool debug = false;              // -g
  bool split = true;               // --no-split: kernels with barriers keep their fibers
  bool device_debug = false;       // -G: nothing is optimised, so that every variable can be seen
  bool dependencies = false;       // -MD, -MMD: beside the output
  bool only_dependencies = false;  // -M, -MM: instead of it
  bool system_dependencies = true;
  std::string dependency_file;
  std::vector<std::string> dependency_targets;
  bool open_debugger = false;  // --debug: with --check, where something is found
  std::string timeout;         // --timeout: seconds a kernel may run
  bool check = false;          // --check
  bool xray = false;           // --xray: the program counts its accesses
  std::string checks;          // which ones; empty: all
  std::string json;            // --json: the file a checked program writes its findings to
  bool keep = false;
  bool reuse = false;  // --reuse: an object whose translated text has not changed stays as it is
  bool verbose = false;
  bool dry_run = false;
  bool help = false;
  bool version = false;
};

// Throws UsageError with one line that names what is wrong.
Options parse_options(const std::vector<std::string>& args);

extern const char* const help_text;

bool has_suffix(const std::string& text, const std::string& suffix);
bool is_cuda_source(const std::string& path);
bool is_c_source(const std::string& path);
bool is_source(const std::string& path);

}  // namespace simt::cc
