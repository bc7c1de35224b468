#pragma once

#include "ui/widgets/link_label.h"

namespace stashscope::ui {

/// Says that the plans of an ONNX model are not for the PyTorch script that the model came from,
/// and links to the page that says how such a script gets plans.
class RuntimeHint : public LinkLabel {
  Q_OBJECT

 public:
  explicit RuntimeHint(QWidget* parent = nullptr);

 Q_SIGNALS:
  void help_wanted();
};

}  // namespace stashscope::ui
