#pragma once

#include <QMenu>
#include <functional>

#include "ui/document/document.h"

namespace stashscope::ui {

/// What is done to a forward model before its backward pass is built, and in which precision it
/// computes.
class PassMenu : public QMenu {
  Q_OBJECT

 public:
  explicit PassMenu(Document& document, QWidget* parent = nullptr);

 private:
  /// A choice that is on or off.
  struct Entry {
    QAction* action;
    std::function<bool(const Choices&)> is_on;
  };

  void add_passes();
  void add_precisions();
  QAction* add_choice(QMenu* menu, const QString& name, const QString& text,
                      std::function<bool(const Choices&)> is_on);
  void add_pass(QMenu* menu, const std::string& name, const std::string& description);
  void show_choices();

  Document& document_;
  std::vector<Entry> entries_;
};

}  // namespace stashscope::ui
