#include "ui/panels/compare/compare_panel.h"

#include <QEvent>
#include <QFileInfo>
#include <QHeaderView>
#include <QSettings>
#include <QSplitter>

#include "core/study/edits/dimension_edits.h"
#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int name_width = 180;
constexpr int least_name_width = 112;
constexpr int most_group_width = 132;
constexpr int most_side_width = 96;
constexpr int least_difference_width = 96;
/// Widths of the table and the chart, relative to each other.
constexpr int table_share = 660;
constexpr int chart_share = 300;
/// A table that is wider than its share leaves at least this width to the chart.
constexpr int least_chart_width = 200;

/// In a panel at least this wide, in pixels at the normal text size, the table and the chart always
/// stand side by side.
constexpr int least_side_by_side = 800;

/// The table and the chart, side by side or stacked. Until the user moves the border between them,
/// a table beside the chart is wide enough for its columns, as far as the chart keeps its minimum
/// width.
class CompareParts : public QSplitter {
 public:
  CompareParts(TableView& table, QWidget& chart) : table_(table) {
    setChildrenCollapsible(false);
    addWidget(&table);
    addWidget(&chart);
    connect(this, &QSplitter::splitterMoved, this, [this] { is_moved_ = true; });
    // Queued, because the same signal makes the table fit its columns, which must happen first.
    connect(
        table.model(), &QAbstractItemModel::modelReset, this, [this] { fit(); },
        Qt::QueuedConnection);
  }

  /// As high as one part, because parts are stacked only where there is height for both.
  QSize minimumSizeHint() const override {
    int height = 0;
    for (int i = 0; i < count(); ++i) height = std::max(height, least_height(*widget(i)));
    return {QSplitter::minimumSizeHint().width(), height};
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    orient();
    QSplitter::resizeEvent(event);
    fit();
  }
  void changeEvent(QEvent* event) override {
    QSplitter::changeEvent(event);
    if (event->type() != QEvent::FontChange) return;
    orient();
    // Queued, because the table has not grown yet.
    QMetaObject::invokeMethod(
        this, [this] { fit(); }, Qt::QueuedConnection);
  }

 private:
  static int least_height(const QWidget& part) {
    return part.minimumHeight() > 0 ? part.minimumHeight() : part.minimumSizeHint().height();
  }
  int stacked_height() const {
    int height = handleWidth();
    for (int i = 0; i < count(); ++i) height += least_height(*widget(i));
    return height;
  }
  /// Stacks the table above the chart if the width is less than `least_side_by_side` and the height
  /// is enough for both. Otherwise they stand side by side, even in a narrow panel.
  void orient() {
    const bool is_narrow = width() < qRound(least_side_by_side * text_scale());
    const bool is_stacked = is_narrow && height() >= stacked_height();
    setOrientation(is_stacked ? Qt::Vertical : Qt::Horizontal);
  }
  void fit() {
    if (is_moved_ || orientation() == Qt::Vertical) return;
    const int share = width() * table_share / (table_share + chart_share);
    const int table = std::max(share, std::min(table_.whole_width(), width() - least_chart_width));
    setSizes({table, width() - table});
  }

  TableView& table_;
  bool is_moved_ = false;
};

QString file_of(const Document& document) {
  return document.files().session_path().isEmpty() ? document.model_path()
                                                   : document.files().session_path();
}

}  // namespace

ComparePanel::ComparePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      swapped_(QSettings().value(u"compare/swapped"_s).toBool()),
      pages_(new QStackedWidget),
      invitation_(new QLabel),
      again_(new QPushButton),
      stage_(new QLabel),
      progress_(new QProgressBar),
      left_title_(new ElidedLabel({})),
      right_title_(new ElidedLabel({})),
      all_(new QCheckBox(tr("All rows"))),
      sizes_(new SizesRow),
      table_(new TableView),
      chart_(new ComparisonChart) {
  setObjectName(u"compare_panel"_s);
  pages_->addWidget(make_invitation());
  pages_->addWidget(make_comparison());
  progress_row_ = make_progress();
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(progress_row_);
  layout->addWidget(pages_, 1);
  connect(sizes_, &SizesRow::same_sizes_wanted, this, &ComparePanel::take_sizes);
  connect(sizes_, &SizesRow::own_sizes_wanted, this, &ComparePanel::give_back_sizes);
  connect(&document_, &Document::study_changed, this, &ComparePanel::show_rows);
  connect(&document_, &Document::opened, this, &ComparePanel::close_for_another_model);
  connect(&document_.files(), &DocumentFiles::paths_changed, this, &ComparePanel::show_titles);
  // Queued, because the undo stack gets the edit only after the signal.
  connect(&document_, &Document::choices_changed, this, &ComparePanel::show_titles,
          Qt::QueuedConnection);
  show_state();
}

