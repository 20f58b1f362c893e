// How the rungs and peers of one case take turns at the clock. A GPU that gets warm lowers its clock: timed one after
// the other, the last would pay for the heat of the first, and their ratio would tell the order as well.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/device/device.h"

namespace warpath::harness {

// Even, so that everyone goes as often in the one order as in the other. More would have turns so short that going from
// process to process shows (0.3 s are four turns of 75 ms; what comes between two is a few ms); fewer would follow a
// clock that changes within a second less closely.
inline constexpr int timing_rounds = 4;

// Seconds for which a GPU rests before each turn: a clock goes down under a load of milliseconds, and without a rest a rung
// pays for what the one before it drew. With a rest all start from the same.
inline constexpr double rest_before_turn = 0.03;

// What is said of it where a result tells its method.
std::string turns_method();

// The same ones from the first to the last, and in every second round from the last to the first: nobody always follows
// the same one.
std::vector<std::size_t> order_of_round(std::vector<std::size_t> field, int round);

// A turn's share of what one rung gets in all: of the seconds, and of the least and the most samples.
TimerOptions options_of_round(double seconds, int round);

// Who can have their buffers on the device at the same time: from each one's bytes, neighbours in groups that fit into
// `room`, in the order of the list. Filled from the end, where the best rungs and the peers are, whose ratio counts.
// One that does not fit alone is a group too: it may fit after all, or fail and say why.
std::vector<std::vector<std::size_t>> groups_that_fit(const std::vector<std::int64_t>& bytes,
                                                      std::int64_t room);

// Of the free bytes of a device: the rest is for what comes and goes or is not told before, as the timer's own buffer,
// what a vendor's library takes at its first call, and code that is loaded late.
std::int64_t room_in(std::int64_t free_bytes);

}  // namespace warpath::harness
