#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "ui/graph/layout_service.h"

namespace stashscope::ui {

/// The marks before the titles of open and of closed groups. A click on a mark closes or opens the
/// group.
inline const QString open_mark = QStringLiteral("▾ ");
inline const QString closed_mark = QStringLiteral("▸ ");

/// A text in several forms, the whole text first and shorter forms after it, with the width of each
/// form at font size `title_pixels`.
struct TextForms {
  struct Form {
    QString text;
    double width = 0;
  };
  std::vector<Form> forms;

  /// The first form that fits into `width` at font size `pixels`; null if no form fits.
  const Form* within(double width, double pixels) const;
};

/// The texts on the boxes of a picture. The texts of a box are made when the box is first painted,
/// so that a picture of thousands of boxes appears quickly. They are cached for later frames.
class BoxTexts {
 public:
  struct Texts {
    /// The title of a closed group begins with `closed_mark`. The last forms of a node's title are
    /// its first letters.
    TextForms title;
    TextForms heading;             ///< title of an open box, with `open_mark`
    std::vector<TextForms> lines;  ///< texts below the title
  };

  explicit BoxTexts(std::shared_ptr<const GraphPicture> picture);

  const Texts& of(std::size_t box) const;

 private:
  Texts make(std::size_t box) const;

  std::shared_ptr<const GraphPicture> picture_;
  mutable std::vector<std::unique_ptr<const Texts>> texts_;  // by box; null until a box is painted
};

}  // namespace stashscope::ui