QWidget* ComparePanel::make_invitation() {
  auto* const page = new QWidget;
  invitation_->setObjectName(u"compare_invitation"_s);
  invitation_->setWordWrap(true);
  invitation_->setAlignment(Qt::AlignCenter);
  invitation_->setMinimumHeight(1);
  auto* const choose = new QPushButton(tr("Compare with…"));
  choose->setObjectName(u"compare_choose"_s);
  again_->setObjectName(u"compare_again"_s);
  auto* const buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(choose);
  buttons->addWidget(again_);
  buttons->addStretch(1);
  auto* const layout = new QVBoxLayout(page);
  layout->setContentsMargins(spacing_unit, 0, spacing_unit, 0);
  layout->addStretch(1);
  layout->addWidget(invitation_);
  layout->addLayout(buttons);
  layout->addStretch(2);
  connect(choose, &QPushButton::clicked, this, &ComparePanel::choice_wanted);
  connect(again_, &QPushButton::clicked, this, [this] { open(remembered_file()); });
  return page;
}

QWidget* ComparePanel::make_comparison() {
  table_->setObjectName(u"compare_table"_s);
  table_->setAccessibleName(tr("Differences"));
  table_->setModel(&model_);
  table_->let_sort();
  table_->set_invitation(tr("Both sides are the same."));
  table_->horizontalHeader()->resizeSection(ComparisonModel::name, name_width);
  table_->fit_to_content(ComparisonModel::group, most_group_width);
  table_->fit_to_content(ComparisonModel::left, most_side_width);
  table_->fit_to_content(ComparisonModel::right, most_side_width);
  table_->cut_at_end({ComparisonModel::group, ComparisonModel::difference});
  table_->set_flexible_column(ComparisonModel::name, least_name_width, least_difference_width);
  table_->keep_last_whole();
  auto* const split = new CompareParts(*table_, *chart_);
  auto* const page = new QWidget;
  auto* const layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_tools());
  layout->addWidget(sizes_);
  layout->addWidget(split, 1);
  return page;
}

QWidget* ComparePanel::make_tools() {
  auto* const row = new QWidget;
  tools_ = new QHBoxLayout(row);
  tools_->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  tools_->setSpacing(spacing_unit);
  left_title_->setObjectName(u"compare_left"_s);
  right_title_->setObjectName(u"compare_right"_s);
  all_->setObjectName(u"compare_all"_s);
  all_->setToolTip(tr("Also lists rows with the same value on both sides"));
  tools_->addWidget(left_title_, 1);
  QToolButton* const swap = add_tool(u"compare_swap"_s, u"⇄"_s, tr("Swap the sides"));
  tools_->addWidget(right_title_, 1);
  tools_->addWidget(all_);
  QToolButton* const choose =
      add_tool(u"compare_other"_s, tr("Other…"), tr("Compare with another file"));
  QToolButton* const close = add_tool(u"compare_close"_s, {}, tr("Close the comparison"));
  close->setIcon(icon(Icon::close));
  connect(all_, &QCheckBox::toggled, &model_, &ComparisonModel::show_all);
  connect(swap, &QToolButton::clicked, this, &ComparePanel::swap_sides);
  connect(choose, &QToolButton::clicked, this, &ComparePanel::choice_wanted);
  connect(close, &QToolButton::clicked, this, &ComparePanel::close_comparison);
  return row;
}

QToolButton* ComparePanel::add_tool(const QString& name, const QString& text, const QString& tip) {
  auto* const button = new QToolButton;
  button->setObjectName(name);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setAutoRaise(true);
  tools_->addWidget(button);
  return button;
}

QWidget* ComparePanel::make_progress() {
  auto* const row = new QWidget;
  auto* const cancel = new QPushButton(tr("Cancel"));
  cancel->setObjectName(u"compare_cancel"_s);
  stage_->setObjectName(u"compare_stage"_s);
  progress_->setObjectName(u"compare_progress"_s);
  progress_->setAccessibleName(tr("Progress of loading"));
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(spacing_unit);
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit / 2);
  layout->setSpacing(spacing_unit);
  layout->addWidget(stage_);
  layout->addWidget(progress_, 1);
  layout->addWidget(cancel);
  connect(cancel, &QPushButton::clicked, this, [this] {
    if (other_ != nullptr) other_->cancel();
  });
  return row;
}

void ComparePanel::make_other() {
  other_ = std::make_unique<Document>();
  connect(other_.get(), &Document::opened, this, &ComparePanel::take_opened);
  connect(other_.get(), &Document::study_changed, this, &ComparePanel::show_rows);
  connect(&other_->study_job(), &StudyJob::busy_changed, this, &ComparePanel::show_state);
  connect(&other_->notices(), &Notices::failed, this, &ComparePanel::failed);
  connect(&other_->study_job(), &StudyJob::progressed, this,
          [this](double fraction, const QString& stage) {
            progress_->setValue(static_cast<int>(1000 * fraction));
            stage_->setText(stage);
          });
}

