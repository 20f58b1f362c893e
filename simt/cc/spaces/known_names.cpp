#include "spaces/known_names.h"

#include <unordered_map>
#include <unordered_set>

namespace simt::cc::spaces {

using Names = std::unordered_set<std::string_view>;

bool is_host_c_function(std::string_view name) {
  static const Names names = {
      "rand",    "srand",   "rand_r",   "random",  "drand48",      "time",         "exit",
      "_exit",   "abort",   "atexit",   "puts",    "putchar",      "fputs",        "fputc",
      "fprintf", "sprintf", "snprintf", "vprintf", "scanf",        "sscanf",       "fscanf",
      "getchar", "fgets",   "gets",     "fopen",   "fclose",       "fread",        "fwrite",
      "fflush",  "fseek",   "perror",   "calloc",  "realloc",      "qsort",        "bsearch",
      "atoi",    "atof",    "atol",     "strtol",  "strtod",       "strcpy",       "strncpy",
      "strcat",  "strcmp",  "strncmp",  "strdup",  "strstr",       "memcmp",       "memmove",
      "getenv",  "system",  "sleep",    "usleep",  "gettimeofday", "clock_gettime"};
  return names.count(name) != 0;
}

bool is_host_cuda_function(std::string_view name) {
  static const Names names = {"cudaMemcpy",
                              "cudaMemcpy2D",
                              "cudaMemset",
                              "cudaMallocHost",
                              "cudaMallocManaged",
                              "cudaFreeHost",
                              "cudaHostAlloc",
                              "cudaMemcpyToSymbol",
                              "cudaMemcpyFromSymbol",
                              "cudaStreamCreate",
                              "cudaStreamSynchronize",
                              "cudaEventCreate",
                              "cudaEventSynchronize",
                              "cudaEventElapsedTime",
                              "cudaSetDevice",
                              "cudaDeviceReset",
                              "cudaGetDeviceProperties",
                              "cudaMallocAsync",
                              "cudaFreeAsync",
                              "cudaMallocPitch"};
  return names.count(name) != 0;
}

unsigned symbol_argument(std::string_view name) {
  if (name == "cudaMemcpyToSymbol" || name == "cudaMemcpyToSymbolAsync") return 0;
  const bool second = name == "cudaMemcpyFromSymbol" || name == "cudaMemcpyFromSymbolAsync" ||
                      name == "cudaGetSymbolAddress" || name == "cudaGetSymbolSize";
  return second ? 1 : ~0u;
}

bool is_device_function(std::string_view name) {
  static const Names names = {"__syncthreads",
                              "__syncthreads_count",
                              "__syncthreads_and",
                              "__syncthreads_or",
                              "__syncwarp",
                              "__threadfence",
                              "__threadfence_block",
                              "__threadfence_system",
                              "__shfl_sync",
                              "__shfl_up_sync",
                              "__shfl_down_sync",
                              "__shfl_xor_sync",
                              "__ballot_sync",
                              "__any_sync",
                              "__all_sync",
                              "__activemask",
                              "__match_any_sync",
                              "__reduce_add_sync",
                              "__ldg",
                              "__nanosleep",
                              "atomicAdd",
                              "atomicSub",
                              "atomicExch",
                              "atomicMin",
                              "atomicMax",
                              "atomicInc",
                              "atomicDec",
                              "atomicCAS",
                              "atomicAnd",
                              "atomicOr",
                              "atomicXor",
                              "clock64",
                              "__expf",
                              "__logf",
                              "__sinf",
                              "__cosf",
                              "__powf",
                              "__fdividef",
                              "__fmaf_rn",
                              "__popc",
                              "__clz",
                              "__brev",
                              "__ffs",
                              "__float2int_rn",
                              "__int2float_rn",
                              "__float_as_int",
                              "__int_as_float",
                              "__trap"};
  return names.count(name) != 0;
}

bool is_maskless_function(std::string_view name) {
  static const Names names = {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor",
                              "__any",  "__all",     "__ballot"};
  return names.count(name) != 0;
}

StdKind std_kind(std::string_view name) {
  static const std::unordered_map<std::string_view, StdKind> kinds = [] {
    std::unordered_map<std::string_view, StdKind> map;
    const auto add = [&map](StdKind kind, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) map.emplace(name, kind);
    };
    add(StdKind::type, {"vector",
                        "string",
                        "map",
                        "set",
                        "unordered_map",
                        "unordered_set",
                        "list",
                        "deque",
                        "queue",
                        "stack",
                        "priority_queue",
                        "function",
                        "shared_ptr",
                        "thread",
                        "mutex",
                        "stringstream",
                        "ostringstream",
                        "istringstream",
                        "ofstream",
                        "ifstream",
                        "random_device",
                        "mt19937",
                        "default_random_engine",
                        "uniform_int_distribution",
                        "uniform_real_distribution",
                        "normal_distribution",
                        "multimap",
                        "multiset",
                        "future",
                        "lock_guard"});
    add(StdKind::constexpr_type, {"pair", "tuple", "complex", "unique_ptr", "optional"});
    add(StdKind::array, {"array"});
    add(StdKind::object, {"cout", "cerr", "clog", "cin", "endl"});
    add(StdKind::function, {"to_string", "stoi", "stof", "make_shared", "make_unique",
                            "stable_sort", "getline", "iota", "shuffle", "rand", "srand", "exit",
                            "abort", "puts", "time", "fprintf", "sprintf", "snprintf"});
    add(StdKind::constexpr_function_20,
        {"sort",        "swap",          "copy",   "copy_n",        "fill",        "fill_n",
         "accumulate",  "transform",     "find",   "find_if",       "count",       "count_if",
         "for_each",    "reverse",       "rotate", "inner_product", "partial_sum", "lower_bound",
         "upper_bound", "binary_search", "unique", "remove",        "replace",     "equal"});
    add(StdKind::constexpr_function, {"min", "max", "minmax", "clamp", "make_pair", "make_tuple",
                                      "get", "min_element", "max_element", "gcd", "lcm"});
    return map;
  }();
  const auto found = kinds.find(name);
  return found != kinds.end() ? found->second : StdKind::unknown;
}

}  // namespace simt::cc::spaces
