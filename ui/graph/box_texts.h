#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "ui/graph/layout_service.h"

namespace stashscope::ui {

/// A text in several forms, the whole one first, with their widths at `title_pixels`.
struct TextForms {
  struct Form {
    QString text;
    double width = 0;
  };
  std::vector<Form> forms;

  /// The longest form within a width at a font size; null if none fits.
  const Form* within(double width, double pixels) const;
};

/// The texts on the boxes of a picture. They are made when a box is first painted, so that a
/// picture of thousands of boxes is there quickly, and kept, so that frames make no texts.
class BoxTexts {
 public:
  struct Texts {
    TextForms title;
    TextForms heading;             ///< of an open box
    std::vector<TextForms> lines;  ///< below the title, as far as there is room
  };

  explicit BoxTexts(std::shared_ptr<const GraphPicture> picture);

  const Texts& of(std::size_t box) const;

 private:
  Texts make(std::size_t box) const;

  std::shared_ptr<const GraphPicture> picture_;
  mutable std::vector<std::unique_ptr<const Texts>> texts_;  // by box; null until first painted
};

}  // namespace stashscope::ui
