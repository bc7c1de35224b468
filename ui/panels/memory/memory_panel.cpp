#include "ui/panels/memory/memory_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <utility>

#include "core/study/facts/step_tensors.h"
#include "ui/panels/memory/difference_panel.h"
#include "ui/panels/memory/pinned_row.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/main_widget.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int least_height = 42;

using Fill = MemoryLook::Fill;
using Colouring = MemoryLook::Colouring;

/// Tabs that shrink to one letter and an ellipsis. Qt's tabs shrink only to two letters and three
/// dots.
class NarrowTabs : public QTabBar {
 protected:
  QSize minimumTabSizeHint(int index) const override {
    const QString text = tabText(index);
    const int kept = fontMetrics().horizontalAdvance(text.left(2) + u"..."_s);
    const int needed = fontMetrics().horizontalAdvance(text.left(1) + u"…"_s);
    return QTabBar::minimumTabSizeHint(index) - QSize(kept - needed, 0);
  }
};

}  // namespace

MemoryPanel::MemoryPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      pinned_(document),
      view_(new MemoryView),
      tabs_(new NarrowTabs),
      pages_(new QStackedWidget),
      allocator_(new AllocatorRow(document)),
      segments_(new SegmentPage(document)),
      arena_(new ArenaPage(document)) {
  setObjectName(u"memory_panel"_s);
  setAccessibleName(tr("Memory over the step"));
  auto* const curve = new QWidget;
  auto* const curve_layout = new QVBoxLayout(curve);
  curve_layout->setContentsMargins(0, 0, 0, 0);
  curve_layout->setSpacing(0);
  curve_layout->addWidget(new PinnedRow(pinned_));
  curve_layout->addWidget(view_, 1);
  // The minimum height of a table would be too large for a small window.
  pages_->setMinimumHeight(least_height);
  pages_->addWidget(curve);
  pages_->addWidget(new DifferencePanel(document_));
  pages_->addWidget(segments_);
  pages_->addWidget(arena_);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_header());
  layout->addWidget(allocator_);
  layout->addWidget(pages_, 1);
  connect(&document_, &Document::study_changed, this, &MemoryPanel::show_curves);
  connect(&document_, &Document::measured_changed, this, &MemoryPanel::show_curves);
  connect(&document_, &Document::opened, view_, &MemoryView::show_all);
  connect(&document_.selection(), &LinkedSelection::changed, this, &MemoryPanel::follow_selection);
  connect(&pinned_, &PinnedVariants::changed, this, &MemoryPanel::show_curves);
  connect(view_, &MemoryView::slot_clicked, &document_.selection(), &LinkedSelection::select_slot);
  connect(view_, &MemoryView::tensor_chosen, this, &MemoryPanel::take_tensor);
  connect(view_, &MemoryView::look_changed, this, &MemoryPanel::show_look);
  connect(&segments_->map(), &SegmentMap::tensor_chosen, this, &MemoryPanel::select_tensor);
  connect(&document_, &Document::opened, &arena_->map(), &ArenaMap::show_all);
  connect(&arena_->map(), &ArenaMap::slot_clicked, &document_.selection(),
          &LinkedSelection::select_slot);
  connect(&arena_->map(), &ArenaMap::tensor_chosen, this, &MemoryPanel::take_tensor);
  connect(segments_, &SegmentPage::allocator_wanted, this, [this] { allocator_->switch_on(true); });
  set_main_widget(*this, view_);
  show_look();
}

QWidget* MemoryPanel::make_header() {
  auto* const header = new QWidget;
  auto* const layout = new QHBoxLayout(header);
  layout->setContentsMargins(spacing_unit / 2, 0, spacing_unit, 0);
  layout->setSpacing(spacing_unit / 2);
  // The checked button must be obvious, even on a dark background.
  header->setStyleSheet(
      u"QToolButton:checked { background: palette(highlight); color: palette(highlighted-text);"
      " border: 1px solid palette(highlight); padding: 3px; }"_s);
  tabs_->setObjectName(u"memory_tabs"_s);
  tabs_->setAccessibleName(tr("Memory pages"));
  tabs_->setDrawBase(false);
  // Without scroll buttons, all tabs stay in sight even if the text is large.
  tabs_->setUsesScrollButtons(false);
  tabs_->setElideMode(Qt::ElideRight);
  tabs_->addTab(tr("Curve"));
  tabs_->setTabToolTip(tabs_->addTab(tr("Measured")),
                       tr("Predicted and measured memory, slot by slot"));
  tabs_->addTab(tr("Segments"));
  tabs_->setTabToolTip(tabs_->addTab(tr("Arena")),
                       tr("A fixed offset for each tensor, in one block of memory"));
  controls_ = make_controls();
  // The rows below must not move when another page is chosen.
  QSizePolicy kept = controls_->sizePolicy();
  kept.setRetainSizeWhenHidden(true);
  controls_->setSizePolicy(kept);
  QToolButton* const reserved = make_reserved_switch();
  layout->addWidget(tabs_);
  layout->addStretch(1);
  layout->addWidget(reserved);
  layout->addWidget(controls_);
  connect(tabs_, &QTabBar::currentChanged, this, [this, reserved](int page) {
    pages_->setCurrentIndex(page);
    controls_->setVisible(page == 0);
    const bool is_difference = page == 1;
    reserved->setVisible(!is_difference);
    allocator_->allow(!is_difference);
  });
  return header;
}

