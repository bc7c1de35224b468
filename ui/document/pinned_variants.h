#pragma once

#include "ui/document/document.h"

namespace stashscope::ui {

/// A variant whose curve the user keeps on the screen beside the curve of the current variant.
struct PinnedVariant {
  std::shared_ptr<const Study> study;
  QString label;         ///< such as `level 1, order minimal`; without sizes
  std::size_t slot = 0;  ///< index of the colour, from 0; constant while pinned
};

/// The pinned variants, oldest first. Refuses more than `most` variants, because more curves could
/// not be distinguished. Opening another model unpins all variants.
class PinnedVariants : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t most = 4;

  explicit PinnedVariants(Document& document, QObject* parent = nullptr);

  const std::vector<PinnedVariant>& all() const { return pinned_; }
  /// The sizes of a pinned variant that the shown study does not have: `batch 8, sequence 128`.
  QString other_sizes(std::size_t index) const;
  /// The label, with `other_sizes` if there are any.
  QString full_label(std::size_t index) const;
  /// Pins the variant of the shown study. If the variant cannot be pinned, a notice says why.
  void pin();
  void unpin(std::size_t index);
  /// Restores the choices of a pinned variant, as an edit of the user.
  void go_back(std::size_t index);

 Q_SIGNALS:
  void changed();
  void sizes_changed();  ///< the shown study has other sizes than before

 private:
  void follow_sizes();
  bool can_pin() const;
  std::size_t free_slot() const;

  Document& document_;
  std::vector<PinnedVariant> pinned_;
  std::shared_ptr<const Sizes> sizes_;  ///< of the shown study
};

/// A label such as `3 plans, order minimal`: the plans of a study, and the order, fusion,
/// optimizer, precision, type of gradients and what-ifs that differ from the defaults.
QString variant_label(const Study& study);

}  // namespace stashscope::ui
