#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/process/run_child.h"

namespace stashscope {

/// A machine that ssh reaches and that has the worker installed.
struct RemoteHost {
  std::string user;  ///< empty: ssh's default
  std::string host;
  int port = 0;                           ///< 0: ssh's default
  std::string worker = "stashscope-run";  ///< name or path of the program there

  friend bool operator==(const RemoteHost&, const RemoteHost&) = default;
};

/// Reads `[user@]host[:port]`. Throws a usage Error for anything else, which includes every text
/// that ssh or a shell could take for an option or a command.
RemoteHost parse_remote_host(const std::string& text);
/// The text that `parse_remote_host` reads back as the same user, host and port.
std::string to_string(const RemoteHost& host);

/// `word` quoted as one argument of a POSIX shell.
std::string shell_quoted(const std::string& word);

/// The arguments with which ssh runs `words` on the host, without any prompt.
std::vector<std::string> ssh_arguments(const RemoteHost& host,
                                       const std::vector<std::string>& words);

/// The ssh program: the one that the environment variable STASHSCOPE_SSH names, else `ssh`, found
/// through PATH. Throws a run Error when there is none.
std::filesystem::path ssh_program();

/// The error to show when ssh ended with a failure.
Error remote_error(const RemoteHost& host, const ChildEnd& end);

}  // namespace stashscope
