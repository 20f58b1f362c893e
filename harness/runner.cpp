#include "harness/runner.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "harness/backend.h"
#include "harness/device_lock.h"
#include "harness/runner_parts.h"
#include "harness/sanitizer.h"

using nlohmann::json;

namespace warpath::harness {

Runner::Runner(const Settings& settings, const Op& op, const std::vector<Contestant>& contestants,
               const std::vector<Attempt>& attempts, const Watch& watch)
    : settings_(settings),
      spent_(settings.spent ? *settings.spent : unwatched_),
      op_(op),
      contestants_(contestants),
      watch_(watch),
      timed_(settings.gpu && settings.time),
      jobs_(settings.gpu ? 1 : std::max(1, settings.jobs)),
      total_(attempts.size() * contestants.size()),
      inputs_(most(attempts, &Plan::input_bytes)),
      slot_bytes_(most(attempts, &Plan::output_bytes)),
      outputs_(slot_bytes_ * jobs_) {
  for (const Contestant& c : contestants)
    setups_.push_back(
        {&op, c.rung, settings.device_library, &inputs_, &outputs_, settings.check_library});
  workers_.resize(contestants.size());
  hangs_.resize(contestants.size());
}

std::int64_t Runner::most(const std::vector<Attempt>& attempts, std::int64_t Plan::*bytes) const {
  std::int64_t n = 1;
  for (const Attempt& a : attempts)
    n = std::max(n, make_plan(op_, op_.cases[a.test], a.dtype).*bytes);
  return round_up(n, 4096);
}

double work_of(const Cost& cost) {
  return std::max(cost.flops, cost.bytes);
}

namespace {

// A rung that never ends does so in most cases. After the first one the next gets less time, and
// the rest is left out.
constexpr std::size_t most_hangs = 2;
double limit_after_hang(double limit) {
  return std::min({limit, std::max(1.0, limit / 4), 10.0});
}

// Until the backend has stopped the kernel and said where it was.
double with_grace(double limit) {
  return limit + std::min(limit, 5.0);
}

}  // namespace

double Runner::limit_of(std::size_t who) const {
  return hangs_[who].empty() ? settings_.timeout : limit_after_hang(settings_.timeout);
}

std::string Runner::left_out(std::size_t who, const Contest& contest) const {
  const Rung& rung = *contestants_[who].rung;
  if (rung.min_arch > settings_.arch)
    return fmt::format("needs sm_{}, this device is sm_{}", rung.min_arch, settings_.arch);
  if (const auto& cases = hangs_[who]; cases.size() >= most_hangs)
    return fmt::format("it did not end on {}; --timeout S gives it longer",
                       fmt::join(cases, " and on "));
  const auto known = paces_.find({who, contest.attempt.dtype});
  if (known == paces_.end()) return {};
  const double seconds = known->second.seconds_per_unit * work_of(contest.problem.cost());
  if (seconds <= settings_.patience) return {};
  return fmt::format("a launch would take {:.2f} s, by '{}'; --patience {:.0f} has it timed",
                     seconds, known->second.test, std::ceil(seconds));
}

bool Runner::leave_out(std::size_t who, Contest& contest) {
  std::string why = left_out(who, contest);
  if (why.empty()) return false;
  contest.records[who].status = Status::skipped;
  contest.records[who].reason = std::move(why);
  finish(who, contest.records[who]);
  return true;
}

Record Runner::blank(std::size_t who, const Attempt& attempt, const CaseData& problem) const {
  const Case& test = op_.cases[attempt.test];
  Record r;
  r.op = op_.contract.name();
  r.name = contestants_[who].name;
  r.test = test.name;
  r.peer = contestants_[who].rung->peer;
  r.bench = test.bench;
  r.dtype = attempt.dtype;
  r.dims = test.dims;
  r.cost = problem.cost();
  return r;
}

Worker& Runner::worker(std::size_t who) {
  if (!workers_[who]) {
    // The kernels' threads share the cores with the other workers, but each worker gets at least
    // two: errors between blocks would stay hidden if no two blocks ever ran at the same time.
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int threads = std::max(2, cores / jobs_);
    const double limit = Worker::in_this_process() ? 0 : limit_of(who);
    workers_[who] = std::make_unique<Worker>([setup = &setups_[who], threads, limit] {
      prepare_worker(threads, limit);
      return serve_trials(*setup);
    });
  }
  return *workers_[who];
}

json Runner::check_command(const Attempt& attempt, std::int64_t slot) const {
  // Repeated launches are cheap on a GPU, and three catch more of what happens only sometimes.
  const int launches = settings_.launches > 0            ? settings_.launches
                       : settings_.gpu                   ? 3
                       : settings_.check_library.empty() ? 2
                                                         : 1;
  return {{"do", "check"},
          {"case", attempt.test},
          {"dtype", std::string(name(attempt.dtype))},
          {"slot", slot},
          {"launches", launches}};
}

void Runner::fail(std::size_t who, Record& record, std::string reason) {
  record.status = Status::failed;
  record.reason = std::move(reason);
  record.timing.reset();
  record.output = workers_[who]->output();
  workers_[who].reset();  // a fresh process for the next case
}

// Out of time. The process was forked with a limit for its kernels: the next one gets a shorter one.
void Runner::fail_late(std::size_t who, Record& record, double limit) {
  const std::string where = where_stopped(workers_[who]->output());
  fail(who, record,
       fmt::format("no answer within {:g} s{}", limit,
                   where.empty() ? "" : "; the kernel was at " + where));
  note_hang(who, record);
}

void Runner::note_hang(std::size_t who, const Record& record) {
  hangs_[who].push_back(fmt::format("{} {}", record.test, name(record.dtype)));
}

// Done with this problem. On a GPU the memory is freed for the next contestant.
void Runner::finish(std::size_t who, const Record& record) {
  const DeviceLock turn(timed_);
  if (settings_.gpu && workers_[who]) workers_[who]->ask({{"do", "drop"}}, settings_.timeout);
  ++done_;
  if (watch_.record) watch_.record(record);
}

void Runner::tell(const std::string& what) const {
  if (watch_.progress) watch_.progress(what, done_, total_);
}

// False: the rung failed or was skipped, and the record says why.
bool Runner::went_well(std::size_t who, const json& reply, Contest& contest) {
  Record& record = contest.records[who];
  contest.printed[who] = reply.value("printed", off_t{0});
  record.scratch = reply.value("scratch", record.scratch);
  const std::string status = reply.value("status", "failed");
  record.findings = reply.value("findings", json::array());
  if (!record.findings.empty()) {
    const bool late =
        std::any_of(record.findings.begin(), record.findings.end(),
                    [](const json& f) { return f.value("kind", "") == "time limit"; });
    fail(who, record, describe_findings(record.findings));
    if (late) note_hang(who, record);
    return false;
  }
  if (status == "skipped") {
    record.status = Status::skipped;
    record.reason = reply.value("reason", "");
    return false;
  }
  if (status != "ok" && is_timeout(reply.value("reason", ""))) {
    if (is_deadlock(workers_[who]->output()))  // it was known at once
      fail(who, record,
           "a deadlock: threads of the kernel wait for each other, and none can go on");
    else
      fail_late(who, record, limit_of(who));
    return false;
  }
  if (status != "ok") {
    fail(who, record, reply.value("reason", "gave no reason"));
    return false;
  }
  return true;
}

// Judges the outputs that the rung left in its slot.
bool Runner::judge(std::size_t who, std::int64_t slot, const char* when, Contest& contest) {
  Record& record = contest.records[who];
  const Stopwatch clock(spent_.judging);
  const Verdict v = contest.problem.judge(outputs_.at(slot));
  record.error = v.error;
  record.allowed = v.allowed;
  record.ratio = v.ratio;
  record.judged = v.elements ? static_cast<double>(v.judged) / static_cast<double>(v.elements) : 1;
  record.status = v.passed ? Status::passed : Status::failed;
  record.output = workers_[who]->output(contest.printed[who]);
  if (v.passed) return true;
  record.reason = when + v.reason;
  // Under the checks every write was seen.
  if (!settings_.check_library.empty() && v.index >= 0) {
    const std::optional<json> reply = workers_[who]->ask(
        {{"do", "writer"}, {"tensor", v.output}, {"index", v.index}}, settings_.timeout);
    const std::string writer = reply ? reply->value("writer", "") : "";
    if (!writer.empty()) record.reason += "; " + writer;
  }
  return false;
}

// Waits until at least one of the active contestants is done or out of time.
void Runner::wait(Contest& contest) {
  std::vector<pollfd> fds;
  Clock::time_point first = Clock::time_point::max();
  for (const Active& a : active_) {
    fds.push_back({workers_[a.who]->descriptor(), POLLIN, 0});
    first = std::min(first, a.deadline);
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
  if (poll(fds.data(), fds.size(), static_cast<int>(std::max<long long>(left + 1, 0))) < 0 &&
      errno == EINTR)
    return;
  for (std::size_t i = active_.size(); i-- > 0;) {
    const Active a = active_[i];
    Record& record = contest.records[a.who];
    if (fds[i].revents != 0) {
      if (const std::optional<json> reply = workers_[a.who]->receive(); !reply)
        fail(a.who, record, workers_[a.who]->end());
      else if (went_well(a.who, *reply, contest))
        judge(a.who, a.slot, "", contest);
    } else if (Clock::now() >= a.deadline) {
      fail_late(a.who, record, limit_of(a.who));
    } else {
      continue;
    }
    finish(a.who, record);
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Runner::check_all(Contest& contest) {
  std::vector<std::int64_t> free_slots;
  for (int j = 0; j < jobs_; ++j) free_slots.push_back(j * slot_bytes_);
  std::size_t next = 0;
  while (next < contestants_.size() || !active_.empty()) {
    while (next < contestants_.size() && !free_slots.empty()) {
      const std::size_t who = next++;
      if (leave_out(who, contest)) continue;
      tell(contest.what + " " + contestants_[who].name);
      worker(who).send(check_command(contest.attempt, free_slots.back()));
      const std::chrono::duration<double> limit(with_grace(limit_of(who)));
      active_.push_back({who, free_slots.back(),
                         Clock::now() + std::chrono::duration_cast<Clock::duration>(limit)});
      free_slots.pop_back();
    }
    if (active_.empty()) continue;
    wait(contest);
    free_slots.clear();
    for (int j = 0; j < jobs_; ++j) {
      const std::int64_t slot = j * slot_bytes_;
      if (std::none_of(active_.begin(), active_.end(),
                       [&](const Active& a) { return a.slot == slot; }))
        free_slots.push_back(slot);
    }
  }
}

std::vector<Record> Runner::run(const Attempt& attempt) {
  const Case& test = op_.cases[attempt.test];
  const Plan plan = make_plan(op_, test, attempt.dtype);
  const std::string what =
      fmt::format("{} {} {}", op_.contract.name(), test.name, name(attempt.dtype));
  tell(what);
  const CaseData problem = [&] {
    const Stopwatch clock(spent_.cases);
    return CaseData(plan, settings_.seed, inputs_);
  }();
  Contest contest{attempt, problem, what, {}, {}, {}};
  contest.samples.resize(contestants_.size());
  contest.printed.resize(contestants_.size());
  for (std::size_t who = 0; who < contestants_.size(); ++who)
    contest.records.push_back(blank(who, attempt, problem));

  if (settings_.time && test.bench)
    time_all(contest);
  else
    check_all(contest);
  inputs_.drop();
  outputs_.drop();
  return std::move(contest.records);
}

std::vector<Record> run_op(const Settings& settings, const Op& op,
                           const std::vector<Contestant>& contestants,
                           const std::vector<Attempt>& attempts, const Watch& watch) {
  for (const Case& test : op.cases) check_case(op, test);
  Runner runner(settings, op, contestants, attempts, watch);
  std::vector<Record> all;
  double spent = 0;
  for (const Attempt& a : attempts) {
    if (settings.op_seconds > 0 && spent >= settings.op_seconds && !a.needed) break;
    const Stopwatch clock(spent);
    std::vector<Record> some = runner.run(a);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace warpath::harness
