// What the files of the runner share: one op, its contestants and their processes.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/case_data.h"
#include "harness/memory.h"
#include "harness/runner.h"
#include "harness/trial.h"
#include "harness/worker.h"

namespace warpath::harness {

// Adds the seconds of its lifetime to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() {
    sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Runner {
 public:
  Runner(const Settings& settings, const Op& op, const std::vector<Contestant>& contestants,
         const std::vector<Attempt>& attempts, const Watch& watch);

  std::vector<Record> run(const Attempt& attempt);

 private:
  using Clock = std::chrono::steady_clock;

  // A rung at work on the current problem.
  struct Active {
    std::size_t who;
    std::int64_t slot;
    Clock::time_point deadline;
  };

  // One attempt in progress, and the results of its contestants so far.
  struct Contest {
    const Attempt& attempt;
    const CaseData& problem;
    std::string what;  // op, case and type, for progress messages
    std::vector<Record> records;
    std::vector<std::vector<double>> samples;  // microseconds, of all turns
    std::vector<off_t> printed;  // where what a process printed in its first launch ends
  };

  // runner.cpp
  std::int64_t most(const std::vector<Attempt>& attempts, std::int64_t Plan::*bytes) const;
  // Why a rung is left out; empty: it runs.
  std::string left_out(std::size_t who, const Contest& contest) const;
  bool leave_out(std::size_t who, Contest& contest);
  Record blank(std::size_t who, const Attempt& attempt, const CaseData& problem) const;
  Worker& worker(std::size_t who);
  nlohmann::json check_command(const Attempt& attempt, std::int64_t slot) const;
  bool went_well(std::size_t who, const nlohmann::json& reply, Contest& contest);
  bool judge(std::size_t who, std::int64_t slot, const char* when, Contest& contest);
  void fail_late(std::size_t who, Record& record, double limit);
  void note_hang(std::size_t who, const Record& record);
  double limit_of(std::size_t who) const;  // seconds until its kernel counts as endless
  void fail(std::size_t who, Record& record, std::string reason);
  void finish(std::size_t who, const Record& record);
  void tell(const std::string& what) const;

  // Checks only: as many at the same time as there are jobs.
  void check_all(Contest& contest);
  void wait(Contest& contest);

  // runner_turns.cpp: checks, then times those that passed, in turns.
  void time_all(Contest& contest);
  void time_group(const std::vector<std::size_t>& group, Contest& contest);
  void take_turns(std::vector<std::size_t>& passed, Contest& contest);
  bool take_turn(std::size_t who, int round, Contest& contest);
  void conclude(std::size_t who, Contest& contest);
  std::optional<nlohmann::json> ask(std::size_t who, const nlohmann::json& command, double limit,
                                    Record& record);

  const Settings& settings_;
  Spent unwatched_;
  Spent& spent_;
  const Op& op_;
  const std::vector<Contestant>& contestants_;
  const Watch& watch_;
  bool timed_;  // takes turns at the device; checks alone need none
  int jobs_;
  std::size_t total_, done_ = 0;
  SharedArena inputs_;
  std::int64_t slot_bytes_;
  SharedArena outputs_;
  std::vector<TrialSetup> setups_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Active> active_;
  std::vector<std::vector<std::string>> hangs_;  // of each rung: the cases that did not end

  // A rung's time per unit of work when it was timed last, and in which case. Keyed by its number
  // and the type.
  struct Pace {
    double seconds_per_unit;
    std::string test;
  };
  std::map<std::pair<std::size_t, DType>, Pace> paces_;
};

// The time of a launch grows with its operations, or with its bytes where it has few operations per
// byte.
double work_of(const Cost& cost);

}  // namespace warpath::harness
