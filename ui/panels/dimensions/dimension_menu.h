#pragma once

#include <QMenu>

#include "ui/document/document.h"

namespace stashscope::ui {

/// A menu for one dimension. Its actions unify the dimension with another one, separate unified
/// dimensions, change the size, and show the peak against the size.
class DimensionMenu : public QMenu {
  Q_OBJECT

 public:
  DimensionMenu(Document& document, const QString& name, QWidget* parent);

 Q_SIGNALS:
  void sweep_wanted(const QString& dimension);

 private:
  void fill();
  void add_same(const Dimension& dimension);
  void add_separate(const Dimension& dimension);
  void add_sizes(const Dimension& dimension);
  void set_size(const Dimension& dimension, std::int64_t size);

  Document& document_;
  const QString name_;
};

}  // namespace stashscope::ui