QWidget* MemoryPanel::make_controls() {
  auto* const row = new QWidget;
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, spacing_unit / 2, 0, spacing_unit / 2);
  layout->setSpacing(spacing_unit);
  colouring_ =
      joined({make_switch(
                  u"tensors_by_lifetime"_s, tr("By lifetime"),
                  tr("Colours tensors by lifetime, like the graph (C)"),
                  [](MemoryLook& look) { look.colouring = Colouring::lifetime; },
                  [](const MemoryLook& look) { return look.colouring == Colouring::lifetime; }),
              make_switch(
                  u"tensors_by_band"_s, tr("By use"),
                  tr("Colours tensors by their use, like the bands (C)"),
                  [](MemoryLook& look) { look.colouring = Colouring::band; },
                  [](const MemoryLook& look) { return look.colouring == Colouring::band; })});
  layout->addWidget(colouring_);
  layout->addWidget(
      joined({make_switch(
                  u"memory_bands"_s, tr("Bands"), tr("Shows memory by its use (T)"),
                  [](MemoryLook& look) { look.fill = Fill::bands; },
                  [](const MemoryLook& look) { return look.fill == Fill::bands; }),
              make_switch(
                  u"memory_tensors"_s, tr("Tensors"), tr("Shows each tensor separately (T)"),
                  [](MemoryLook& look) { look.fill = Fill::tensors; },
                  [](const MemoryLook& look) { return look.fill == Fill::tensors; })}));
  layout->addWidget(
      joined({make_switch(
                  u"memory_over_steps"_s, tr("Slots"), tr("All nodes have the same width (M)"),
                  [](MemoryLook& look) { look.unit = AxisUnit::steps; },
                  [](const MemoryLook& look) { return look.unit == AxisUnit::steps; }),
              make_switch(
                  u"memory_over_time"_s, tr("Time"),
                  tr("The width of a node is its time: predicted, or measured after a run (M)"),
                  [](MemoryLook& look) { look.unit = AxisUnit::time; },
                  [](const MemoryLook& look) { return look.unit == AxisUnit::time; })}));
  auto* const pin = new QAction(tr("Pin"), this);
  pin->setObjectName(u"pin_variant"_s);
  pin->setShortcut(QKeySequence(u"Ctrl+Alt+P"_s));
  pin->setToolTip(
      tr("Keeps the curve of the current choices visible, to compare it with other choices (%1)")
          .arg(pin->shortcut().toString(QKeySequence::NativeText)));
  addAction(pin);
  connect(pin, &QAction::triggered, &pinned_, &PinnedVariants::pin);
  auto* const button = new QToolButton;
  button->setObjectName(u"pin_button"_s);
  button->setDefaultAction(pin);
  button->setFocusPolicy(Qt::StrongFocus);
  layout->addWidget(button);
  return row;
}

QToolButton* MemoryPanel::make_switch(const QString& name, const QString& text, const QString& tip,
                                      std::function<void(MemoryLook&)> choose,
                                      std::function<bool(const MemoryLook&)> is_on) {
  auto* const button = new QToolButton;
  button->setObjectName(name);
  button->setText(text);
  button->setToolTip(tip);
  button->setCheckable(true);
  button->setFocusPolicy(Qt::StrongFocus);
  connect(button, &QToolButton::clicked, this, [this, choose = std::move(choose)] {
    MemoryLook look = view_->look();
    choose(look);
    view_->set_look(look);
    show_look();
  });
  switches_.push_back({button, std::move(is_on)});
  return button;
}

