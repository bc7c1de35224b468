#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stashscope::cuda {

/// The axes of a Walk (kernels/groups.cuh), added from the innermost on.
class WalkText {
 public:
  /// Axes of size 1 are left out.
  void add(std::int64_t size, std::int64_t stride);
  std::int64_t count() const { return count_; }  ///< the product of the sizes
  std::string text() const;

 private:
  std::vector<std::string> axes_;
  std::int64_t count_ = 1;
};

}  // namespace stashscope::cuda
