#pragma once

#include <QString>
#include <QStringList>
#include <functional>

namespace stashscope::ui {

/// Shortens names such that a shortened name still tells which name it stands for. A name is
/// shortened between its outer modules, which stay, and its end: `h.0/…/Add_output_0`.
class DistinctNames {
 public:
  using Fits = std::function<bool(const QString&)>;

  DistinctNames() = default;
  explicit DistinctNames(const QStringList& names);

  /// The name without the modules that all names share. If this name does not fit, returns a form
  /// that fits and that no other name has, with as few outer modules as possible. If there is no
  /// such form, returns the name without the shared modules, although it does not fit.
  QString shortened(const QString& whole, const Fits& fits) const;
  /// The longest beginning of the name that ends at a module or word, fits with an ellipsis, and is
  /// the beginning of no other name. Empty if there is none.
  QString beginning(const QString& whole, const Fits& fits) const;

 private:
  QString without_shared(const QString& name) const;
  bool is_shared(const QString& name, const QString& begin, const QString& end) const;

  QString shared_;     ///< the outer modules that all names with modules share
  QStringList names_;  ///< without the shared modules, sorted, each once
};

}  // namespace stashscope::ui
