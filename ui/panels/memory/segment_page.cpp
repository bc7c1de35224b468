#include "ui/panels/memory/segment_page.h"

#include "core/study/facts/step_tensors.h"
#include "ui/memory/buffer_facts.h"
#include "ui/panels/memory/map_page.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Says why there are no segments. @param reserved null: no allocator is chosen
QString reason_of(const ReservedStep* reserved) {
  if (reserved != nullptr) return SegmentPage::tr("The step runs no node.");
  return SegmentPage::tr(
      "<a href=\"on\">Show what PyTorch's allocator reserves</a> to see its segments.");
}

SegmentPicture::Describe describe_in(std::shared_ptr<const Study> study) {
  return [study = std::move(study)](const MapBlock& block) -> QStringList {
    if (block.buffer.valid()) return buffer_facts(*study, block.buffer);
    return {SegmentPage::tr("workspace of the node"), bytes_text(block.requested_bytes)};
  };
}

}  // namespace

QString unallocated_text(const FreeMemory& free) {
  QString bytes = SegmentPage::tr("%1 of it unallocated").arg(bytes_text(free.bytes));
  if (free.pieces == 0) return bytes;
  if (free.pieces == 1) return SegmentPage::tr("%1 in 1 piece").arg(bytes);
  return SegmentPage::tr("%1 in %2 pieces, the largest %3")
      .arg(bytes)
      .arg(free.pieces)
      .arg(bytes_text(free.largest_bytes));
}

SegmentPage::SegmentPage(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      map_(new SegmentMap),
      line_(new ElidedLabel),
      invitation_(new LinkLabel) {
  setObjectName(u"segment_page"_s);
  line_->setObjectName(u"segment_line"_s);
  invitation_->setObjectName(u"segment_invitation"_s);
  invitation_->setAlignment(Qt::AlignCenter);
  invitation_->set_hint(reason_of(nullptr));
  lay_out_map_page(*this, line_, map_, invitation_);
  connect(invitation_, &QLabel::linkActivated, this, &SegmentPage::allocator_wanted);
  connect(&document_, &Document::study_changed, this, &SegmentPage::follow);
  connect(&document_.selection(), &LinkedSelection::changed, this, &SegmentPage::follow);
  connect(map_, &SegmentMap::pointed_at, this, [this](const QStringList& facts) {
    facts.isEmpty() ? show_sums() : line_->set_forms({facts.join(u" · "_s)});
  });
  map_->current_if([this] { return shown_ && shown_->reserved == document_.reserved(); });
  follow();
}

/// Scrolls to the outlined tensor, which may have been chosen while another page was shown.
void SegmentPage::showEvent(QShowEvent*) {
  const auto before = shown_;
  follow();
  if (shown_ != before) map_->scroll_to_marked();
}

void SegmentPage::follow() {
  const auto& reserved = document_.reserved();
  const bool has_any =
      document_.study() != nullptr && reserved != nullptr && !reserved->memory.by_slot.empty();
  map_->setVisible(has_any);
  line_->setVisible(has_any);
  invitation_->setVisible(!has_any);
  invitation_->setText(reason_of(reserved.get()));
  invitation_->setEnabled(document_.study() != nullptr);
  if (!has_any) {
    shown_.reset();
    return map_->set_segments({});
  }
  const Place place{reserved, document_.selection().slot()};
  if (!isVisible() || shown_ == place) return;
  shown_ = place;
  map_->set_segments(picture_at(place.slot));
  show_sums();
}

SegmentPicture SegmentPage::picture_at(std::size_t slot) {
  const Study& study = *document_.study();
  if (bands_of_ != study.current) {
    bands_of_ = study.current;
    bands_ = band_of_buffers(study, *bands_of_);
  }
  SegmentPicture picture{
      allocator_map_at(*document_.reserved(), slot), {}, describe_in(document_.study())};
  picture.looks.reserve(picture.map.blocks.size());
  for (const MapBlock& each : picture.map.blocks) picture.looks.push_back(look_of(each));
  return picture;
}

BlockLook SegmentPage::look_of(const MapBlock& block) const {
  if (!block.buffer.valid()) return {};
  const Buffer& buffer = bands_of_->timeline.buffers[block.buffer];
  BlockLook look = ui::look_of(bands_[block.buffer], buffer.first_slot, buffer.last_slot,
                               bands_of_->timeline.order.size());
  look.persistent = buffer.persistent;
  return look;
}

void SegmentPage::show_sums() {
  if (!shown_) return;
  const AllocatorMap& map = map_->map();
  const FreeMemory free = free_memory(map);
  const QString segments = counted(map.segments.size(), tr("1 segment"), tr("%1 segments"));
  const QString reserved =
      tr("%1 reserved in %2")
          .arg(bytes_text(shown_->reserved->memory.by_slot[shown_->slot]), segments);
  const QString slot = tr("slot %1").arg(shown_->slot + 1);
  const QString head = u"%1 · %2, "_s.arg(slot, reserved);
  line_->set_forms(
      {head + unallocated_text(free), head + unallocated_text({free.bytes}), reserved});
}

}  // namespace stashscope::ui
