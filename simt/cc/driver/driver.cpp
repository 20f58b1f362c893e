#include "driver/driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "driver/cccl.h"
#include "driver/compiler.h"
#include "driver/fingerprint.h"
#include "driver/inputs.h"
#include "driver/prelude.h"
#include "driver/process.h"
#include "driver/startup.h"
#include "messages/diagnostics.h"
#include "messages/lacking_cub.h"
#include "messages/linker.h"
#include "split/split.h"
#include "translate/list_kernels.h"
#include "translate/translate.h"
#include "translate/two_sides.h"

namespace simt::cc {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

void append(Command& to, const Command& what) {
  to.insert(to.end(), what.begin(), what.end());
}

class Driver {
 public:
  explicit Driver(const Options& options)
      : o_(options),
        simt_(find_installation()),
        preprocess_(options.preprocess),
        compiler_(find_compiler(options)) {
    cccl_ = find_cccl(take_toolkit_folders(preprocess_));
  }

  int run() {
    if (const int status = check_inputs(); status != 0) return status;
    Command linked;
    for (const std::string& input : o_.inputs) {
      if (!is_source(input) && !o_.all_cuda) {
        linked.push_back(input);
        continue;
      }
      if (input.rfind("-l", 0) == 0 || has_suffix(input, ".o") || has_suffix(input, ".a") ||
          has_suffix(input, library_file(""))) {
        linked.push_back(input);
        continue;
      }
      const int status = source(input, linked);
      if (status != 0) return status;
    }
    if (o_.only_dependencies) return 0;
    if (o_.stage == Stage::device_link) return empty_object();
    if (o_.stage == Stage::archive) return archive(linked);
    if (o_.stage != Stage::link) return 0;
    const int status = link(linked);
    return status == 0 && o_.run ? execute({program()}) : status;
  }

 private:
  int check_inputs() {
    std::size_t sources = 0;
    for (const std::string& input : o_.inputs) {
      if (input.rfind("-l", 0) == 0) continue;
      const std::string problem = problem_of_input(input, is_source(input));
      if (!problem.empty()) return refuse(problem);
      sources += is_source(input) || o_.all_cuda;
    }
    if (o_.inputs.empty()) {
      std::fprintf(stderr, "warpath cc: no input files; see --help\n");
      return 2;
    }
    const bool one_result = o_.stage == Stage::compile || o_.stage == Stage::preprocess ||
                            o_.stage == Stage::list || o_.stage == Stage::translate;
    if (one_result && !o_.output.empty() && sources > 1) {
      std::fprintf(stderr, "warpath cc: -o cannot name the results of %zu sources\n", sources);
      return 2;
    }
    // clang's thread sanitizer reports other accesses, and it has no zones around variables.
    if (watched() && compiler_.clang && o_.stage != Stage::list) {
      return refuse(std::string(o_.check ? "--check" : "--xray") +
                    " needs g++, and the compiler is '" + compiler_.command +
                    "': set CXX=g++, or -ccbin g++");
    }
    const std::string problem = problem_of_output(o_.output);
    return problem.empty() ? 0 : refuse(problem);
  }

  static int refuse(const std::string& problem) {
    std::fprintf(stderr, "warpath cc: %s\n", problem.c_str());
    return 2;
  }

  int execute(const Command& command, std::string* messages = nullptr) {
    if (o_.verbose || o_.dry_run) std::fprintf(stderr, "%s\n", quoted(command).c_str());
    if (o_.dry_run) return 0;
    const int status = simt::cc::run(command, messages);
    if (status == 127) {
      std::fprintf(stderr, "warpath cc: cannot run the C++ compiler '%s'; set CXX or -ccbin\n",
                   command[0].c_str());
    }
    return status;
  }

  std::string object_name(const std::string& input) {
    if (o_.stage == Stage::compile) {
      if (!o_.output.empty()) return o_.output;
      return fs::path(o_.output_folder) / (fs::path(input).stem().string() + ".o");
    }
    const std::string object = temporary_file(fs::path(input).stem().string(), ".o");
    sources_[object] = input;
    return object;
  }

