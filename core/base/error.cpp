#include "core/base/error.h"

#include <utility>

#include "core/base/text.h"

namespace stashscope {

namespace {

std::string compose(const std::string& where, const std::string& what, const std::string& hint) {
  std::string message = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) message += "; " + hint;
  return message;
}

}  // namespace

Error::Error(ErrorKind kind, std::string where, std::string what, std::string hint)
    : std::runtime_error(compose(where, what, hint)),
      kind_(kind),
      where_(std::move(where)),
      reason_(std::move(what)),
      hint_(std::move(hint)) {}

Error Error::within(const std::string& outer) const {
  return {kind_, where_.empty() ? outer : outer + ": " + where_, reason_, hint_};
}

void fail_input(std::string where, std::string what, std::string hint) {
  throw Error(ErrorKind::input, std::move(where), std::move(what), std::move(hint));
}

void fail_usage(std::string where, std::string what, std::string hint) {
  throw Error(ErrorKind::usage, std::move(where), std::move(what), std::move(hint));
}

void fail_run(std::string where, std::string what, std::string hint) {
  throw Error(ErrorKind::run, std::move(where), std::move(what), std::move(hint));
}

std::string clause_of(const Error& error) {
  return error.where().empty() ? error.reason() : error.where() + ": " + error.reason();
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input:
      return 1;
    case ErrorKind::usage:
      return 2;
    case ErrorKind::run:
    case ErrorKind::cancelled:
      return 3;
  }
  return 3;
}

std::string printable(const std::string& text, std::size_t limit) {
  const std::string safe = to_valid_utf8(text);
  if (safe.size() <= limit) return safe;
  const std::size_t half = limit / 2;
  return utf8_prefix(safe, half) + "..." + utf8_suffix(safe, half);
}

}  // namespace stashscope
