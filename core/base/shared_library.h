#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// A library that is opened while the program runs, for what not every computer has. It stays open
/// until the program ends, since what it made may.
class SharedLibrary {
 public:
  /// Opens the first of `names` (file names that the system looks for, or paths) that there is.
  explicit SharedLibrary(const std::vector<std::string>& names);

  bool is_open() const { return handle_ != nullptr; }
  /// Why not the first of the names, in the system's words.
  const std::string& failure() const { return failure_; }

  /// Null where the library has no such function.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// Throws a run Error that names the function where the library has none.
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
