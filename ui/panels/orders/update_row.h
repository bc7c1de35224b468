#pragma once

#include <QCheckBox>
#include <QComboBox>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Options of the parameter update: the optimizer, whether the optimizer keeps master weights, and
/// whether each gradient is freed early.
class UpdateRow : public QWidget {
  Q_OBJECT

 public:
  explicit UpdateRow(Document& document, QWidget* parent = nullptr);

 private:
  void list_optimizers();
  void choose(const UpdateChoice& update, const QString& text, const QString& merge_key = {});
  void show_choices();

  Document& document_;
  QComboBox* optimizer_;
  QCheckBox* master_weights_;
  QCheckBox* release_gradients_;
};

}  // namespace stashscope::ui