  // nvcc's default and the least the headers need is C++17.
  std::string standard() const {
    if (o_.standard.empty()) return "";
    for (const char* old : {"c++03", "c++98", "c++11", "c++14", "gnu++98", "gnu++11", "gnu++14"}) {
      if (o_.standard == old) return "-std=gnu++17";
    }
    return "-std=" + o_.standard;
  }

  // Every access calls back: to be checked, or to be counted.
  bool watched() const { return o_.check || o_.xray; }

  bool for_debugger() const { return o_.debug || o_.device_debug || o_.open_debugger; }

  bool cpp20() const {
    const auto year = o_.standard.find("++");
    return year != o_.standard.npos && o_.standard.compare(year + 2, 1, "2") == 0;
  }

  Command compile_flags() const {
    Command flags;
    if (!o_.optimised) flags.push_back(o_.device_debug ? "-O0" : o_.debug ? "-Og" : "-O2");
    // Line tables alone are cheap, and let a fault name its source line.
    // GNU's addr2line and ld do not read clang's line tables of DWARF 5.
    if (compiler_.clang) flags.push_back("-gdwarf-4");
    flags.push_back(o_.debug ? "-g" : "-g1");
    // CUDA code casts between element and vector types freely, and a GPU does not contract
    // a*b+c behind the program's back across what the CPU's compiler might.
    append(flags,
           {"-fno-strict-aliasing", "-ffp-contract=off", "-Wno-unknown-pragmas", "-Wno-psabi"});
    // GCC makes one of functions that come out alike, and with that their lines are lost. And it
    // puts a trap where it can tell that a null pointer is used or zero divided by: the fault says
    // more.
    if (!compiler_.clang) {
      append(flags, {"-fno-ipa-icf", "-fno-isolate-erroneous-paths-dereference"});
    } else {
      // A loop of nothing but barriers never ends, and does so by intention; without this clang takes it for unreachable.
      flags.push_back("-fno-finite-loops");
    }
#ifndef __APPLE__
    flags.push_back("-fstack-clash-protection");  // a big frame cannot jump over the guard page
#endif
    // The program runs where it is built: fma(), __popc(), rint() and the like are one instruction.
#ifdef __aarch64__
    if (!watched()) flags.push_back("-mcpu=native");
#else
    if (!watched()) flags.push_back("-march=native");
#endif
    // A misaligned access ends a kernel (runtime/faults/fault.cpp).
    if (!watched()) flags.push_back("-fsanitize=alignment");
    if (o_.shared) flags.push_back("-fPIC");
    append(flags, o_.compile);
    if (o_.check) append(flags, check_flags());
    if (o_.xray) append(flags, xray_flags());
    if (o_.check && o_.open_debugger) flags.push_back("-Og");
    // Where a variable is at each instruction: only a debugger asks, and it is a third of GCC's
    // time.
    if (watched() && !o_.open_debugger && !o_.debug)
      append(flags, {"-fno-var-tracking", "-fno-var-tracking-assignments"});
    return flags;
  }

  // Every access to memory calls simt's own callbacks (simt/check), which take the sanitizers'
  // places. Vectorised loops would hide which thread touches what. -O1 is kept, because it compiles
  // faster; every other level becomes -O2.
  Command check_flags() const {
    const bool quick = std::find(o_.compile.begin(), o_.compile.end(), "-O1") != o_.compile.end();
    return {quick ? "-O1" : "-O2",
            "-g",
            "-fno-tree-vectorize",
            "-fsanitize=thread",
            "-fsanitize=bounds",
            "-fsanitize=object-size",
            "-fno-toplevel-reorder",  // keeps the zones around device variables in their place
            "--param=tsan-distinguish-volatile=1",
            "--param=tsan-instrument-func-entry-exit=0",
            "--param=sra-max-scalarization-size-Ospeed=0",  // a copy of a struct is one access, not
            "--param=sra-max-scalarization-size-Osize=0",   // one of each member and of the padding
            "-fsanitize=alignment",
            "-fno-ipa-icf",       // a function is its own, not one like it
            "-fno-crossjumping",  // and so is an access
            "-fno-tree-tail-merge",
            "-fno-optimize-sibling-calls",  // a callback returns to the access it is about
            "-Wno-tsan"};
  }

