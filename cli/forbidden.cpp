#include "cli/forbidden.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/source_text.h"

namespace warpath::cli {
namespace {

std::size_t line_of(const std::string& text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}

struct Names {
  std::vector<const char*> names;
  const char* why;
};

// What is called, or named with std:: before it.
const std::vector<Names>& forbidden_names() {
  static const std::vector<Names> all = {
      {{"cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority",
        "cudaLaunchHostFunc", "cudaStreamAddCallback", "cudaStreamBeginCapture", "cudaGraphLaunch"},
       "puts work on another stream, where the clock does not see it"},
      {{"thread", "jthread", "async", "pthread_create", "fork", "vfork", "clone"},
       "starts a thread or a process: the work belongs into the kernel"},
      {{"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc",
        "cudaHostRegister", "malloc", "calloc", "new", "mmap", "shm_open"},
       "allocates memory, in which results of an earlier launch could be kept; scratch memory is "
       "handed in"},
      {{"cudaEventRecord", "cudaEventCreate", "cudaEventElapsedTime", "clock_gettime",
        "gettimeofday", "cudaProfilerStart", "steady_clock", "system_clock",
        "high_resolution_clock", "usleep", "nanosleep", "sleep"},
       "looks at the clock"},
      {{"dlopen", "dlsym", "dlvsym", "dl_iterate_phdr", "reference", "warpath_library",
        "simt_pause_checks", "simt_check_forget", "simt_check_take_findings", "simt_keep_reports"},
       "looks for the reference or for the program that checks it"},
      {{"ptrace", "process_vm_readv", "process_vm_writev", "mprotect", "kill", "raise", "signal",
        "sigaction", "setitimer", "alarm", "exit", "_exit", "quick_exit", "abort", "atexit",
        "longjmp", "syscall", "prctl"},
       "tampers with the process that runs it"},
      {{"system", "popen", "execl", "execv", "execvp", "fopen", "open", "ifstream", "ofstream",
        "fstream", "getenv", "setenv", "putenv", "socket"},
       "reaches outside: files, the environment, other programs"},
  };
  return all;
}

bool is_used(const std::string& code, const std::string& name, std::size_t at) {
  if (name == "new") return true;
  if (at >= 2 && code.compare(at - 2, 2, "::") == 0) return true;
  const std::size_t next = code.find_first_not_of(" \n", at + name.size());
  return next != code.npos && (code[next] == '(' || code[next] == '<' || code[next] == '{');
}

// Its first use; npos: none.
std::size_t find_use(const std::string& code, const std::string& name) {
  std::size_t at = find_word(code, name, 0);
  while (at != code.npos && !is_used(code, name, at)) at = find_word(code, name, at + 1);
  return at;
}

const std::set<std::string>& allowed_headers() {
  static const std::set<std::string> all = {
      "algorithm",   "array",   "bit",     "cassert", "cfloat",   "climits", "cmath",
      "concepts",    "cstddef", "cstdint", "cstring", "limits",   "numbers", "numeric",
      "type_traits", "utility", "mma.h",   "math.h",  "stdint.h", "float.h"};
  return all;
}

bool is_cuda_header(const std::string& name) {
  return name.starts_with("cuda") || name.starts_with("cooperative_groups") ||
         name.starts_with("device_") || name.starts_with("vector_");
}

std::string about_include(const std::string& name, const std::set<std::string>& ours) {
  for (const char* vendor : {"cublas", "cudnn", "cusparse", "cusolver", "cufft", "cub/", "thrust/",
                             "cutlass", "cute/", "nvrtc"})
    if (name.starts_with(vendor))
      return "takes the vendor's library, and the task is to write the kernel";
  if (ours.count(name) || allowed_headers().count(name) || is_cuda_header(name) ||
      name.starts_with("core/thread/") || name.starts_with("core/warp/") ||
      name.starts_with("core/block/") || name.starts_with("core/ptx/") ||
      name.starts_with("core/cluster/") || name.starts_with("core/hopper/"))
    return "";
  if (name.ends_with(".cu")) return "takes another rung, and the task is to write this one";
  if (name.starts_with("ops/")) return "takes kernels of ours that this exercise does not give";
  return "takes a header that no kernel needs";
}

// A variable that outlives a launch: static, thread_local, or in device memory.
void find_lasting_variables(const std::string& source, const std::string& code,
                            std::vector<std::string>& found) {
  for (const char* word : {"static", "thread_local", "__device__", "__managed__"}) {
    for (std::size_t at = find_word(code, word, 0); at != code.npos;
         at = find_word(code, word, at + 1)) {
      const std::size_t end = code.find_first_of("(;={", at);
      if (end == code.npos || code[end] == '(') continue;  // a function
      const std::string declared = code.substr(at, end - at);
      if (find_word(declared, "constexpr", 0) != declared.npos ||
          find_word(declared, "const", 0) != declared.npos)
        continue;
      found.push_back(
          fmt::format("line {}: a variable that keeps its value from one launch to the next ({})",
                      line_of(source, at), word));
    }
  }
}

}  // namespace

std::vector<std::string> find_forbidden(const std::string& source, const std::string& solution) {
  std::vector<std::string> found;
  const std::string code = only_code(source);
  const std::vector<std::string> given = includes_of(solution);
  const std::set<std::string> ours(given.begin(), given.end());
  for (const std::string& name : includes_of(source)) {
    if (const std::string why = about_include(name, ours); !why.empty())
      found.push_back(
          fmt::format("line {}: #include {}: {}", line_of(source, source.find(name)), name, why));
  }
  const std::string solved = only_code(solution);
  for (const Names& group : forbidden_names())
    for (const char* name : group.names) {
      const std::size_t at = find_use(code, name);
      if (at != code.npos && find_use(solved, name) == solved.npos)
        found.push_back(fmt::format("line {}: {} {}", line_of(source, at), name, group.why));
    }
  for (const char* name : {"WARPATH_RUNG", "WARPATH_PEER"})
    if (const std::size_t at = code.find(std::string("define ") + name); at != code.npos)
      found.push_back(fmt::format("line {}: changes {}, by which a rung is registered",
                                  line_of(source, at), name));
  if (find_word(code, "RungRegistrar", 0) != code.npos ||
      find_word(code, "add_rung", 0) != code.npos)
    found.push_back("registers a rung by other means than WARPATH_RUNG");
  find_lasting_variables(source, code, found);
  return found;
}

}  // namespace warpath::cli
