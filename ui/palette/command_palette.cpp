#include "ui/palette/command_palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "ui/palette/command_delegate.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int widest = 680;
constexpr int margin = 40;
constexpr int most_rows = 12;
constexpr int padding = 8;

bool is_own_key(int key) {
  switch (key) {
    case Qt::Key_Escape:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      return true;
    default:
      return false;
  }
}

}  // namespace

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window),
      line_(new QLineEdit),
      list_(new QListView),
      nothing_(new QLabel(tr("Nothing found"))) {
  setObjectName(u"command_palette"_s);
  setAccessibleName(tr("Commands"));
  setAutoFillBackground(true);
  setFrameShape(StyledPanel);
  line_->setObjectName(u"command_line"_s);
  line_->setAccessibleName(tr("Command"));
  line_->setPlaceholderText(tr("Type what you want to do"));
  line_->installEventFilter(this);
  list_->setObjectName(u"command_list"_s);
  list_->setAccessibleName(tr("Matching commands"));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setFrameShape(NoFrame);
  list_->setUniformItemSizes(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setItemDelegate(new CommandDelegate(list_));
  list_->setModel(&model_);
  nothing_->setObjectName(u"command_nothing"_s);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(padding, padding, padding, padding);
  layout->setSpacing(padding);
  layout->addWidget(line_);
  layout->addWidget(list_);
  layout->addWidget(nothing_);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(list_, &QListView::clicked, this, &CommandPalette::run);
  connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
    if (isVisible() && now != nullptr && now != line_) hide();
  });
  hide();
}

void CommandPalette::open(std::vector<Command> commands) {
  std::erase_if(commands, [](const Command& each) { return !can_be_seen(each); });
  if (!isVisible()) focused_before_ = window()->focusWidget();
  model_.set_commands(std::move(commands));
  line_->clear();
  filter({});
  show();
  raise();
  line_->setFocus();
}

void CommandPalette::filter(const QString& pattern) {
  model_.set_pattern(pattern);
  list_->setCurrentIndex(model_.index(0, 0));
  list_->setVisible(model_.rowCount() > 0);
  nothing_->setVisible(model_.rowCount() == 0);
  place();
}

/// Puts the palette near the upper edge of the window. The list is as high as its rows, but at most
/// as high as 12 rows.
void CommandPalette::place() {
  const int rows = std::min(model_.rowCount(), most_rows);
  if (rows > 0) list_->setFixedHeight(rows * list_->sizeHintForRow(0));
  const QSize room = parentWidget()->size();
  const int width = std::min(widest, room.width() - margin);
  layout()->activate();
  setGeometry((room.width() - width) / 2, margin, width, sizeHint().height());
}

void CommandPalette::move_current(int rows) {
  const int count = model_.rowCount();
  if (count == 0) return;
  const bool single = std::abs(rows) == 1;
  const int to = list_->currentIndex().row() + rows;
  const int row = single ? (to + count) % count : std::clamp(to, 0, count - 1);
  list_->setCurrentIndex(model_.index(row, 0));
}

void CommandPalette::run(const QModelIndex& index) {
  if (!index.isValid()) return;
  const QPointer<QAction> action = model_.action(index.row());
  if (action == nullptr) {
    leave();
    return Q_EMIT missed(index.data().toString());
  }
  if (!model_.can_be_done(index.row())) return;
  leave();
  action->trigger();
}

void CommandPalette::leave() {
  hide();
  if (focused_before_ != nullptr) focused_before_->setFocus();
}

bool CommandPalette::take_key(int key) {
  switch (key) {
    case Qt::Key_Up:
      move_current(-1);
      return true;
    case Qt::Key_Down:
      move_current(1);
      return true;
    case Qt::Key_PageUp:
      move_current(-most_rows);
      return true;
    case Qt::Key_PageDown:
      move_current(most_rows);
      return true;
    case Qt::Key_Escape:
      leave();
      return true;
    default:
      run(list_->currentIndex());
      return true;
  }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  const bool is_key =
      event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
  if (!is_key || !is_own_key(static_cast<QKeyEvent*>(event)->key())) {
    return QFrame::eventFilter(watched, event);
  }
  if (event->type() == QEvent::KeyPress) return take_key(static_cast<QKeyEvent*>(event)->key());
  // Accepts the key, so that it triggers no shortcut of the window.
  event->accept();
  return true;
}

}  // namespace stashscope::ui
