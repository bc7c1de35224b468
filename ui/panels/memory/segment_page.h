#pragma once

#include "ui/document/document.h"
#include "ui/memory/segment_map.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/link_label.h"

namespace stashscope::ui {

/// A text such as `16.4 MiB of it unallocated in 3 pieces, the largest 12.0 MiB`, which follows a
/// text about the reserved bytes. Without pieces, the text tells only the bytes.
QString unallocated_text(const FreeMemory& free);

/// The segments of the allocator in the slot of the memory cursor, below a line about them. The
/// segments are looked up only while the page is visible. Without segments, a text says why there
/// are none.
class SegmentPage : public QWidget {
  Q_OBJECT

 public:
  explicit SegmentPage(Document& document, QWidget* parent = nullptr);

  SegmentMap& map() { return *map_; }
  void mark(BufferId buffer) { map_->mark(buffer); }

 Q_SIGNALS:
  /// The user wants the reserved memory to be computed.
  void allocator_wanted();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// The reserved memory and the slot whose segments are shown.
  struct Place {
    std::shared_ptr<const ReservedStep> reserved;
    std::size_t slot = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };

  void follow();
  SegmentPicture picture_at(std::size_t slot);
  BlockLook look_of(const MapBlock& block) const;
  void show_sums();

  Document& document_;
  SegmentMap* map_;
  ElidedLabel* line_;
  LinkLabel* invitation_;
  std::optional<Place> shown_;
  std::shared_ptr<const Variant> bands_of_;  ///< the variant that `bands_` belongs to
  IdVector<BufferId, Band> bands_;
};

}  // namespace stashscope::ui
