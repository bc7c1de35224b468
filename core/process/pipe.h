#pragma once

#include <array>
#include <cstddef>

namespace stashscope {

/// Both ends of a pipe. Programs that this process executes do not inherit the ends.
class Pipe {
 public:
  /// Throws a run Error when the system cannot open a pipe.
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }

 private:
  void close_end(std::size_t end);

  std::array<int, 2> ends_{-1, -1};
};

}  // namespace stashscope