  // The same callbacks, of simt/xray. Blocks of code stay in the source's order, by which the lanes of a warp are put
  // together, and are not doubled. Structs are not taken apart: a float4 is one access of 16 bytes.
  Command xray_flags() const {
    return {"-O2",
            "-g",
            "-fno-tree-vectorize",
            "-fno-tree-sra",
            "-fno-tree-loop-distribute-patterns",
            "-fno-reorder-blocks",
            "-fno-reorder-blocks-and-partition",
            "-fno-thread-jumps",
            "-fno-split-loops",
            "-fno-unswitch-loops",
            "-fsanitize=thread",
            "-fsanitize-coverage=trace-pc",  // where lanes part and meet
            "-fno-toplevel-reorder",
            "--param=tsan-instrument-func-entry-exit=0",
            "-fno-ipa-icf",
            "-fno-optimize-sibling-calls",
            "-Wno-tsan"};
  }

  Command dependency_flags(const std::string& input, const std::string& object) const {
    Command flags;
    if (!o_.dependencies && !o_.only_dependencies) return flags;
    if (o_.only_dependencies) {
      flags.push_back(o_.system_dependencies ? "-M" : "-MM");
      if (!o_.output.empty() && o_.dependency_file.empty()) append(flags, {"-MF", o_.output});
    } else {
      flags.push_back(o_.system_dependencies ? "-MD" : "-MMD");
    }
    const bool named = o_.stage == Stage::compile && !o_.only_dependencies;
    const std::string base = named ? object : fs::path(input).stem().string();
    if (!o_.dependency_file.empty()) {
      append(flags, {"-MF", o_.dependency_file});
    } else if (!o_.only_dependencies) {
      append(flags, {"-MF", fs::path(base).replace_extension(".d").string()});
    }
    if (o_.dependency_targets.empty()) {
      append(flags, {"-MT", named ? object : base + ".o"});
    }
    for (const std::string& target : o_.dependency_targets) append(flags, {"-MT", target});
    return flags;
  }

  Command preprocessor(const std::string& input, bool cuda) const {
    Command command = {compiler_.command};
    const bool c = !cuda && is_c_source(input) && !includes_ours(input);
    if (const std::string chosen = standard(); !c && !chosen.empty()) command.push_back(chosen);
    // In front of the files of -include, which may have kernels in them.
    if (cuda) append(command, {"-include", "cuda_runtime.h"});
    append(command, preprocess_);
    append(command, {"-isystem", simt_.include});
    if (cccl_.empty()) {
      append(command, {"-isystem", simt_.include + "/without_cccl"});
    } else {
      append(command, {"-isystem", simt_.include + "/with_cccl", "-isystem", cccl_});
    }
    if (cuda) {
      // As nvcc says it for sm_90a: wgmma, setmaxnreg and changes of tensor maps are there.
      append(command, {"-D__CUDACC__", "-D__NVCC__", "-D__CUDA_ARCH__=900",
                       "-D__CUDA_ARCH_FEAT_SM90_ALL", "-D__SIMT_TRANSLATE__"});
      if (watched()) command.push_back("-D__SIMT_CHECK__");
      if (o_.xray) command.push_back("-D__SIMT_XRAY__");
    }
    if (cuda || c) append(command, {"-x", c ? "c" : "c++"});
    command.push_back(input);
    return command;
  }

  // Whether a C source reaches one of simt's headers: they are C++, so it is compiled as that.
  bool includes_ours(const std::string& input) const {
    Command command = {compiler_.command};
    append(command, preprocess_);
    append(command, {"-isystem", simt_.include, "-x", "c", "-M", "-MF", "/dev/stderr", input});
    std::string headers;
    simt::cc::run(command, &headers);  // what is wrong with the source is said when it is compiled
    if (headers.find(simt_.include + "/") == std::string::npos) return false;
    std::fprintf(stderr,
                 "warpath cc: warning: %s includes CUDA's headers, which are C++ here, so it is "
                 "compiled as C++; functions that C calls need extern \"C\"\n",
                 input.c_str());
    return true;
  }

