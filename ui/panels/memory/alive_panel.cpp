#include "ui/panels/memory/alive_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/charts/band_colours.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"
#include "ui/theme/text_size.h"
#include "ui/theme/theme.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/main_widget.h"
#include "ui/widgets/peak_link.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr QSize swatch_size(8, 12);
/// The text of the bands is shown only if the table below it has room for this many rows.
constexpr int least_rows = 6;

/// Indexes of entries in the box that chooses which tensors are listed. The entry with index 0
/// lists the tensors at the cursor.
constexpr int stashed_extent = 1;
constexpr int step_extent = 2;
/// Widths of the names of tensors in pixels, at the normal text size.
constexpr int name_width = 208;
constexpr int least_name_width = 160;

QString band_link(Band band) { return QString::number(static_cast<int>(band)); }

/// The bands with bytes, largest first, as rich text: the colour, name and bytes of each band. Each
/// name is a link that limits the table to the tensors of the band. The band `kept`, to which the
/// table is limited now, is listed even without bytes; its name is bold.
QString bands_text(const BandBytes& bytes, std::optional<Band> kept, const Theme& theme) {
  std::vector<Band> bands;
  for (std::size_t i = 0; i < band_count; ++i) {
    const Band band = static_cast<Band>(i);
    if (bytes[i] > 0 || band == kept) bands.push_back(band);
  }
  std::stable_sort(bands.begin(), bands.end(),
                   [&](Band a, Band b) { return of(bytes, a) > of(bytes, b); });
  QStringList entries;
  for (const Band band : bands) {
    const QString name = shown(std::string(title_of(band))).replace(u' ', QChar::Nbsp);
    entries << QStringLiteral(
                   "<span style=\"color:%1\">&#9632;</span>&nbsp;<a href=\"%2\" "
                   "style=\"color:%3;text-decoration:none\">%4</a>&nbsp;%5")
                   .arg(band_colour(band, theme).name(), band_link(band), theme.text.name(),
                        band == kept ? QStringLiteral("<b>%1</b>").arg(name) : name,
                        bytes_text(of(bytes, band)).replace(u' ', QChar::Nbsp));
  }
  if (kept) {
    entries << QStringLiteral("<a href=\"all\">%1</a>")
                   .arg(AlivePanel::tr("all roles").replace(u' ', QChar::Nbsp));
  }
  return entries.join(QStringLiteral("&ensp; "));
}

/// The bands that have bytes in any slot.
std::vector<Band> bands_of(const Variant& step) {
  std::vector<Band> bands;
  for (std::size_t i = 0; i < band_count; ++i) {
    const auto has_bytes = [i](const BandBytes& bytes) { return bytes[i] > 0; };
    if (std::ranges::any_of(step.bands, has_bytes)) bands.push_back(static_cast<Band>(i));
  }
  return bands;
}

}  // namespace

