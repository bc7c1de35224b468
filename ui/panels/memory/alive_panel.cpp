#include "ui/panels/memory/alive_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/band_colours.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/peak_link.h"

namespace stashscope::ui {

namespace {

constexpr QSize swatch_size(8, 12);
constexpr int least_rows = 3;

/// The bands with bytes, largest first, as rich text: the colour, name and bytes of each band.
QString bands_text(const BandBytes& bytes, bool dark) {
  std::vector<Band> bands;
  for (std::size_t i = 0; i < band_count; ++i) {
    if (bytes[i] > 0) bands.push_back(static_cast<Band>(i));
  }
  std::stable_sort(bands.begin(), bands.end(),
                   [&](Band a, Band b) { return of(bytes, a) > of(bytes, b); });
  QStringList entries;
  for (const Band band : bands) {
    entries << QStringLiteral("<span style=\"color:%1\">&#9632;</span>&nbsp;%2&nbsp;%3")
                   .arg(band_colour(band, dark).name(),
                        shown(std::string(title_of(band))).replace(u' ', QChar::Nbsp),
                        bytes_text(of(bytes, band)).replace(u' ', QChar::Nbsp));
  }
  return entries.join(QStringLiteral("&ensp; "));
}

}  // namespace

AlivePanel::AlivePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      heading_(new ElidedLabel),
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
  bands_->setWordWrap(true);
  bands_->hide();
  layout->addWidget(make_heading());
  layout->addWidget(bands_);
  layout->addWidget(table_);
  make_table();
  connect(&document_, &Document::study_changed, this, &AlivePanel::show_moment);
  connect(&document_.selection(), &LinkedSelection::changed, this, &AlivePanel::show_moment);
}

QWidget* AlivePanel::make_heading() {
  heading_->setObjectName(QStringLiteral("alive_heading"));
  connect(to_peak_, &QToolButton::clicked, &document_.selection(), &LinkedSelection::select_peak);
  auto* const bar = new QWidget;
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 2, 8, 2);
  row->addWidget(heading_, 1);
  row->addWidget(to_peak_);
  return bar;
}

void AlivePanel::make_table() {
  table_->setObjectName(QStringLiteral("alive_table"));
  table_->setAccessibleName(tr("Tensors alive at the cursor"));
  table_->setModel(&model_);
  table_->let_sort();
  table_->setItemDelegateForColumn(AliveModel::tensor, names_);
  table_->setIconSize(swatch_size);
  table_->cut_at_end({AliveModel::role, AliveModel::type});
  table_->set_invitation(tr("Open a model to see what fills its memory."));
  table_->horizontalHeader()->resizeSection(AliveModel::tensor, 208);
  table_->horizontalHeader()->resizeSection(AliveModel::bytes, 96);
  table_->horizontalHeader()->resizeSection(AliveModel::role, 84);
  table_->horizontalHeader()->resizeSection(AliveModel::life, 104);
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    document_.selection().select_node(model_.maker(index.row()), LinkedSelection::Cursor::stays);
  });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const NodeId node = model_.maker_or_reader(index.row());
    if (node.valid()) Q_EMIT node_wanted(node);
  });
}

void AlivePanel::show_moment() {
  const auto& study = document_.study();
  const std::size_t slot = document_.selection().slot();
  if (study == nullptr || (study.get() == shown_study_ && slot == shown_slot_)) return;
  shown_study_ = study.get();
  shown_slot_ = slot;
  model_.set_moment(study, slot);
  names_->forget_names();
  const Timeline& timeline = study->current->timeline;
  if (slot >= timeline.order.size()) return;
  const bool at_peak = slot == timeline.peak_slot;
  to_peak_->setVisible(!at_peak);
  heading_->setText((at_peak ? tr("At the peak, slot %1: %2 in %3") : tr("In slot %1: %2 in %3"))
                        .arg(slot + 1)
                        .arg(bytes_text(timeline.live_bytes[slot]))
                        .arg(counted(model_.rowCount(), tr("1 tensor"), tr("%1 tensors"))));
  show_bands();
}

void AlivePanel::show_bands() {
  const auto& study = document_.study();
  if (study == nullptr || study.get() != shown_study_) return;
  if (shown_slot_ >= study->current->bands.size()) return;
  const bool dark = theme_of(palette()).dark;
  model_.set_dark(dark);
  bands_->setText(bands_text(study->current->bands[shown_slot_], dark));
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

void AlivePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_bands();
}

void AlivePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_bands();
}

}  // namespace stashscope::ui
