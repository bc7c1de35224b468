#include "ui/panels/memory/arena_page.h"

#include "core/study/facts/step_tensors.h"
#include "ui/panels/memory/map_page.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

ArenaPage::ArenaPage(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      map_(new ArenaMap),
      line_(new ElidedLabel),
      state_(new QLabel) {
  setObjectName(u"arena_page"_s);
  line_->setObjectName(u"arena_line"_s);
  state_->setObjectName(u"arena_state"_s);
  state_->setAlignment(Qt::AlignCenter);
  state_->setWordWrap(true);
  state_->setTextFormat(Qt::PlainText);
  lay_out_map_page(*this, line_, map_, state_);
  connect(&document_.selection(), &LinkedSelection::changed, this, &ArenaPage::follow_cursor);
  connect(map_, &ArenaMap::pointed_at, this, [this](const QStringList& facts) {
    facts.isEmpty() ? show_sums() : line_->set_forms({facts.join(u" · "_s)});
  });
  map_->current_if([this] {
    return curves_.study == document_.study() && placed_.arena != nullptr && isVisible();
  });
  show_arena();
}

void ArenaPage::set_curves(const MemoryCurves& curves) {
  curves_ = curves;
  if (curves_.study == nullptr || curves_.study->current != asked_) {
    answers_.cancel();
    asked_.reset();
    placed_ = {};
    failure_.reset();
  }
  ask();
  show_arena();
}

void ArenaPage::showEvent(QShowEvent*) {
  ask();
  show_arena();
}

void ArenaPage::ask() {
  if (!isVisible() || curves_.empty() || curves_.study == nullptr || asked_ != nullptr) return;
  asked_ = curves_.study->current;
  answers_.ask(
      [study = curves_.study](const Progress& progress) { return placed(*study, progress); },
      [this](std::optional<Placed> answer) { take(std::move(answer)); },
      [this](const Failure& failure) { failure_ = failure; });
}

ArenaPage::Placed ArenaPage::placed(const Study& study, const Progress& progress) {
  const Variant& variant = *study.current;
  const auto arena =
      std::make_shared<const StepArena>(step_arena(variant, usual_arena_limit, progress));
  const IdVector<BufferId, Band> bands = band_of_buffers(study, variant);
  const std::size_t slots = variant.timeline.order.size();
  auto looks = std::make_shared<std::vector<BlockLook>>();
  looks->reserve(arena->pieces.size());
  for (const ArenaPiece& each : arena->pieces) {
    const Band band = each.buffer.valid() ? bands[each.buffer] : Band::workspace;
    looks->push_back(look_of(band, each.first_slot, each.last_slot, slots));
  }
  return {arena, looks};
}

void ArenaPage::take(std::optional<Placed> answer) {
  if (answer) placed_ = std::move(*answer);
  show_arena();
}

QString ArenaPage::state_text() const {
  if (curves_.study == nullptr) return tr("Open a model to see the static arena of its step.");
  if (curves_.empty()) return tr("The step runs no node.");
  if (failure_) return tr("The arena could not be computed:\n%1").arg(failure_->message);
  if (placed_.arena == nullptr) return tr("Placing tensors …");
  return tr("The step allocates nothing.");
}

bool ArenaPage::is_waiting() const { return answers_.is_busy() && !map_->arena().empty(); }

void ArenaPage::show_arena() {
  const bool has_any = placed_.arena != nullptr && !placed_.arena->pieces.empty();
  const bool waits = !has_any && is_waiting();
  map_->setVisible(has_any || waits);
  line_->setVisible(has_any || waits);
  state_->setVisible(!has_any && !waits);
  state_->setText(state_text());
  if (waits) {
    line_->set_forms({state_text()});
    return map_->wait();
  }
  map_->set_arena(has_any ? ArenaPicture{placed_.arena, placed_.looks, curves_} : ArenaPicture{});
  if (!has_any) return;
  map_->mark(marked_);
  follow_cursor();
  show_sums();
}

void ArenaPage::mark(BufferId buffer) {
  marked_ = buffer;
  if (!map_->is_waiting()) map_->mark(buffer);
}

void ArenaPage::follow_cursor() {
  if (!map_->is_waiting()) map_->set_cursor(document_.selection().slot());
}

void ArenaPage::show_sums() {
  if (placed_.arena == nullptr) return;
  const StepArena& arena = *placed_.arena;
  const QString capacity = tr("arena %1").arg(bytes_text(arena.capacity_bytes));
  const QString bound = tr("load bound %1, ratio %2")
                            .arg(bytes_text(arena.load_bound_bytes))
                            .arg(arena_ratio(arena), 0, 'f', 4);
  const QString buffers = counted(arena.pieces.size(), tr("1 buffer"), tr("%1 buffers"));
  const QString outside =
      tr("%1 of persistent tensors outside").arg(bytes_text(arena.persistent_bytes));
  line_->set_forms({QStringList{capacity, bound, buffers, outside}.join(u" · "_s),
                    QStringList{capacity, bound, buffers}.join(u" · "_s),
                    QStringList{capacity, bound}.join(u" · "_s), capacity});
}

}  // namespace stashscope::ui
