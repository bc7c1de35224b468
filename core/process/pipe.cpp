#include "core/process/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace stashscope {

Pipe::Pipe() {
  if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
    fail_run("", std::string("cannot open a pipe: ") + std::strerror(errno));
  }
}

Pipe::~Pipe() {
  close_reading();
  close_writing();
}

void Pipe::close_end(std::size_t end) {
  if (ends_[end] >= 0) ::close(ends_[end]);
  ends_[end] = -1;
}

}  // namespace stashscope
