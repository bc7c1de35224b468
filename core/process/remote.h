#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/process/run_child.h"

namespace stashscope {

/// A machine that ssh reaches, with the worker on it.
struct RemoteHost {
  std::string user;  ///< empty: whom ssh takes
  std::string host;
  int port = 0;                           ///< 0: the one that ssh takes
  std::string worker = "stashscope-run";  ///< name or path of the program there

  friend bool operator==(const RemoteHost&, const RemoteHost&) = default;
};

/// `[user@]host[:port]`. Throws a usage Error for anything else; what could be an option or a
/// command is none of it.
RemoteHost parse_remote_host(const std::string& text);
/// The text that reads back as the same user, host and port.
std::string to_string(const RemoteHost& host);

/// The word as one argument of a POSIX shell, whatever it contains.
std::string shell_quoted(const std::string& word);

/// What ssh is called with to run `words` there; it asks for nothing.
std::vector<std::string> ssh_arguments(const RemoteHost& host,
                                       const std::vector<std::string>& words);

/// The ssh program: what the environment variable STASHSCOPE_SSH names, else `ssh`, looked for
/// where the system looks for programs. Throws a run Error when there is none.
std::filesystem::path ssh_program();

/// What an ended ssh means for the user.
Error remote_error(const RemoteHost& host, const ChildEnd& end);

}  // namespace stashscope
