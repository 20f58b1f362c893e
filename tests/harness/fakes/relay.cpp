// Kernels that are timed in turns. Each launch is written to the log that the fake device keeps,
// and a rung fails at the launch its test wants. Three launches are for the check, three for the
// first turn (one is the warm-up), one for each other turn.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "fake_log.h"
#include "toy.h"

namespace warpath::toy {
namespace {

std::vector<Case> cases() {
  return {{.name = "timed", .dims = {{"rows", 3}, {"cols", 50}}, .bench = true}};
}
WARPATH_OP(Relay, .reference = twice<Relay>, .cases = cases, .cost = bytes_alone<Relay>);

constexpr int second_turn = 7, last_turn = 9;
int launches = 0;  // each rung has a process of its own

void run(const Relay& a, const char* name) {
  ++launches;
  fake_log(name);
  each(a.x, a.y, [](double x) { return 2 * x; });
}

const Registrar<Relay> one("relay/01_one.cu",
                           [](const Relay& a, cudaStream_t) { run(a, "01_one"); }, {});
const Registrar<Relay> two("relay/02_two.cu",
                           [](const Relay& a, cudaStream_t) { run(a, "02_two"); }, {});
const Registrar<Relay> three("relay/03_three.cu",
                             [](const Relay& a, cudaStream_t) { run(a, "03_three"); }, {});
const Registrar<Relay> wrong("relay/wrong_at_once.cu",
                             [](const Relay& a, cudaStream_t) {
                               run(a, "wrong_at_once");
                               a.y.as<float>()[0] = 77;
                             },
                             {});
const Registrar<Relay> dies("relay/dies.cu",
                            [](const Relay& a, cudaStream_t) {
                              run(a, "dies");
                              if (launches == second_turn) _exit(3);
                            },
                            {});
const Registrar<Relay> hangs("relay/hangs.cu",
                             [](const Relay& a, cudaStream_t) {
                               run(a, "hangs");
                               while (launches == second_turn) usleep(1000);
                             },
                             {});
const Registrar<Relay> late("relay/late.cu",
                            [](const Relay& a, cudaStream_t) {
                              run(a, "late");
                              if (launches >= last_turn) a.y.as<float>()[0] = 77;
                            },
                            {});
const Registrar<Relay> spoils("relay/spoils.cu",
                              [](const Relay& a, cudaStream_t) {
                                run(a, "spoils");
                                if (launches >= last_turn) a.x.as<float>()[4] += 1;
                              },
                              {});

}  // namespace
}  // namespace warpath::toy
