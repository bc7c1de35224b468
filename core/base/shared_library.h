#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// An optional library, opened at run time. It is never closed, because its objects may outlive
/// this handle.
class SharedLibrary {
 public:
  /// Opens the first of `names` that can be opened. Names are paths, or file names that the system
  /// looks up on its search path.
  explicit SharedLibrary(const std::vector<std::string>& names);

  bool is_open() const { return handle_ != nullptr; }
  /// The system's reason why the first of `names` could not be opened; empty when a library is
  /// open.
  const std::string& failure() const { return failure_; }

  /// Null when the library has no such function, or when no library is open.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// Throws a run Error that names the function if `find` gives null.
  template <class Function>
  Function* get(const char* name) const {
    return reinterpret_cast<Function*>(required_symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  void* required_symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
  std::string failure_;
};

}  // namespace stashscope
