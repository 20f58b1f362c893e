// The timed part of a run: all contestants of a case are checked and stay on the device, then they
// take turns. Only one is active at a time, so every step waits for its answer.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/device_lock.h"
#include "harness/runner_parts.h"
#include "harness/turns.h"

using nlohmann::json;

namespace warpath::harness {
namespace {

constexpr std::int64_t slot = 0;  // of the outputs: one contestant is judged at a time

}  // namespace

// Empty: the rung died or gave no answer, and the record says so.
std::optional<json> Runner::ask(std::size_t who, const json& command, double limit,
                                Record& record) {
  const DeviceLock turn(timed_);
  const Stopwatch clock(spent_.device);
  Worker& w = worker(who);
  w.send(command);
  if (!w.wait(limit)) {
    fail_late(who, record, limit);
    return std::nullopt;
  }
  std::optional<json> reply = w.receive();
  if (!reply) fail(who, record, w.end());
  return reply;
}

void Runner::time_all(Contest& contest) {
  std::vector<std::size_t> field;
  std::vector<std::int64_t> bytes;
  std::int64_t free_bytes =
      0;  // as seen by the last process: by then every process has its context
  for (std::size_t who = 0; who < contestants_.size(); ++who) {
    if (leave_out(who, contest)) continue;
    Record& record = contest.records[who];
    const std::optional<json> reply = ask(who,
                                          {{"do", "size"},
                                           {"case", contest.attempt.test},
                                           {"dtype", std::string(name(contest.attempt.dtype))}},
                                          settings_.timeout, record);
    if (!reply || !went_well(who, *reply, contest)) {
      finish(who, record);
      continue;
    }
    field.push_back(who);
    bytes.push_back(reply->at("bytes").get<std::int64_t>());
    free_bytes = reply->at("free").get<std::int64_t>();
  }
  for (const std::vector<std::size_t>& indices : groups_that_fit(bytes, room_in(free_bytes))) {
    std::vector<std::size_t> group;
    for (const std::size_t i : indices) group.push_back(field[i]);
    time_group(group, contest);
  }
}

void Runner::time_group(const std::vector<std::size_t>& group, Contest& contest) {
  std::vector<std::size_t> passed;
  for (const std::size_t who : group) {
    Record& record = contest.records[who];
    tell(fmt::format("{} {}", contest.what, contestants_[who].name));
    const std::optional<json> reply =
        ask(who, check_command(contest.attempt, slot), limit_of(who), record);
    if (reply && went_well(who, *reply, contest) && judge(who, slot, "", contest))
      passed.push_back(who);
    else
      finish(who, record);
  }
  take_turns(passed, contest);
  // Not between the turns of the last round: after a judgement the next rung would find a GPU that
  // had rested longer.
  for (const std::size_t who : passed) {
    tell(fmt::format("{} {}, checking again", contest.what, contestants_[who].name));
    conclude(who, contest);
    finish(who, contest.records[who]);
  }
}

// Nobody else uses the device between the first turn and the last.
void Runner::take_turns(std::vector<std::size_t>& passed, Contest& contest) {
  const DeviceLock turns(timed_);
  for (int round = 0; round < timing_rounds; ++round)
    for (const std::size_t who : order_of_round(passed, round)) {
      tell(fmt::format("{} {}, timing {}/{}", contest.what, contestants_[who].name, round + 1,
                       timing_rounds));
      if (take_turn(who, round, contest)) continue;
      finish(who, contest.records[who]);
      std::erase(passed, who);
    }
}

// False: the turn failed, and the record says why.
bool Runner::take_turn(std::size_t who, int round, Contest& contest) {
  Record& record = contest.records[who];
  const TimerOptions options = options_of_round(settings_.seconds, round);
  std::this_thread::sleep_for(std::chrono::duration<double>(settings_.rest));
  const std::optional<json> reply = ask(who,
                                        {{"do", "time"},
                                         {"seconds", options.seconds},
                                         {"least", options.min_samples},
                                         {"most", options.max_samples}},
                                        settings_.timeout + 20 * settings_.seconds, record);
  if (!reply || !went_well(who, *reply, contest)) return false;
  for (const json& us : reply->at("samples")) contest.samples[who].push_back(us.get<double>());
  return true;
}

// Judges the output of the timed launches. Only if it is right is there a time, over all turns. Where it is bit for bit
// what passed before the turns, that verdict holds.
void Runner::conclude(std::size_t who, Contest& contest) {
  Record& record = contest.records[who];
  const std::optional<json> reply =
      ask(who, {{"do", "hand_over"}, {"slot", slot}}, settings_.timeout, record);
  if (!reply || !went_well(who, *reply, contest)) return;
  if (!reply->value("same", false) && !judge(who, slot, "after the timed launches ", contest))
    return;
  record.timing = summarise_samples(contest.samples[who]);
  const double work = work_of(contest.problem.cost()), seconds = record.timing->median_us * 1e-6;
  if (seconds > 1e-3 && work > 0)  // the overhead dominates a shorter launch
    paces_[{who, contest.attempt.dtype}] = {seconds / work, op_.cases[contest.attempt.test].name};
}

}  // namespace warpath::harness
