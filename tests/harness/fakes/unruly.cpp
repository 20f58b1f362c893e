// One kernel for each kind of error that the harness promises to detect.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "toy.h"

namespace warpath::toy {
namespace {

std::vector<Case> cases() {
  return {{.name = "small", .dims = {{"rows", 3}, {"cols", 5}}},
          {.name = "wider", .dims = {{"rows", 3}, {"cols", 50}}},
          {.name = "timed", .dims = {{"rows", 3}, {"cols", 50}}, .bench = true}};
}
WARPATH_OP(Unruly, .reference = twice<Unruly>, .cases = cases, .cost = bytes_alone<Unruly>);

void right(const Unruly& a) {
  each(a.x, a.y, [](double x) { return 2 * x; });
}

using Launch = void (*)(const Unruly&, cudaStream_t);
struct Named {
  const char* file;
  Launch launch;
};

int calls = 0;

const Named all[] = {
    {"unruly/crash.cu",
     [](const Unruly& a, cudaStream_t) {
       std::printf("about to crash\n");
       std::fflush(stdout);
       *static_cast<volatile float*>(nullptr) = a.x.as<float>()[0];
     }},
    {"unruly/hang.cu",
     [](const Unruly&, cudaStream_t) {
       for (;;) usleep(1000);
     }},
    {"unruly/exit.cu", [](const Unruly&, cudaStream_t) { _exit(3); }},
    {"unruly/throw.cu",
     [](const Unruly&, cudaStream_t) { throw std::runtime_error("cudaErrorMadeUp: it broke"); }},
    {"unruly/past_end.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.y.as<float>()[a.y.size()] = 0;
     }},
    // NaN plus NaN is the NaN of the first: it must not be what lies behind y already.
    {"unruly/past_both_ends.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.y.as<float>()[a.y.size()] = a.x.as<float>()[a.x.size()] + a.x.as<float>()[a.x.size()];
     }},
    {"unruly/changes_past_end.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.y.as<float>()[a.y.size()] *= 2;
     }},
    {"unruly/before_start.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.y.as<float>()[-1] = 0;
     }},
    {"unruly/past_input.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.x.as<float>()[a.x.size()] = 0;
     }},
    {"unruly/reads_past.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.y.as<float>()[0] += 0 * a.x.as<float>()[a.x.size()];
     }},
    {"unruly/changes_input.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.x.as<float>()[4] += 1;
     }},
    {"unruly/unwritten.cu",
     [](const Unruly& a, cudaStream_t) {
       const float was = a.y.as<float>()[7];
       right(a);
       a.y.as<float>()[7] = was;
     }},
    {"unruly/old_contents.cu",
     [](const Unruly& a, cudaStream_t) {
       const bool nan = a.y.as<float>()[0] != a.y.as<float>()[0];
       right(a);
       if (!nan) a.y.as<float>()[2] += 1e-6f;
     }},
    {"unruly/adds_up.cu",
     [](const Unruly& a, cudaStream_t) {
       for (std::int64_t i = 0; i < a.x.size(); ++i) a.y.as<float>()[i] += 2 * a.x.as<float>()[i];
     }},
    {"unruly/random.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.y.as<float>()[3] *= 1 + 1e-6f * float(++calls % 7);
     }},
    {"unruly/off_by_one.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       a.y.as<float>()[a.y.size() - 1] = a.y.as<float>()[0];
     }},
    {"unruly/zero.cu",
     [](const Unruly& a, cudaStream_t) { std::memset(a.y.data, 0, std::size_t(a.y.bytes())); }},
    {"unruly/late.cu",
     [](const Unruly& a, cudaStream_t) {
       right(a);
       if (++calls > 4) a.y.as<float>()[0] = 77;
     }},
};

struct RegisterAll {
  RegisterAll() {
    Registrar<Unruly>("unruly/prints.cu",
                      [](const Unruly& a, cudaStream_t) {
                        right(a);
                        std::printf("x[0] of %lld\n", static_cast<long long>(a.x.size()));
                      },
                      {});
    Registrar<Unruly>("unruly/prints_much.cu",
                      [](const Unruly& a, cudaStream_t) {
                        right(a);
                        for (int i = 0; i < 10000; ++i) std::printf("line %d\n", i);
                      },
                      {});
    for (const Named& n : all) Registrar<Unruly>(n.file, n.launch, {});
    // Declares that it is not deterministic, and is within the tolerance: passes.
    Registrar<Unruly>("unruly/honest.cu",
                      [](const Unruly& a, cudaStream_t) {
                        right(a);
                        if (++calls % 2)
                          a.y.as<float>()[1] = std::nextafter(a.y.as<float>()[1], 0.0f);
                      },
                      {.deterministic = false});
  }
};
const RegisterAll registered;

}  // namespace
}  // namespace warpath::toy