AlivePanel::AlivePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      heading_(new ElidedLabel),
      extent_(new QComboBox),
      to_peak_(make_peak_link(QStringLiteral("alive_to_peak"))),
      bands_(new QLabel),
      table_(new TableView),
      names_(new TensorDelegate([this] { return model_.names(); }, table_)) {
  setObjectName(QStringLiteral("alive_panel"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  bands_->setObjectName(QStringLiteral("alive_bands"));
  bands_->setContentsMargins(8, 0, 8, 6);
  bands_->setToolTip(
      tr("A click on the name of a role limits the table to the tensors with this role."));
  bands_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(bands_, &QLabel::linkActivated, this, &AlivePanel::choose_band);
  bands_->setWordWrap(true);
  bands_->hide();
  layout->addWidget(make_heading());
  layout->addWidget(bands_);
  layout->addWidget(table_);
  make_table();
  set_main_widget(*this, table_);
  connect(&document_, &Document::opened, this,
          [this] { keep_band_of_extent(extent_->currentIndex()); });
  connect(&document_, &Document::study_changed, this, &AlivePanel::show_moment);
  connect(&document_, &Document::study_changed, this, &AlivePanel::fit_columns);
  connect(&document_.selection(), &LinkedSelection::changed, this, &AlivePanel::show_moment);
}

QWidget* AlivePanel::make_heading() {
  heading_->setObjectName(QStringLiteral("alive_heading"));
  connect(to_peak_, &QToolButton::clicked, &document_.selection(), &LinkedSelection::select_peak);
  auto* const bar = new QWidget;
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 2, 8, 2);
  extent_->setObjectName(QStringLiteral("alive_extent"));
  extent_->setAccessibleName(tr("Which tensors are listed"));
  extent_->setToolTip(extent_->accessibleName());
  extent_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  extent_->setMinimumWidth(40);
  extent_->addItems({tr("At the cursor"), tr("All stashed"), tr("Whole step")});
  connect(extent_, &QComboBox::currentIndexChanged, this, &AlivePanel::choose_extent);
  row->addWidget(heading_, 1);
  row->addWidget(extent_);
  row->addWidget(to_peak_);
  return bar;
}

void AlivePanel::make_table() {
  table_->setObjectName(QStringLiteral("alive_table"));
  table_->setAccessibleName(tr("Tensors in memory"));
  table_->setModel(&model_);
  table_->let_sort();
  table_->setItemDelegateForColumn(AliveModel::tensor, names_);
  table_->setIconSize(swatch_size);
  table_->cut_at_end({AliveModel::role, AliveModel::type});
  table_->setTextElideMode(Qt::ElideLeft);
  table_->set_invitation(tr("Open a model to see what fills its memory."));
  table_->horizontalHeader()->resizeSection(AliveModel::tensor, name_width);
  table_->horizontalHeader()->resizeSection(AliveModel::type, 150);
  table_->horizontalHeader()->resizeSection(AliveModel::made_by, 180);
  table_->horizontalHeader()->resizeSection(AliveModel::last_read_by, 180);
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    const NodeId maker = model_.maker(index.row());
    if (maker.valid()) {
      document_.selection().select_node(maker, LinkedSelection::Cursor::stays);
    } else {
      document_.selection().select_tensor(model_.root(index.row()));
    }
  });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const NodeId maker = model_.maker(index.row());
    if (maker.valid()) {
      Q_EMIT node_wanted(maker);
    } else {
      Q_EMIT tensor_wanted(model_.root(index.row()));
    }
  });
}

void AlivePanel::choose_extent(int index) {
  shown_study_ = nullptr;
  keep_band_of_extent(index);
  show_moment();
}

void AlivePanel::keep_band_of_extent(int index) {
  model_.keep_band(index == stashed_extent ? std::optional(Band::stashed) : std::nullopt);
}

void AlivePanel::choose_band(const QString& link) {
  bool is_band = false;
  const int band = link.toInt(&is_band);
  const auto wanted = is_band ? std::optional(static_cast<Band>(band)) : std::nullopt;
  model_.keep_band(wanted == model_.kept_band() ? std::nullopt : wanted);
  if (extent_->currentIndex() == stashed_extent && model_.kept_band() != Band::stashed) {
    // The table is no longer limited to stashed tensors. The tensors of the whole step need not be
    // listed again, because the table already has them.
    const QSignalBlocker silent(extent_);
    extent_->setCurrentIndex(step_extent);
  }
  names_->forget_names();
  show_heading();
  show_bands();
}

void AlivePanel::show_moment() {
  const auto& study = document_.study();
  if (shows_step()) return show_step();
  const std::size_t slot = document_.selection().slot();
  if (study == nullptr || (study.get() == shown_study_ && slot == shown_slot_)) return;
  shown_study_ = study.get();
  shown_slot_ = slot;
  model_.set_moment(study, slot);
  names_->forget_names();
  if (slot >= study->current->timeline.order.size()) return;
  show_heading();
  show_bands();
}

void AlivePanel::show_step() {
  const auto& study = document_.study();
  if (study == nullptr || study.get() == shown_study_) return;
  shown_study_ = study.get();
  model_.set_step(study);
  names_->forget_names();
  show_heading();
  show_bands();
}

