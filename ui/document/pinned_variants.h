#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// A variant that the user keeps in sight beside what is chosen now.
struct PinnedVariant {
  std::shared_ptr<const Study> study;
  QString label;         ///< `level 1, order minimal`
  std::size_t slot = 0;  ///< from 0; stays the same while it is pinned, so tells a colour
};

/// The variants that are pinned, oldest first. Others are refused while there are as many as can
/// be told apart. They go when another model is opened.
class PinnedVariants : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t most = 4;

  explicit PinnedVariants(Document& document, QObject* parent = nullptr);

  const std::vector<PinnedVariant>& all() const { return pinned_; }
  /// Keeps the variant of the study that is shown; says why where it cannot.
  void pin();
  void unpin(std::size_t index);
  /// Chooses what led to a variant, as an edit that can be undone.
  void go_back(std::size_t index);

 Q_SIGNALS:
  void changed();

 private:
  bool can_pin() const;
  std::size_t free_slot() const;

  Document& document_;
  std::vector<PinnedVariant> pinned_;
};

/// What was chosen, in a few words: `3 plans, order minimal`.
QString variant_label(const Study& study);

}  // namespace stashscope::ui
