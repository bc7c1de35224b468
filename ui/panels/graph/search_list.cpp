#include "ui/panels/graph/search_list.h"

#include <QAbstractListModel>
#include <QKeyEvent>
#include <algorithm>

#include "ui/panels/graph/hit_delegate.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int most_rows = 12;
constexpr int wanted_width = 460;  // at the normal text size

}  // namespace

class SearchList::Hits : public QAbstractListModel {
 public:
  using QAbstractListModel::QAbstractListModel;

  void set(int count, HitText text) {
    beginResetModel();
    count_ = count;
    text_ = std::move(text);
    endResetModel();
  }
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : count_;
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const bool is_text = role == Qt::DisplayRole || role == Qt::ToolTipRole;
    return is_text ? QVariant(text_(index.row())) : QVariant();
  }

 private:
  int count_ = 0;
  HitText text_;
};

SearchList::SearchList(QLineEdit& field, QWidget* panel)
    : QListView(panel), field_(field), hits_(new Hits(this)) {
  setObjectName(u"graph_hits"_s);
  setAccessibleName(tr("Hits of the search"));
  setFocusPolicy(Qt::NoFocus);
  setUniformItemSizes(true);
  setTextElideMode(Qt::ElideRight);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setItemDelegate(new HitDelegate(this));
  setModel(hits_);
  hide();
  field_.installEventFilter(this);
  connect(this, &QListView::clicked, this,
          [this](const QModelIndex& index) { Q_EMIT hit_chosen(index.row()); });
}

void SearchList::set_hits(int count, HitText text) {
  hits_->set(count, std::move(text));
  if (count == 0) hide();
  if (isVisible()) open();
}

void SearchList::open(int row) {
  if (hits_->rowCount() == 0) return;
  place();
  show();
  raise();
  const QModelIndex index = hits_->index(std::clamp(row, 0, hits_->rowCount() - 1), 0);
  setCurrentIndex(index);
  scrollTo(index);
}

void SearchList::place() {
  const QWidget& panel = *parentWidget();
  const int rows = std::min(hits_->rowCount(), most_rows);
  const QPoint at = field_.mapTo(&panel, field_.rect().bottomLeft());
  const int wide = std::max(field_.width(), qRound(wanted_width * text_scale()));
  const int high = rows * sizeHintForRow(0) + 2 * frameWidth();
  setGeometry(at.x(), at.y() + 1, std::min(wide, panel.width() - at.x()),
              std::min(high, panel.height() - at.y() - 1));
}

bool SearchList::take_key(int key) {
  if (key == Qt::Key_Escape && isVisible()) {
    hide();
    return true;
  }
  if (key != Qt::Key_Down && key != Qt::Key_Up) return false;
  if (!isVisible()) {
    open(std::max(0, currentIndex().row()));
  } else {
    const int row = currentIndex().row() + (key == Qt::Key_Down ? 1 : -1);
    open(row);
  }
  return true;
}

bool SearchList::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut) hide();
  if (event->type() == QEvent::KeyPress) {
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (key.modifiers() == Qt::NoModifier && take_key(key.key())) return true;
  }
  // Otherwise the window would take Escape for its own command.
  if (event->type() == QEvent::ShortcutOverride && isVisible() &&
      static_cast<const QKeyEvent&>(*event).key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QListView::eventFilter(watched, event);
}

}  // namespace stashscope::ui
