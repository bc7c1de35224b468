#include "tests/ui/support/window_test.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>

#include "tests/support/model_builder.h"
#include "tests/support/named_model.h"
#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui::test {

using namespace Qt::StringLiterals;

void WindowTest::SetUp() {
  QSettings().clear();
  QSettings().setValue(u"window/workspace"_s, QString::fromLatin1(all_panels));
  start_window();
}

void WindowTest::start_window() { start_window(STASHSCOPE_PROGRAM); }

void WindowTest::start_window(const std::filesystem::path& layout_program) {
  window_.reset();
  window_ = std::make_unique<MainWindow>(WindowPlaces{
      layout_program, folder_.filePath(u"autosave"_s), folder_.filePath(u"thumbnails"_s)});
  window_->resize(1600, 1000);
  window_->show();
  window_->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get(), patience));
}

void WindowTest::open(const QString& path) {
  const Study* const before = document().study().get();
  document().open(path);
  ASSERT_TRUE(comes_true([&] { return document().study().get() != before; }))
      << message().toStdString();
  ASSERT_TRUE(settles());
}

void WindowTest::open_step_without_nodes() {
  LoadedModel empty;
  empty.session.model = "empty.onnx";
  empty.model =
      stashscope::test::named(stashscope::test::ModelBuilder().input("x", {4}).output("x"));
  document().open(u"empty.onnx"_s, [empty] { return empty; });
  ASSERT_TRUE(comes_true([&] {
    return document().study() != nullptr && document().study()->current->timeline.order.empty();
  }));
}

void WindowTest::choose_memory(std::int64_t bytes) {
  Choices choices = document().choices();
  choices.times.device_memory = bytes;
  document().choose(choices, u"memory"_s);
  ASSERT_TRUE(settles());
}

bool WindowTest::settles() {
  return comes_true([this] {
    return document().study() != nullptr && !document().study_job().is_busy() &&
           document().study()->choices == document().choices() && window_->is_settled();
  });
}

void WindowTest::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  window_->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get(), patience));
  QWidget* const focus = window_->focusWidget();
  QTest::keyClick(focus != nullptr ? focus : window_.get(), key, modifiers);
}

void WindowTest::click(QWidget& widget) {
  ASSERT_TRUE(widget.isVisible() && widget.isEnabled()) << widget.objectName().toStdString();
  QTest::mouseClick(&widget, Qt::LeftButton);
}

void WindowTest::click_cell(QAbstractItemView& view, const QModelIndex& index) {
  view.scrollTo(index);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(index).center());
}

void WindowTest::click_check_box(QAbstractItemView& view, const QModelIndex& index) {
  view.scrollTo(index);
  QStyleOptionViewItem option;
  option.initFrom(&view);
  option.features = QStyleOptionViewItem::HasCheckIndicator | QStyleOptionViewItem::HasDisplay;
  option.rect =
      view.visualRect(index).adjusted(CellDelegate::padding, 0, -CellDelegate::padding, 0);
  const QRect box =
      view.style()->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, &view);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, box.center());
}

void WindowTest::choose_entry(const QString& combo_box, int index) {
  auto& box = find<QComboBox>(combo_box);
  box.setFocus();
  while (box.currentIndex() < index) QTest::keyClick(&box, Qt::Key_Down);
  while (box.currentIndex() > index) QTest::keyClick(&box, Qt::Key_Up);
}

void WindowTest::answer_file_dialog(const QString& dialog, const QString& path) {
  QFileDialog* shown = nullptr;
  ASSERT_TRUE(comes_true([&] {
    shown = window_->findChild<QFileDialog*>(dialog);
    return shown != nullptr && shown->isVisible();
  }));
  auto* const line = shown->findChild<QLineEdit*>(u"fileNameEdit"_s);
  ASSERT_NE(line, nullptr);
  // Pasted, because the dialog changes its folder while a path is typed.
  line->setCompleter(nullptr);
  line->selectAll();
  QApplication::clipboard()->setText(path);
  QTest::keyClick(line, Qt::Key_V, Qt::ControlModifier);
  auto* const buttons = shown->findChild<QDialogButtonBox*>(u"buttonBox"_s);
  ASSERT_NE(buttons, nullptr);
  const bool saves = shown->acceptMode() == QFileDialog::AcceptSave;
  QPushButton* const accept =
      buttons->button(saves ? QDialogButtonBox::Save : QDialogButtonBox::Open);
  ASSERT_TRUE(comes_true([&] { return accept->isEnabled(); }));
  QTest::mouseClick(accept, Qt::LeftButton);
  ASSERT_TRUE(comes_true([&] { return window_->findChild<QFileDialog*>(dialog) == nullptr; }));
}

void WindowTest::answer_question(const QString& box, const QString& button_text) {
  QMessageBox* shown = nullptr;
  ASSERT_TRUE(comes_true([&] {
    shown = window_->findChild<QMessageBox*>(box);
    return shown != nullptr && shown->isVisible();
  }));
  for (QAbstractButton* const button : shown->buttons()) {
    if (button->text().remove(u'&') != button_text) continue;
    QTest::mouseClick(button, Qt::LeftButton);
    return;
  }
  FAIL() << "no button " << button_text.toStdString();
}

void WindowTest::click_message_action(const QString& label) {
  for (QPushButton* const button : window_->findChildren<QPushButton*>(u"message_action"_s)) {
    if (button->text() == label) return click(*button);
  }
  FAIL() << "no action " << label.toStdString();
}

QString WindowTest::message() {
  return find<QWidget>(u"message_bar"_s).isVisible()
             ? find<MessageText>(u"message_text"_s).toPlainText()
             : QString();
}

}  // namespace stashscope::ui::test
