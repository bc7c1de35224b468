// Runs every operator with missing, misshapen and mistyped operands. Cases run in child processes,
// so that one that crashes or hangs is counted and the others go on.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <iostream>
#include <map>
#include <new>
#include <set>

#include "core/ops/families/standard_ops.h"
#include "tests/core/run/sweep/operand_sweep.h"
#include "tests/support/sanitizer.h"

namespace stashscope::operand_sweep {
namespace {

/// What the children count; in memory that all processes share.
struct Progress {
  std::size_t next;  ///< index of the case that runs, or of the next one
  std::size_t ran;
  std::size_t refused;
  std::size_t faults;
  std::array<bool, 1024> ran_once;  ///< by index of the operator
};

Progress* shared_progress() {
  void* const memory =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) Progress{};
}

struct Settings {
  std::size_t every = 1;   ///< runs each n-th case
  std::string only;        ///< an operator's type
  bool lists = false;      ///< prints every outcome
  bool unchanged = false;  ///< runs only valid nodes, and requires one of each operator
};

/// Operators that no case can run: those without a kernel, sequences, which a pass unpacks, and
/// those that run subgraphs.
const std::set<std::string> never_run = {
    "ATen",           "AdamWOptimizer", "ConcatFromSequence", "If",
    "Loop",           "PythonOp",       "PythonOpGrad",       "SGDOptimizerV2",
    "Scan",           "SequenceAt",     "SequenceConstruct",  "SequenceEmpty",
    "SequenceInsert", "SplitToSequence"};

/// Attention of ONNX Runtime, which a what-if writes with other operators.
bool is_only_rewritten(const Op& op) {
  return op.domain == "com.microsoft" &&
         (op.type == "Attention" || op.type == "MultiHeadAttention" ||
          op.type == "GroupQueryAttention");
}

/// The position of each case's operator in the list of all operators.
std::vector<std::size_t> operators_of(const std::vector<Case>& cases) {
  std::vector<std::size_t> index;
  std::map<const Op*, std::size_t> known;
  for (const Case& each : cases)
    index.push_back(known.try_emplace(each.op, known.size()).first->second);
  return index;
}

void run_cases(const std::vector<Case>& cases, const Settings& settings, Progress& progress) {
  constexpr unsigned most_seconds = test::sanitized ? 200 : 20;
  const std::vector<std::size_t> operator_of = operators_of(cases);
  for (; progress.next < cases.size(); progress.next += settings.every) {
    ::alarm(most_seconds);
    const Case& given = cases[progress.next];
    const Outcome outcome = try_case(given);
    if (outcome.kind == Outcome::Kind::ran) {
      ++progress.ran;
      progress.ran_once.at(operator_of[progress.next]) = true;
    }
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

/// The number of operators of which no case ran, though one could.
std::size_t count_unrun(const std::vector<Case>& cases, const Progress& progress) {
  const std::vector<std::size_t> operator_of = operators_of(cases);
  std::set<std::string> unrun;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string& type = cases[i].op->type;
    if (is_only_rewritten(*cases[i].op)) continue;
    if (!progress.ran_once.at(operator_of[i]) && !never_run.contains(type)) unrun.insert(type);
  }
  for (const std::string& type : unrun) std::cout << type << ": no case ran\n";
  return unrun.size();
}

int sweep(const Settings& settings) {
  std::vector<Case> cases = all_cases(settings.only);
  if (settings.unchanged) {
    std::erase_if(cases, [](const Case& each) { return each.change != "nothing"; });
  }
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
  const std::size_t unrun = settings.unchanged ? count_unrun(cases, *progress) : 0;
  return progress->faults + crashes + unrun == 0 && progress->ran > 0 ? 0 : 1;
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

/// operand_sweep [--every N] [--only OPERATOR] [--unchanged] [--list], or operand_sweep --tables
int main(int argc, char** argv) {
  stashscope::operand_sweep::Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--every" && i + 1 < argc) settings.every = std::stoul(argv[++i]);
    if (option == "--only" && i + 1 < argc) settings.only = argv[++i];
    if (option == "--list") settings.lists = true;
    if (option == "--unchanged") settings.unchanged = true;
    if (option == "--tables") {
      stashscope::operand_sweep::print_tables();
      return 0;
    }
  }
  return stashscope::operand_sweep::sweep(settings);
}
