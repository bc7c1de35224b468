// Runs every operator with missing, misshapen and mistyped operands. Cases run in child processes,
// so that one that crashes or hangs is counted and the others go on.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <set>

#include "core/ops/families/standard_ops.h"
#include "tests/core/run/sweep/operand_sweep.h"

namespace stashscope::operand_sweep {
namespace {

/// What the children count; in memory that all processes share.
struct Progress {
  std::size_t next;  ///< index of the case that runs, or of the next one
  std::size_t ran;
  std::size_t refused;
  std::size_t faults;
};

Progress* shared_progress() {
  void* const memory =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) Progress{};
}

struct Settings {
  std::size_t every = 1;  ///< runs each n-th case
  std::string only;       ///< an operator's type
  bool lists = false;     ///< prints every outcome
};

void run_cases(const std::vector<Case>& cases, const Settings& settings, Progress& progress) {
  constexpr unsigned most_seconds = 20;
  for (; progress.next < cases.size(); progress.next += settings.every) {
    ::alarm(most_seconds);
    const Case& given = cases[progress.next];
    const Outcome outcome = try_case(given);
    if (outcome.kind == Outcome::Kind::ran) ++progress.ran;
    if (outcome.kind == Outcome::Kind::refused) ++progress.refused;
    if (outcome.kind == Outcome::Kind::fault) ++progress.faults;
    if (settings.lists || outcome.kind == Outcome::Kind::fault) {
      std::cout << describe(given) << "\n  " << (outcome.message.empty() ? "ran" : outcome.message)
                << "\n";
    }
  }
  std::cout << std::flush;
}

/// Returns the signal that ended the child; 0 when it ended by itself.
int run_in_child(const std::vector<Case>& cases, const Settings& settings, Progress& progress) {
  std::cout << std::flush;
  const pid_t child = ::fork();
  if (child == 0) {
    run_cases(cases, settings, progress);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  return WEXITSTATUS(status) == 0 ? 0 : SIGABRT;  // sanitizers end a program by its exit status
}

int sweep(const Settings& settings) {
  const std::vector<Case> cases = all_cases(settings.only);
  Progress* const progress = shared_progress();
  if (progress == nullptr) return 2;
  std::size_t crashes = 0;
  while (progress->next < cases.size()) {
    const int signal = run_in_child(cases, settings, *progress);
    if (signal == 0) continue;
    ++crashes;
    std::cout << describe(cases[progress->next]) << "\n  " << ::strsignal(signal) << "\n";
    progress->next += settings.every;
  }
  std::cout << progress->ran << " graphs ran, " << progress->refused << " were refused, "
            << progress->faults << " had faults, " << crashes << " crashed\n";
  return progress->faults + crashes == 0 && progress->ran > 0 ? 0 : 1;
}

/// One line for each operator and version: domain, type, since-version and operands.
void print_tables() {
  std::set<std::string> lines;
  for (const auto& [key, op] : standard_ops().all()) {
    for (const Signature& each : op.operands.signatures()) {
      lines.insert(op.domain + ":" + op.type + " " + std::to_string(each.since) + " " + each.text);
    }
  }
  for (const std::string& line : lines) std::cout << line << "\n";
}

}  // namespace
}  // namespace stashscope::operand_sweep

/// operand_sweep [--every N] [--only OPERATOR] [--list], or operand_sweep --tables
int main(int argc, char** argv) {
  stashscope::operand_sweep::Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--every" && i + 1 < argc) settings.every = std::stoul(argv[++i]);
    if (option == "--only" && i + 1 < argc) settings.only = argv[++i];
    if (option == "--list") settings.lists = true;
    if (option == "--tables") {
      stashscope::operand_sweep::print_tables();
      return 0;
    }
  }
  return stashscope::operand_sweep::sweep(settings);
}
