#include "ui/panels/memory_panel.h"

#include <QVBoxLayout>

namespace stashscope::ui {

MemoryPanel::MemoryPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), view_(new MemoryView) {
  setObjectName(QStringLiteral("memory_panel"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  connect(&document_, &Document::study_changed, this, &MemoryPanel::show_study);
  connect(&document_, &Document::measured_changed, this, &MemoryPanel::show_study);
  connect(&document_, &Document::opened, view_, &MemoryView::show_all);
  connect(&document_, &Document::selection_changed, this,
          [this] { view_->set_cursor(document_.selection().step); });
  connect(view_, &MemoryView::step_clicked, &document_, &Document::select_step);
}

void MemoryPanel::show_study() {
  const Measured* const measured = document_.measured();
  view_->set_study(document_.study(), measured == nullptr ? std::vector<std::int64_t>()
                                                          : measured->runs.current.live_bytes);
}

}  // namespace stashscope::ui