  int source(const std::string& input, Command& linked) {
    const bool cuda = o_.all_cuda || is_cuda_source(input);
    if (o_.only_dependencies) {
      Command command = preprocessor(input, cuda);
      append(command, dependency_flags(input, ""));
      return execute(command);
    }
    if (o_.stage == Stage::preprocess) {
      Command command = preprocessor(input, cuda);
      append(command, {"-E"});
      if (!o_.output.empty()) append(command, {"-o", o_.output});
      return execute(command);
    }
    const bool text_only = o_.stage == Stage::translate || o_.stage == Stage::list;
    const std::string object = text_only ? "" : object_name(input);
    if (!object.empty()) linked.push_back(object);
    return cuda ? cuda_source(input, object) : plain_source(input, object);
  }

  int plain_source(const std::string& input, const std::string& object) {
    Command command = preprocessor(input, false);
    append(command, compile_flags());
    append(command, dependency_flags(input, object));
    append(command, {"-c", "-o", object});
    return execute(command);
  }

  int cuda_source(const std::string& input, const std::string& object) {
    const std::string stem = fs::path(input).stem().string();
    const std::string before = temporary_file(stem, ".cu.ii");
    const std::string after = o_.keep ? stem + ".simt.ii" : temporary_file(stem, ".simt.ii");
    if (const int status = preprocess(input, object, before); status != 0 || o_.dry_run) {
      return status;
    }
    const std::string preprocessed = preprocessed_text(before);
    if (o_.stage == Stage::list) {
      write_file(o_.output.empty() ? "-" : o_.output, list_kernels(preprocessed));
      return 0;
    }
    if (const std::string joined = with_host_side(input, preprocessed); !joined.empty()) {
      std::string messages;
      const int status = compile_text(joined, after, object, messages);
      if (status == 0 || o_.stage == Stage::translate) return say(messages, status);
      std::string device_messages;
      const int device_alone = compile_text(preprocessed, after, object, device_messages);
      if (device_alone != 0) return say(messages, status);
      std::fprintf(stderr,
                   "warpath cc: warning: the host's side of __CUDA_ARCH__ does not compile, so the "
                   "host calls the device's side; without it:\n");
      return say(messages + device_messages, 0);
    }
    std::string messages;
    const int status = compile_text(preprocessed, after, object, messages);
    return say(messages, status);
  }

  static int say(const std::string& messages, int status) {
    std::fputs(messages.c_str(), stderr);
    return status;
  }

  std::string preprocessed_text(const std::string& file) const {
    return compiler_.clang ? with_plain_names(read_file(file)) : read_file(file);
  }

  // The text with the bodies of the host where `#ifdef __CUDA_ARCH__` makes them differ from the
  // device's (translate/two_sides.h); empty if there are none.
  std::string with_host_side(const std::string& input, const std::string& preprocessed) {
    if (!mentions_arch(preprocessed)) return "";
    const std::string file = temporary_file(fs::path(input).stem().string(), ".host.ii");
    Command command = preprocessor(input, true);
    append(command, compile_flags());
    append(command, {"-U__CUDA_ARCH__", "-DSIMT_HOST_SIDE", "-E", "-o", file});
    std::string messages;
    if (execute(command, &messages) != 0) return "";
    std::string joined = join_sides(preprocessed, preprocessed_text(file));
    return joined == preprocessed ? "" : joined;
  }

  // Translates and compiles; the messages are told at the user's lines.
  int compile_text(const std::string& preprocessed, const std::string& after,
                   const std::string& object, std::string& told) {
    std::string messages;
    const int status = translate_and_compile(preprocessed, after, object, messages);
    told += status == 0 || cccl_.empty() ? messages : without_cub(preprocessed, messages);
    return status;
  }

  // One error for each header of CUB's that is not here, instead of those inside it.
  std::string without_cub(const std::string& preprocessed, const std::string& messages) const {
    const SourceMap map("", "", {});
    std::string text;
    for (const CubHeader& header : failing_cub(preprocessed, messages, cccl_, simt_.include))
      text += Diagnostics(map, simt_.include)
                  .message(header.included_at, "error",
                           "<" + header.name +
                               "> is CCCL's own and needs nvcc; simt has cub/cub.cuh and the "
                               "classes of CUB's block, warp, thread and device folders");
    return text.empty() ? messages : text;
  }

