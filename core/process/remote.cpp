#include "core/process/remote.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "core/base/text.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

/// The exit status of ssh itself when there is no connection.
constexpr int ssh_failed = 255;
constexpr int not_found = 127;
constexpr int not_executable = 126;
constexpr std::size_t longest_part = 253;

/// Whether `text` has 1 to `longest_part` characters, each of which is a letter, a digit, `_` or,
/// after the first character, one of `others`.
bool is_made_of(const std::string& text, std::string_view others) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= longest_part && is_plain(text[0]) &&
         std::ranges::all_of(text,
                             [&](char c) { return is_plain(c) || others.find(c) != others.npos; });
}

[[noreturn]] void fail_host(const std::string& text) {
  fail_usage("'" + printable(text) + "'", "is not the address of a machine",
             "write [user@]host or [user@]host:port");
}

int port_of(const std::string& digits, const std::string& text) {
  int port = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end || port < 1 || port > 65535) fail_host(text);
  return port;
}

bool is_program(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && ::access(path.c_str(), X_OK) == 0;
}

/// A message of ssh, its meaning and what the user can do.
struct KnownFailure {
  std::string_view said;
  const char* reason;
  const char* hint;
};

constexpr std::array<KnownFailure, 8> known_failures = {{
    {"Could not resolve hostname", "this host name is unknown", "check the name"},
    {"Host key verification failed", "its host key is unknown or has changed",
     "connect to it once with ssh in a terminal and check its host key"},
    {"Permission denied", "it does not accept your key", "copy your key to it with ssh-copy-id"},
    {"Connection refused", "no ssh server answers there", "check the name and the port"},
    {"timed out", "it does not answer", "check that it is switched on and reachable"},
    {"No route to host", "it cannot be reached", "check the network"},
    {"Network is unreachable", "it cannot be reached", "check the network"},
    {"closed by remote host", "the connection was lost", "run again"},
}};

}  // namespace

RemoteHost parse_remote_host(const std::string& text) {
  RemoteHost host;
  std::string rest = text;
  if (const std::size_t at = rest.find('@'); at != std::string::npos) {
    host.user = rest.substr(0, at);
    rest = rest.substr(at + 1);
    if (!is_made_of(host.user, "-.")) fail_host(text);
  }
  if (const std::size_t colon = rest.find(':'); colon != std::string::npos) {
    host.port = port_of(rest.substr(colon + 1), text);
    rest = rest.substr(0, colon);
  }
  host.host = rest;
  if (!is_made_of(host.host, "-.")) fail_host(text);
  return host;
}

std::string to_string(const RemoteHost& host) {
  return (host.user.empty() ? "" : host.user + "@") + host.host +
         (host.port == 0 ? "" : ":" + std::to_string(host.port));
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> ssh_arguments(const RemoteHost& host,
                                       const std::vector<std::string>& words) {
  std::vector<std::string> arguments = {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15",
                                        // With the next two options, ssh ends after a minute if the
                                        // connection breaks.
                                        "-o", "ServerAliveInterval=15", "-o",
                                        "ServerAliveCountMax=4"};
  if (host.port != 0) arguments.insert(arguments.end(), {"-p", std::to_string(host.port)});
  arguments.insert(arguments.end(), {"--", (host.user.empty() ? "" : host.user + "@") + host.host});
  // The remote shell splits the command into words again, so each word is quoted.
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  arguments.push_back(join(quoted, " "));
  return arguments;
}

fs::path ssh_program() {
  const char* const chosen = std::getenv("STASHSCOPE_SSH");
  const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "ssh";
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) return fs::absolute(name);
  } else if (const char* const path = std::getenv("PATH")) {
    for (const std::string& folder : split(path, ':')) {
      const fs::path program = fs::path(folder) / name;
      if (!folder.empty() && is_program(program)) return program;
    }
  }
  fail_run("'" + printable(name) + "'", "is not installed",
           "install an ssh client, or name one in STASHSCOPE_SSH");
}

Error remote_error(const RemoteHost& host, const ChildEnd& end) {
  const std::string where = to_string(host);
  const std::string said = printable(end.last_words, most_last_words);
  if (end.status == not_found || end.status == not_executable) {
    return {ErrorKind::run, where,
            "the worker '" + printable(host.worker) + "' is missing or not executable",
            "install it on that machine, or give its path"};
  }
  if (end.status == ssh_failed) {
    for (const KnownFailure& each : known_failures) {
      if (end.last_words.find(each.said) == std::string::npos) continue;
      return {ErrorKind::run, where, std::string(each.reason) + " (" + said + ")", each.hint};
    }
  }
  if (said.empty() && end.status == ssh_failed) {
    return {ErrorKind::run, where, "ssh ended without a message"};
  }
  // `describe_end` would report this status as a crash of the worker.
  if (!said.empty() && end.status == ssh_failed) return {ErrorKind::run, where, said};
  return {kind_of_end(end.status), where, describe_end(end)};
}

}  // namespace stashscope
