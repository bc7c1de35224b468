#pragma once

#include <QMenu>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Actions for one dimension: unify it with another dimension, separate unified dimensions, change
/// its size, show the peak against its size.
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
