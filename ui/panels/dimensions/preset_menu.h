#pragma once

#include <QMenu>

#include "ui/document/dimension_presets.h"
#include "ui/document/document.h"

namespace stashscope::ui {

/// A menu of named sets of sizes for all dimensions: bundled sets, and sets that the user saved for
/// models with the same dimensions.
class PresetMenu : public QMenu {
  Q_OBJECT

 public:
  explicit PresetMenu(Document& document, QWidget* parent = nullptr);

 private:
  void fill();
  void add_bundled();
  void add_saved();
  void apply(const DimensionSizes& sizes, const QString& text);
  void ask_name();
  const std::vector<Dimension>& dimensions() const;

  Document& document_;
};

}  // namespace stashscope::ui
