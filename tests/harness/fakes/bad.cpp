// One kernel for each way to be wrong that the harness promises to see.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "toy.h"

namespace warpath::toy {
namespace {

void reference(const Bad& a, const Bad&) {
  for (std::int64_t i = 0; i < a.x.size(); ++i) a.y.as<double>()[i] = 2 * a.x.as<double>()[i];
}
Cost cost(const Bad& a) { return {0, 2.0 * static_cast<double>(a.x.bytes())}; }
std::vector<Case> cases() {
  return {{.name = "small", .dims = {{"rows", 3}, {"cols", 5}}},
          {.name = "wider", .dims = {{"rows", 3}, {"cols", 50}}},
          {.name = "timed", .dims = {{"rows", 3}, {"cols", 50}}, .bench = true}};
}
WARPATH_OP(Bad, .reference = reference, .cases = cases, .cost = cost);

void right(const Bad& a) {
  each(a.x, a.y, [](double x) { return 2 * x; });
}

using Launch = void (*)(const Bad&, cudaStream_t);
struct Named {
  const char* file;
  Launch launch;
  bool deterministic = true;
};

int calls = 0;

const Named all[] = {
    {"bad/crash.cu", [](const Bad& a, cudaStream_t) { std::printf("about to crash\n"); std::fflush(stdout);
                                                      *static_cast<volatile float*>(nullptr) = a.x.as<float>()[0]; }},
    {"bad/hang.cu", [](const Bad&, cudaStream_t) { for (;;) usleep(1000); }},
    {"bad/exit.cu", [](const Bad&, cudaStream_t) { _exit(3); }},
    {"bad/throw.cu", [](const Bad&, cudaStream_t) { throw std::runtime_error("cudaErrorMadeUp: it broke"); }},
    {"bad/past_end.cu", [](const Bad& a, cudaStream_t) { right(a); a.y.as<float>()[a.y.size()] = 0; }},
    {"bad/before_start.cu", [](const Bad& a, cudaStream_t) { right(a); a.y.as<float>()[-1] = 0; }},
    {"bad/past_input.cu", [](const Bad& a, cudaStream_t) { right(a); a.x.as<float>()[a.x.size()] = 0; }},
    {"bad/reads_past.cu", [](const Bad& a, cudaStream_t) { right(a);
                                                           a.y.as<float>()[0] += 0 * a.x.as<float>()[a.x.size()]; }},
    {"bad/changes_input.cu", [](const Bad& a, cudaStream_t) { right(a); a.x.as<float>()[4] += 1; }},
    {"bad/unwritten.cu", [](const Bad& a, cudaStream_t) { const float was = a.y.as<float>()[7]; right(a);
                                                          a.y.as<float>()[7] = was; }},
    {"bad/old_contents.cu", [](const Bad& a, cudaStream_t) { const bool nan = a.y.as<float>()[0] != a.y.as<float>()[0];
                                                             right(a); if (!nan) a.y.as<float>()[2] += 1e-6f; }},
    {"bad/random.cu", [](const Bad& a, cudaStream_t) { right(a); a.y.as<float>()[3] += 1e-9f * float(++calls); 
                                                       a.y.as<float>()[3] = a.x.as<float>()[3] * 2 *
                                                                            (1 + 1e-7f * float(calls % 7)); }},
    {"bad/off_by_one.cu", [](const Bad& a, cudaStream_t) { right(a); a.y.as<float>()[a.y.size() - 1] = a.y.as<float>()[0]; }},
    {"bad/zero.cu", [](const Bad& a, cudaStream_t) { std::memset(a.y.data, 0, std::size_t(a.y.bytes())); }},
    {"bad/late.cu", [](const Bad& a, cudaStream_t) { right(a); if (++calls > 4) a.y.as<float>()[0] = 77; }},
};

struct RegisterAll {
  RegisterAll() {
    for (const Named& n : all) Registrar<Bad>(n.file, n.launch, {});
    // Says of itself that it is not deterministic, and is within the tolerance: passes.
    Registrar<Bad>("bad/honest.cu", [](const Bad& a, cudaStream_t) { right(a); if (++calls % 2) a.y.as<float>()[1] *= 1 + 1.2e-7f; },
                   {.deterministic = false});
  }
};
const RegisterAll registered;

}  // namespace
}  // namespace warpath::toy
