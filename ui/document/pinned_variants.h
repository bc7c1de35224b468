#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// A variant that the user keeps on the screen beside the current one.
struct PinnedVariant {
  std::shared_ptr<const Study> study;
  QString label;         ///< `level 1, order minimal`
  std::size_t slot = 0;  ///< index of its colour, from 0; constant while pinned
};

/// The pinned variants, oldest first. Refuses more than `most` variants, because more curves could
/// not be distinguished. Opening another model unpins all.
class PinnedVariants : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t most = 4;

  explicit PinnedVariants(Document& document, QObject* parent = nullptr);

  const std::vector<PinnedVariant>& all() const { return pinned_; }
  /// Pins the variant of the shown study; if that is refused, a notice says why.
  void pin();
  void unpin(std::size_t index);
  /// Restores the choices of a variant, as an edit of the user.
  void go_back(std::size_t index);

 Q_SIGNALS:
  void changed();

 private:
  bool can_pin() const;
  std::size_t free_slot() const;

  Document& document_;
  std::vector<PinnedVariant> pinned_;
};

/// The choices of a study in a few words: `3 plans, order minimal`.
QString variant_label(const Study& study);

}  // namespace stashscope::ui