void AlivePanel::show_heading() {
  const auto& study = document_.study();
  const auto is_slot = [&] { return shown_slot_ < study->current->timeline.order.size(); };
  if (study == nullptr || (!shows_step() && !is_slot())) return;
  const QString tensors = counted(model_.rowCount(), tr("1 tensor"), tr("%1 tensors"));
  const QString bytes = bytes_text(model_.shown_bytes());
  to_peak_->setVisible(!shows_step() && shown_slot_ != study->current->timeline.peak_slot);
  if (shows_step()) return tell(tr("Over the step"), bytes, tensors);
  const bool at_peak = shown_slot_ == study->current->timeline.peak_slot;
  const QString live = bytes_text(study->current->timeline.live_bytes[shown_slot_]);
  tell((at_peak ? tr("At the peak, slot %1") : tr("In slot %1")).arg(shown_slot_ + 1),
       model_.kept_band() ? bytes : live, tensors);
}

void AlivePanel::tell(const QString& where, const QString& bytes, const QString& tensors) {
  heading_->set_forms(
      {tr("%1: %2 in %3").arg(where, bytes, tensors), tr("%1: %2").arg(where, bytes), bytes});
}

void AlivePanel::show_bands() {
  const auto& study = document_.study();
  if (study == nullptr || study.get() != shown_study_) return;
  if (!shows_step() && shown_slot_ >= study->current->bands.size()) return;
  const Theme theme = theme_of(palette());
  model_.set_theme(theme);
  const BandBytes& bytes =
      shows_step() ? model_.bytes_by_band() : study->current->bands[shown_slot_];
  bands_->setText(bands_text(bytes, model_.kept_band(), theme));
  heading_->setToolTip(tr("%1<br>By use: %2").arg(heading_->text(), bands_->text()));
  fit_bands();
}

void AlivePanel::fit_bands() {
  const int row = table_->verticalHeader()->defaultSectionSize();
  const int taken = heading_->parentWidget()->sizeHint().height() +
                    bands_->heightForWidth(width()) +
                    table_->horizontalHeader()->sizeHint().height();
  bands_->setVisible(!bands_->text().isEmpty() && height() - taken >= least_rows * row);
}

/// Makes the columns for sizes, roles and slots wide enough for their texts. The column for names
/// gets the width that is left, because names have shorter forms.
void AlivePanel::fit_columns() {
  const auto& study = document_.study();
  if (study == nullptr) return;
  const int margins = 2 * (CellDelegate::padding + 2 +
                           style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, table_));
  const auto width = [&](const QString& text) {
    return table_->fontMetrics().horizontalAdvance(text) + margins;
  };
  int role = 0;
  for (const Band band : bands_of(*study->current)) {
    role = std::max(role, width(shown(std::string(title_of(band)))));
  }
  const int life = std::max(width(tr("persistent")),
                            width(tr("%1 – %1").arg(study->current->timeline.order.size())));
  const QString largest = model_.index(0, AliveModel::bytes).data().toString();
  const int bytes = std::max(width(u"000.00 MiB"_s), width(largest));
  // If nothing has changed since the last fit, the columns keep the widths that the user gave them.
  const std::array widths = {table_->viewport()->width(), bytes, role, life};
  if (std::exchange(fitted_, widths) == widths) return;
  QHeaderView& header = *table_->horizontalHeader();
  header.resizeSection(AliveModel::bytes, bytes);
  header.resizeSection(AliveModel::role, role);
  header.resizeSection(AliveModel::life, life);
  header.resizeSection(
      AliveModel::tensor,
      std::clamp(table_->viewport()->width() - bytes - role - life,
                 qRound(least_name_width * text_scale()), qRound(name_width * text_scale())));
}

void AlivePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_bands();
  // Queued, because the table gets its size after the panel.
  QMetaObject::invokeMethod(this, &AlivePanel::fit_columns, Qt::QueuedConnection);
}

void AlivePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_bands();
  // Queued, because the table scales its columns after the panel.
  if (event->type() == QEvent::FontChange)
    QMetaObject::invokeMethod(this, &AlivePanel::fit_columns, Qt::QueuedConnection);
}

}  // namespace stashscope::ui