  int translate_and_compile(const std::string& preprocessed, const std::string& after,
                            const std::string& object, std::string& told) {
    const spaces::Options rules = space_options(preprocessed);
    const Translation translation =
        translate(preprocessed, o_.linked, watched(), cpp20(), &rules, for_debugger(), o_.xray);
    const SourceMap map(preprocessed, translation.text, translation.pieces);
    const Diagnostics diagnostics(map, simt_.include);
    told += messages_of(translation.warnings, "warning", map, diagnostics);
    told += messages_of(translation.errors, "error", map, diagnostics);
    if (!translation.errors.empty()) return 1;
    const std::string with_loops = split_text(preprocessed);
    const std::string& text = with_loops.empty() ? translation.text : with_loops;
    if (o_.stage == Stage::translate) {
      write_file(o_.output.empty() ? "-" : o_.output, text);
      return 0;
    }
    std::string messages;
    int status = compile_translated(text, after, object, messages);
    // Whatever is wrong with the source is said of the source; and should loops be the trouble,
    // fibers are not.
    if (status != 0 && !with_loops.empty()) {
      if (o_.verbose) std::fprintf(stderr, "warpath cc: once more, without loops\n");
      messages.clear();
      status = compile_translated(translation.text, after, object, messages);
    }
    told += diagnostics.rewrite(messages);
    return status;
  }

  static std::string messages_of(const std::vector<Finding>& findings, const char* kind,
                                 const SourceMap& map, const Diagnostics& diagnostics) {
    std::string text;
    for (const Finding& finding : findings)
      text += diagnostics.message(map.of_offset(finding.offset), kind, finding.what);
    return text;
  }

  spaces::Options space_options(std::string_view preprocessed) const {
    spaces::Options rules;
    rules.linked = o_.linked;
    rules.relaxed_constexpr = o_.relaxed_constexpr;
    rules.extended_lambda = o_.extended_lambda;
    rules.cpp20 = cpp20();
    for (const std::string& file : spaces::own_files(preprocessed)) {
      if (!fs::exists(file)) continue;  // a name that #line made up
      const std::string text = read_file(file);
      rules.asks_for_arch = rules.asks_for_arch || text.find("__CUDA_ARCH__") != text.npos ||
                            text.find("NV_IF_") != text.npos ||
                            text.find("NV_DISPATCH_TARGET") != text.npos;
    }
    return rules;
  }

  // The translation in which kernels with barriers are loops over their threads; empty if there are
  // no such kernels. A program for the debugger keeps a fiber for each thread.
  std::string split_text(const std::string& preprocessed) const {
    if (!o_.split || o_.xray || for_debugger()) return "";
    const SplitText split = split_kernels(preprocessed, o_.check);
    for (const SplitKernel& kernel : split.kernels) {
      if (!o_.verbose) break;
      const std::string why = kernel.why_not.empty() ? "loops over its threads" : kernel.why_not;
      std::fprintf(stderr, "warpath cc: kernel %s: %s%s\n", kernel.name.c_str(),
                   kernel.why_not.empty() ? "" : "fibers: ", why.c_str());
    }
    if (!split.changed) return "";
    Translation translation = translate(split.text, o_.linked, o_.check, cpp20());
    return translation.errors.empty() ? std::move(translation.text) : "";
  }

  int compile_translated(const std::string& text, const std::string& file,
                         const std::string& object, std::string& messages) {
    Command command = {compiler_.command};
    if (const std::string chosen = standard(); !chosen.empty()) command.push_back(chosen);
    append(command, compile_flags());
    append(command, diagnostic_options(compiler_.clang));
    append(command, {"-x", "c++-cpp-output", "-c"});
    const std::string key = o_.reuse ? fingerprint(quoted(command) + "\n" + text) : "";
    const std::string key_file = object + ".key";
    if (o_.reuse && fs::exists(object) && fs::exists(key_file) && read_file(key_file) == key)
      return 0;
    // What is kept for a person to read is whole; only GCC's precompiled headers are known to work for preprocessed text.
    const bool whole = compiler_.clang || o_.keep;
    std::string compiled =
        whole ? text : with_precompiled_prelude(text, command, simt_.include, simt_.library);
    write_file(file, compiled + startup_code(o_));
    append(command, {file, "-o", object});
    int status = execute(command, &messages);
    if (status != 0 && prelude_was_refused(compiled, messages)) {
      messages.clear();
      write_file(file, text + startup_code(o_));
      status = execute(command, &messages);
    }
    // Warnings must be said again the next time, so an object that has some is not reused.
    if (o_.reuse && status == 0 && messages.empty())
      write_file(key_file, key);
    else if (o_.reuse)
      fs::remove(key_file);
    return status;
  }

