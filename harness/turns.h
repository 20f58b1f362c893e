// How the rungs and peers of one case take turns on the GPU. A GPU that gets warm lowers its clock:
// timed one after the other, the last would pay for the heat of the first, and their ratio would
// depend on the order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/device/device.h"

namespace warpath::harness {

// Even, so that each order is used equally often. With more rounds the turns would be so short that
// switching between processes shows (0.3 s is four turns of 75 ms, with a few ms between two). With
// fewer, the turns would follow a clock that changes within a second less closely.
inline constexpr int timing_rounds = 4;

// Seconds that a GPU rests before each turn. The clock goes down within milliseconds of load, and
// without a rest a rung pays for the power that the one before it drew. With a rest all start from
// the same clock.
inline constexpr double rest_before_turn = 0.03;

// One phrase about the turns, for the method in a result file.
std::string turns_method();

// Forward order, and in every second round backward order: no rung always follows the same one.
std::vector<std::size_t> order_of_round(std::vector<std::size_t> field, int round);

// One turn's share of a rung's budget: of the seconds, and of the minimum and maximum number of
// samples.
TimerOptions options_of_round(double seconds, int round);

// Which contestants can have their buffers on the device at the same time: consecutive ones in
// groups whose bytes fit into `room`, in the order of the list. Groups are filled from the end,
// where the best rungs and the peers are, whose ratio counts. One that does not fit alone is a
// group too: it may fit after all, or fail and say why.
std::vector<std::vector<std::size_t>> groups_that_fit(const std::vector<std::int64_t>& bytes,
                                                      std::int64_t room);

// How many of a device's free bytes the contestants may use. The rest is for what cannot be known
// before: the timer's own buffer, what a vendor's library allocates at its first call, and code
// that is loaded late.
std::int64_t room_in(std::int64_t free_bytes);

}  // namespace warpath::harness
