#pragma once

#include <gtest/gtest.h>

#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <memory>

#include "tests/ui/support/samples.h"
#include "ui/window/main_window.h"

namespace stashscope::ui::test {

/// A window without a display, and helpers to use it. They use only widgets that a user sees, found
/// by their object names.
class WindowTest : public testing::Test {
 protected:
  void SetUp() override;

  /// Another window with the same files and folders, as if the program was started again.
  void start_window();
  void start_window(const std::filesystem::path& layout_program);

  MainWindow& window() { return *window_; }
  Document& document() { return window_->document(); }
  QString in_folder(const QString& name) const { return folder_.filePath(name); }

  /// The widget with that name. If there is none, the test fails and ends.
  template <class W>
  W& find(const QString& name) {
    W* const found = window_->findChild<W*>(name);
    if (found == nullptr) throw std::runtime_error("no widget " + name.toStdString());
    return *found;
  }

  /// Opens a file and waits until its graph is drawn.
  void open(const QString& path);
  /// Opens a step that has an input and runs no node.
  void open_step_without_nodes();
  /// Waits until the study and the drawing belong to the user's choices.
  [[nodiscard]] bool settles();
  /// Chooses another amount of memory that the step must fit.
  void choose_memory(std::int64_t bytes);

  /// Presses a key with the main window in front.
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  void click(QWidget& widget);
  void click_cell(QAbstractItemView& view, const QModelIndex& index);
  void click_cell(QAbstractItemView& view, int row, int column) {
    click_cell(view, view.model()->index(row, column));
  }
  /// Clicks the check box at the left of a cell.
  void click_check_box(QAbstractItemView& view, const QModelIndex& index);
  void click_check_box(QAbstractItemView& view, int row, int column) {
    click_check_box(view, view.model()->index(row, column));
  }
  void choose_entry(const QString& combo_box, int index);
  /// Types a path into the file dialog of that name and accepts it.
  void answer_file_dialog(const QString& dialog, const QString& path);
  /// Presses a button of the message box of that name, once it is there.
  void answer_question(const QString& box, const QString& button_text);
  void click_message_action(const QString& label);

  PlanTreeView& plans() { return find<PlanTreeView>(QStringLiteral("plan_tree")); }
  /// The answer bar's text, as rich text.
  QString bar() { return find<QLabel>(QStringLiteral("answer_text")).text(); }
  QString status() { return find<QLabel>(QStringLiteral("status_answer")).text(); }
  /// Empty while no message is shown.
  QString message();

  std::int64_t peak() { return document().study()->current->timeline.peak_bytes; }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace stashscope::ui::test