void ComparePanel::open(const QString& path) {
  if (path.isEmpty()) return;
  load({path, {}}, tr("Loading %1").arg(QFileInfo(path).fileName()));
  other_->open(path);
}

void ComparePanel::open_state(const Choices& choices, const QString& name) {
  if (document_.study() == nullptr) return;
  load({file_of(document_), name}, tr("Computing “%1”").arg(name));
  other_->open_state(document_, choices);
}

void ComparePanel::load(const Other& other, const QString& stage) {
  if (other_ == nullptr) make_other();
  loading_ = other;
  progress_->setValue(0);
  stage_->setText(stage);
}

void ComparePanel::take_opened() {
  shown_ = true;
  shown_other_ = loading_;
  own_sizes_ = sizes_of(*other_->study());
  if (shown_other_.state.isEmpty()) {
    QSettings().setValue(u"compare/file"_s, QFileInfo(shown_other_.path).absoluteFilePath());
  }
  show_state();
  Q_EMIT opened();
}

void ComparePanel::close_for_another_model() {
  const bool is_another = !document_model_.isEmpty() && document_.model_path() != document_model_;
  document_model_ = document_.model_path();
  if (is_another) close_comparison();
}

void ComparePanel::take_sizes() {
  if (!is_comparing() || other_->study() == nullptr || document_.study() == nullptr) return;
  const SizeChoices sizes = sizes_that_differ(*document_.study(), *other_->study());
  other_->choose(with_dimensions(*other_->study(), other_->choices(), sizes),
                 tr("The sizes of the other side"));
}

void ComparePanel::give_back_sizes() {
  // Only sizes change on the other side, so the first state of its undo stack has its own sizes.
  if (is_comparing()) other_->undo_stack().setIndex(0);
}

void ComparePanel::swap_sides() {
  if (!is_comparing()) return;
  swapped_ = !swapped_;
  QSettings().setValue(u"compare/swapped"_s, swapped_);
  show_rows();
  show_titles();
}

void ComparePanel::close_comparison() {
  shown_ = false;
  model_.set_rows({});
  chart_->set_studies(nullptr, nullptr);
  if (other_ != nullptr && other_->study_job().is_busy()) {
    // Destroying the other document would wait for its thread, which may still be reading a large
    // file.
    other_->cancel();
  } else {
    other_.reset();
  }
  show_state();
}

QString ComparePanel::remembered_file() const {
  const QString file = QSettings().value(u"compare/file"_s).toString();
  return QFileInfo::exists(file) ? file : QString();
}

void ComparePanel::show_state() {
  const bool is_loading = other_ != nullptr && other_->study_job().is_busy();
  progress_row_->setVisible(is_loading);
  pages_->setCurrentIndex(is_comparing() ? 1 : 0);
  invitation_->setText(
      tr("Compare this model with another session or model: a table lists the differences, and one "
         "chart shows both memory curves."));
  const QString last = remembered_file();
  again_->setVisible(!last.isEmpty());
  again_->setText(tr("Compare with %1 again").arg(QFileInfo(last).fileName()));
  again_->setToolTip(last);
  show_titles();
}

void ComparePanel::show_titles() {
  if (!is_comparing()) return;
  show_title(*left_title_, left_text(), !swapped_);
  show_title(*right_title_, right_text(), swapped_);
}

void ComparePanel::show_title(ElidedLabel& label, const QString& side, bool is_here) {
  const QString path = is_here ? file_of(document_) : shown_other_.path;
  const QString file = QFileInfo(path).fileName();
  const QString plain = u"%1: %2"_s.arg(side, file);
  label.setToolTip(path);
  if (!is_here && shown_other_.state.isEmpty()) return label.set_forms({plain});
  if (!is_here) {
    return label.set_forms({tr("%1: %2 in the state “%3”").arg(side, file, shown_other_.state),
                            tr("%1: state “%2”").arg(side, shown_other_.state)});
  }
  if (document_.undo_stack().isClean()) {
    return label.set_forms({tr("%1: %2, as in this window").arg(side, file), plain});
  }
  label.set_forms({tr("%1: %2 with the changes of this window").arg(side, file),
                   tr("%1: %2, changed").arg(side, file)});
}

void ComparePanel::show_rows() {
  if (!is_comparing() || document_.study() == nullptr || other_->study() == nullptr) return;
  std::shared_ptr<const Study> left = document_.study();
  std::shared_ptr<const Study> right = other_->study();
  ReservedSides reserved{document_.reserved_bytes(), other_->reserved_bytes()};
  if (swapped_) {
    std::swap(left, right);
    std::swap(reserved.left, reserved.right);
  }
  model_.set_rows(compare(*left, *right, reserved));
  chart_->set_studies(left, right);
  sizes_->show_sizes(*document_.study(), *other_->study(), own_sizes_,
                     swapped_ ? left_text() : right_text());
}

}  // namespace stashscope::ui