QToolButton* MemoryPanel::make_reserved_switch() {
  auto* const button = new QToolButton;
  button->setObjectName(u"memory_reserved"_s);
  button->setText(tr("Reserved"));
  button->setToolTip(tr("Shows what PyTorch's caching allocator reserves for these tensors"));
  button->setCheckable(true);
  button->setFocusPolicy(Qt::StrongFocus);
  connect(button, &QToolButton::clicked, allocator_, &AllocatorRow::switch_on);
  const auto show = [this, button] {
    button->setEnabled(document_.study() != nullptr);
    button->setChecked(document_.choices().allocator.has_value());
  };
  connect(&document_, &Document::choices_changed, button, show);
  connect(&document_, &Document::study_changed, button, show);
  show();
  return button;
}

QWidget* MemoryPanel::joined(std::initializer_list<QToolButton*> buttons) {
  auto* const box = new QWidget;
  auto* const layout = new QHBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  for (QToolButton* const button : buttons) layout->addWidget(button);
  return box;
}

void MemoryPanel::show_curves() {
  const Measured* const measured = document_.measured();
  MemoryCurves curves = curves_of(
      document_.study(), measured == nullptr ? nullptr : &measured->runs.current, view_->curves());
  add_reserved(curves);
  for (const PinnedVariant& each : pinned_.all()) {
    if (curves.study == nullptr) break;
    curves.pinned.push_back({pinned_curve_of(*each.study, *curves.study), each.slot});
  }
  if (curves.current != view_->curves().current) mark_in_maps({});
  arena_->set_curves(curves);
  view_->set_curves(std::move(curves));
  show_look();
}

void MemoryPanel::add_reserved(MemoryCurves& curves) {
  const MemoryCurves& before = view_->curves();
  const auto of_before =
      std::exchange(curve_of_, curves.study == nullptr ? nullptr : document_.reserved());
  if (curve_of_ == nullptr) return;
  const bool is_same = curve_of_ == of_before && curves.current == before.current;
  curves.predicted_reserved =
      is_same ? before.predicted_reserved : reserved_curve_of(*curves.current, curve_of_->memory);
}

void MemoryPanel::show_look() {
  const MemoryLook& look = view_->look();
  for (const Switch& each : switches_) each.button->setChecked(each.is_on(look));
  colouring_->setVisible(look.fill == Fill::tensors);
  segments_->map().set_colouring(look.colouring);
  arena_->map().set_colouring(look.colouring);
  mark_selected();
}

/// The buffer of the selected tensor, or the largest buffer of the selected node; may be invalid.
BufferId MemoryPanel::selected_buffer() const {
  const auto& study = document_.study();
  const Selection& selected = document_.selection().current();
  if (study == nullptr) return {};
  if (selected.tensor.valid()) return study->current->timeline.buffer_of[selected.tensor];
  if (!selected.node.valid()) return {};
  const std::vector<BufferId> made = buffers_made_by(*study, selected.node);
  return made.empty() ? BufferId() : made.front();
}

/// Shows the slots in which the selected tensor is alive.
void MemoryPanel::show_life() {
  const BufferId selected = selected_buffer();
  if (!selected.valid()) return view_->show_life(std::nullopt);
  const Buffer& buffer = document_.study()->current->timeline.buffers[selected];
  view_->show_life(MemoryView::SlotRange{buffer.first_slot, buffer.last_slot});
}

void MemoryPanel::mark_selected() {
  view_->mark_made_by(document_.selection().node());
  const BufferId selected = selected_buffer();
  if (document_.selection().current().tensor.valid()) view_->mark(selected);
  // A node may make several tensors; the one that was chosen in the map stays outlined.
  const NodeId node = document_.selection().node();
  const bool is_same = node.valid() && view_->maker_of(segments_->map().marked()) == node;
  if (!is_same) mark_in_maps(selected);
}

void MemoryPanel::follow_selection() {
  show_life();
  view_->set_cursor(document_.selection().slot());
  mark_selected();
}

/// Moves the cursor to the clicked slot and selects the clicked tensor.
void MemoryPanel::take_tensor(std::size_t slot, BufferId buffer) {
  document_.selection().select_slot(slot);
  select_tensor(buffer);
}

/// Selects the node that made a tensor, or the tensor if no node made it. The cursor stays.
void MemoryPanel::select_tensor(BufferId buffer) {
  const NodeId maker = view_->maker_of(buffer);
  if (maker.valid()) {
    document_.selection().select_node(maker, LinkedSelection::Cursor::stays);
  } else if (const auto& study = document_.study()) {
    document_.selection().select_tensor(study->current->timeline.buffers[buffer].root);
  }
  view_->mark(buffer);
  mark_in_maps(buffer);
}

void MemoryPanel::mark_in_maps(BufferId buffer) {
  segments_->mark(buffer);
  arena_->mark(buffer);
}

}  // namespace stashscope::ui
