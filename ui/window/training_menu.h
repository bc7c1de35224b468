#pragma once

#include <QMenu>
#include <functional>

#include "ui/document/document.h"

class QActionGroup;

namespace stashscope::ui {

/// How the step is trained: what is done to the model before differentiation, in which precision,
/// and how parameters are updated.
class TrainingMenu : public QMenu {
  Q_OBJECT

 public:
  explicit TrainingMenu(Document& document, QWidget* parent = nullptr);

 private:
  /// A choice that is on or off.
  struct Entry {
    QAction* action;
    std::function<bool(const Choices&)> is_on;
  };

  void add_passes();
  void add_precisions();
  void add_optimizers();
  void add_switch(QMenu* menu, const QString& name, const QString& text, const QString& explanation,
                  std::function<bool(const Choices&)> is_on,
                  std::function<void(Choices&, bool)> set);
  /// One of several that exclude each other.
  void add_option(QMenu* menu, QActionGroup* group, const QString& name, const QString& text,
                  const QString& explanation, std::function<bool(const Choices&)> is_on,
                  std::function<void(Choices&)> set);
  void show_choices();

  Document& document_;
  std::vector<Entry> entries_;
};

}  // namespace stashscope::ui
