#include "harness/runner.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

#include "harness/memory.h"
#include "harness/problem.h"
#include "harness/sanitizer.h"
#include "harness/trial.h"
#include "harness/worker.h"

using nlohmann::json;

namespace warpath::harness {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

class Runner {
 public:
  Runner(const Settings& settings, const Op& op, const std::vector<Contestant>& contestants,
         const std::vector<Attempt>& attempts, const Watch& watch)
      : settings_(settings),
        op_(op),
        contestants_(contestants),
        watch_(watch),
        jobs_(settings.gpu ? 1 : std::max(1, settings.jobs)),
        total_(attempts.size() * contestants.size()),
        inputs_(most(attempts, &Plan::input_bytes)),
        slot_bytes_(most(attempts, &Plan::output_bytes)),
        outputs_(slot_bytes_ * jobs_) {
    for (const Contestant& c : contestants)
      setups_.push_back(
          {&op, c.rung, settings.device_library, &inputs_, &outputs_, settings.check_library});
    workers_.resize(contestants.size());
  }

  std::vector<Record> run(const Attempt& attempt);

 private:
  // A rung at work on the current problem.
  struct Active {
    std::size_t who;
    std::int64_t slot;
    Clock::time_point deadline;
    double limit;  // seconds, for the message
    bool timing;
  };

  std::int64_t most(const std::vector<Attempt>& attempts, std::int64_t Plan::*bytes) const {
    std::int64_t n = 1;
    for (const Attempt& a : attempts)
      n = std::max(n, make_plan(op_, op_.cases[a.test], a.dtype).*bytes);
    return round_up(n, 4096);
  }

  // Why a rung is left out; empty: it is not.
  std::string left_out(std::size_t who, const Attempt& attempt, const Problem& problem) const;
  Record blank(std::size_t who, const Attempt& attempt, const Problem& problem) const;
  Worker& worker(std::size_t who);
  void start(std::size_t who, std::int64_t slot, const Attempt& attempt);
  void wait(std::vector<Record>& records, const Problem& problem, const Attempt& attempt);
  bool heard(Active& active, Record& record, const Problem& problem, const Attempt& attempt);
  bool answered(Active& active, const json& reply, Record& record, const Problem& problem,
                const Attempt& attempt);
  void fail(std::size_t who, Record& record, std::string reason);
  void finish(const Record& record);

  const Settings& settings_;
  const Op& op_;
  const std::vector<Contestant>& contestants_;
  const Watch& watch_;
  int jobs_;
  std::size_t total_, done_ = 0;
  SharedArena inputs_;
  std::int64_t slot_bytes_;
  SharedArena outputs_;
  std::vector<TrialSetup> setups_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Active> active_;

  // How long a rung took for its work when it was timed last, and in which case: by its number and the type.
  struct Pace {
    double seconds_per_unit;
    std::string test;
  };
  std::map<std::pair<std::size_t, DType>, Pace> paces_;
};

// What a launch takes grows with its operations, and with its bytes where it has few operations for them.
double work_of(const Cost& cost) {
  return std::max(cost.flops, cost.bytes);
}

std::string Runner::left_out(std::size_t who, const Attempt& attempt,
                             const Problem& problem) const {
  const Rung& rung = *contestants_[who].rung;
  if (rung.min_arch > settings_.arch)
    return fmt::format("needs sm_{}, this device is sm_{}", rung.min_arch, settings_.arch);
  const auto known = paces_.find({who, attempt.dtype});
  if (known == paces_.end()) return {};
  const double seconds = known->second.seconds_per_unit * work_of(problem.cost());
  if (seconds <= settings_.patience) return {};
  return fmt::format("a launch would take {:.2f} s, by '{}'; --patience {:.0f} has it timed",
                     seconds, known->second.test, std::ceil(seconds));
}

Record Runner::blank(std::size_t who, const Attempt& attempt, const Problem& problem) const {
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
    // simt's own threads share the cores with the other workers, but two at least: blocks that
    // never run side by side would hide what goes wrong between them.
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const std::string threads = std::to_string(std::max(2, cores / jobs_));
    workers_[who] = std::make_unique<Worker>([setup = &setups_[who], threads] {
      setenv("SIMT_THREADS", threads.c_str(), 0);
      return serve_trials(*setup);
    });
  }
  return *workers_[who];
}

void Runner::start(std::size_t who, std::int64_t slot, const Attempt& attempt) {
  // Reruns are cheap on a GPU, and three see more of what only sometimes happens.
  const int launches = settings_.gpu ? 3 : settings_.check_library.empty() ? 2 : 1;
  worker(who).send({{"do", "check"},
                    {"case", attempt.test},
                    {"dtype", std::string(name(attempt.dtype))},
                    {"slot", slot},
                    {"launches", launches}});
  active_.push_back({who, slot, after(settings_.timeout), settings_.timeout, false});
}

void Runner::fail(std::size_t who, Record& record, std::string reason) {
  record.status = Status::failed;
  record.reason = std::move(reason);
  record.timing.reset();
  record.output = workers_[who]->output();
  workers_[who].reset();  // a fresh process for the next case
}