  int preprocess(const std::string& input, const std::string& object, const std::string& to) {
    Command command = preprocessor(input, true);
    append(command, compile_flags());  // some of them define macros
    append(command, dependency_flags(input, object));
    append(command, diagnostic_options(compiler_.clang));
    append(command, {"-E", "-o", to});
    std::string messages;
    const int status = execute(command, &messages);
    const SourceMap map("", "", {});
    std::fputs(Diagnostics(map, simt_.include).rewrite(messages).c_str(), stderr);
    if (status != 0 && cccl_.empty()) {
      const std::string hint = missing_cccl_hint(read_file(input));
      if (!hint.empty()) std::fprintf(stderr, "warpath cc: %s\n", hint.c_str());
    }
    return status;
  }

  // Device code needs no linking of its own: what the host's linker is to take is empty.
  int empty_object() {
    const std::string output = o_.output.empty() ? "a_dlink.o" : o_.output;
    return execute({compiler_.command, "-x", "c++", "-c", "/dev/null", "-o", output});
  }

  int archive(const Command& objects) {
    Command command = {"ar", "rcs", o_.output.empty() ? "a.a" : o_.output};
    append(command, objects);
    return execute(command);
  }

  std::string program() const {
    const fs::path output = o_.output.empty() ? "a.out" : o_.output;
    return output.has_parent_path() ? output.string() : "./" + output.string();
  }

  int link(const Command& linked) {
    Command command = {compiler_.command};
    if (o_.shared) command.push_back("-shared");
    append(command, o_.compile);
    append(command, linked);
    append(command, o_.link);
    command.push_back("-L" + simt_.library);
    // Built only where there is OpenBLAS; linked also without -lcublas, if it is needed.
    const bool has_cublas = fs::exists(simt_.library + "/" + library_file("libsimt_cublas"));
    if (has_cublas) {
#ifdef __APPLE__
      if (o_.cublas) command.push_back("-lsimt_cublas");
#else
      append(command, {"-Wl,--push-state,--as-needed", "-lsimt_cublas", "-Wl,--pop-state"});
#endif
    } else if (o_.cublas) {
      std::fputs(no_cublas, stderr);
      return 1;
    }
    if (o_.check) {
      // Kept though a program without kernels names nothing of it.
      append(command, {"-Wl,--no-as-needed", "-lsimt_check", "-Wl,--as-needed"});
      // malloc, free, new and delete in a kernel are the device's: see check/device_heap.cpp.
      for (const char* name :
           {"malloc", "free", "_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
            "_ZdlPv", "_ZdlPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPv",
            "_ZdaPvm", "_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t"}) {
        command.push_back(std::string("-Wl,--wrap=") + name);
      }
    }
    if (o_.xray) append(command, {"-Wl,--no-as-needed", "-lsimt_xray", "-Wl,--as-needed"});
    append(command, {"-lsimt", "-Wl,-rpath," + simt_.library, "-o",
                     o_.output.empty() ? "a.out" : o_.output});
    std::string messages;
    const int status = execute(command, &messages);
    const std::string text = readable_link_messages(messages, sources_, fs::current_path());
    std::fputs(text.c_str(), stderr);
    if (!has_cublas && text.find("undefined reference to 'cublas") != text.npos)
      std::fputs(no_cublas, stderr);
    return status;
  }

  static constexpr const char* no_cublas =
      "warpath cc: cuBLAS is built where OpenBLAS is installed, and is not here. ./warpath cc "
      "installs it for a program that names cuBLAS; by hand: libopenblas-dev, then build simt "
      "again\n";

  const Options& o_;
  Installation simt_;
  Command preprocess_;  // -I, -D and so on, without a CUDA toolkit's folders
  std::string cccl_;    // its folder; empty: not installed
  Compiler compiler_;
  std::map<std::string, std::string> sources_;  // of temporary objects
};

}  // namespace

int drive(const Options& options) {
  return Driver(options).run();
}

}  // namespace simt::cc
