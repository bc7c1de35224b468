#pragma once

#include <stdexcept>
#include <string>

namespace stashscope {

/// The category of an error, as the user sees it. It decides the exit code of the programs.
enum class ErrorKind {
  input,      ///< a file to read or to write cannot be used (exit code 1)
  usage,      ///< the command line or a choice is not valid (exit code 2)
  run,        ///< the graph, or a program or library that is needed, cannot run (exit code 3)
  cancelled,  ///< the user asked to stop (exit code 3)
};

/// The exception type of all errors that the user sees. An Error is thrown where a fault is found,
/// and is caught at a boundary (worker, job, main).
class Error : public std::runtime_error {
 public:
  /// @param where the file, node or tensor, e.g. `node 'add0'`; may be empty
  /// @param what  what is wrong, one clause without a final period
  /// @param hint  what the user can do about it; may be empty
  Error(ErrorKind kind, std::string where, std::string what, std::string hint = {});

  ErrorKind kind() const { return kind_; }
  const std::string& where() const { return where_; }
  const std::string& reason() const { return reason_; }
  const std::string& hint() const { return hint_; }

  /// A copy whose `where()` starts with `outer`, e.g. with the file that contains the node.
  Error within(const std::string& outer) const;

 private:
  ErrorKind kind_;
  std::string where_;
  std::string reason_;
  std::string hint_;
};

[[noreturn]] void fail_input(std::string where, std::string what, std::string hint = {});
[[noreturn]] void fail_usage(std::string where, std::string what, std::string hint = {});
[[noreturn]] void fail_run(std::string where, std::string what, std::string hint = {});

/// Where and what is wrong, without the hint: `node 'add0': has no inputs`.
std::string clause_of(const Error& error);

/// 1 for input, 2 for usage, 3 for run and cancelled; never 0.
int exit_code(ErrorKind kind);

/// `text` as `to_valid_utf8` returns it: on one line, with `\xNN` for bytes that cannot be shown.
/// If the result is longer than `limit` bytes, an ellipsis replaces its middle.
std::string printable(const std::string& text, std::size_t limit = 160);

}  // namespace stashscope