void Runner::finish(const Record& record) {
  ++done_;
  if (watch_.record) watch_.record(record);
}

// True when the rung is done with this problem.
bool Runner::answered(Active& active, const json& reply, Record& record, const Problem& problem,
                      const Attempt& attempt) {
  const std::string status = reply.value("status", "failed");
  record.findings = reply.value("findings", json::array());
  if (!record.findings.empty()) {
    fail(active.who, record, describe_findings(record.findings));
    return true;
  }
  if (status == "skipped") {
    record.status = Status::skipped;
    record.reason = reply.value("reason", "");
    return true;
  }
  if (status != "ok") {
    fail(active.who, record, reply.value("reason", "gave no reason"));
    return true;
  }
  const Verdict v = problem.judge(outputs_.at(active.slot));
  record.error = v.error;
  record.allowed = v.allowed;
  record.ratio = v.ratio;
  if (!v.passed) {
    record.status = Status::failed;
    record.timing.reset();
    record.reason = (active.timing ? "after the timed launches " : "") + v.reason;
    record.output = workers_[active.who]->output();
    return true;
  }
  record.status = Status::passed;
  if (active.timing) {
    record.timing =
        Timing{reply.at("median"), reply.at("p20"), reply.at("p80"), reply.at("samples")};
    const double work = work_of(problem.cost()), seconds = record.timing->median_us * 1e-6;
    if (seconds > 1e-3 && work > 0)  // a shorter launch says little about its work
      paces_[{active.who, attempt.dtype}] = {seconds / work, op_.cases[attempt.test].name};
    return true;
  }
  if (!settings_.time || !op_.cases[attempt.test].bench) return true;
  active.timing = true;
  active.limit = settings_.timeout + 20 * settings_.seconds;
  active.deadline = after(active.limit);
  workers_[active.who]->send(
      {{"do", "time"}, {"slot", active.slot}, {"seconds", settings_.seconds}});
  return false;
}

bool Runner::heard(Active& active, Record& record, const Problem& problem, const Attempt& attempt) {
  const std::optional<json> reply = workers_[active.who]->receive();
  if (reply) return answered(active, *reply, record, problem, attempt);
  fail(active.who, record, workers_[active.who]->end());
  return true;
}

// Until at least one of the active ones is done.
void Runner::wait(std::vector<Record>& records, const Problem& problem, const Attempt& attempt) {
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
    Active& a = active_[i];
    Record& record = records[a.who];
    bool over = false;
    if (fds[i].revents != 0) {
      over = heard(a, record, problem, attempt);
    } else if (Clock::now() >= a.deadline) {
      fail(a.who, record, fmt::format("no answer within {:g} s", a.limit));
      over = true;
    }
    if (!over) continue;
    if (settings_.gpu && workers_[a.who]) workers_[a.who]->ask({{"do", "drop"}}, settings_.timeout);
    finish(record);
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::vector<Record> Runner::run(const Attempt& attempt) {
  const Case& test = op_.cases[attempt.test];
  const Plan plan = make_plan(op_, test, attempt.dtype);
  const std::string what =
      fmt::format("{} {} {}", op_.contract.name(), test.name, name(attempt.dtype));
  if (watch_.progress) watch_.progress(what, done_, total_);
  const Problem problem(plan, settings_.seed, inputs_);

  std::vector<Record> records;
  for (std::size_t who = 0; who < contestants_.size(); ++who)
    records.push_back(blank(who, attempt, problem));
  std::vector<std::int64_t> free_slots;
  for (int j = 0; j < jobs_; ++j) free_slots.push_back(j * slot_bytes_);

  std::size_t next = 0;
  while (next < contestants_.size() || !active_.empty()) {
    while (next < contestants_.size() && !free_slots.empty()) {
      const std::size_t who = next++;
      if (std::string why = left_out(who, attempt, problem); !why.empty()) {
        records[who].status = Status::skipped;
        records[who].reason = std::move(why);
        finish(records[who]);
        continue;
      }
      if (watch_.progress) watch_.progress(what + " " + contestants_[who].name, done_, total_);
      start(who, free_slots.back(), attempt);
      free_slots.pop_back();
    }
    if (active_.empty()) continue;
    wait(records, problem, attempt);
    free_slots.clear();
    for (int j = 0; j < jobs_; ++j) {
      const std::int64_t slot = j * slot_bytes_;
      if (std::none_of(active_.begin(), active_.end(),
                       [&](const Active& a) { return a.slot == slot; }))
        free_slots.push_back(slot);
    }
  }
  inputs_.drop();
  outputs_.drop();
  return records;
}

}  // namespace

std::vector<Record> run_op(const Settings& settings, const Op& op,
                           const std::vector<Contestant>& contestants,
                           const std::vector<Attempt>& attempts, const Watch& watch) {
  for (const Case& test : op.cases) check_case(op, test);
  Runner runner(settings, op, contestants, attempts, watch);
  std::vector<Record> all;
  for (const Attempt& a : attempts) {
    std::vector<Record> some = runner.run(a);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace warpath::harness
