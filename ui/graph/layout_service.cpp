#include "ui/graph/layout_service.h"

#include "core/layout/place/child.h"
#include "core/layout/place/layered.h"
#include "core/layout/place/layout_protocol.h"
#include "ui/jobs/failure.h"

namespace stashscope::ui {

/// The state of the background thread between requests; used only on that thread.
class LayoutService::Work {
 public:
  Work(std::filesystem::path program, layout::TextWidth text_width)
      : program_(std::move(program)), text_width_(std::move(text_width)) {}

  /// A picture whose boxes have no positions yet.
  struct Draft {
    std::shared_ptr<const Study> study;
    std::shared_ptr<const layout::Grouping> grouping;
    layout::OpenGroups open;
    double text_scale = 1;
    layout::Outline outline;
    layout::LayoutRequest request;
    std::string key;
  };

  Draft draft(std::shared_ptr<const Study> study, std::optional<layout::OpenGroups> open,
              double text_scale) {
    if (grouped_ != study->prepared) {
      grouping_ = std::make_shared<const layout::Grouping>(grouping_of(*study));
      grouped_ = study->prepared;
    }
    Draft draft{std::move(study), grouping_, {}, text_scale, {}, {}, {}};
    draft.open = open ? *std::move(open) : layout::initially_open(*grouping_);
    const layout::StepView view = step_view(*draft.study, *grouping_);
    draft.outline = layout::make_outline(view.dataflow, *grouping_, draft.open);
    draft.request = layout::make_request(draft.outline, view.graph, view.dataflow, *grouping_,
                                         text_width_, text_scale);
    draft.key = layout::to_text(draft.request);
    return draft;
  }

  const layout::LayoutResult* known(const Draft& draft) const {
    const auto found = known_.find(draft.key);
    return found == known_.end() ? nullptr : &found->second;
  }

  const layout::LayoutResult& place(const Draft& draft, const Progress& progress) {
    layout::LayoutResult placed = layout::place_in_child(program_, draft.request, progress);
    if (known_.size() >= most_known) known_.clear();
    return known_[draft.key] = std::move(placed);
  }

  static Answer picture(const Draft& draft, const layout::LayoutResult& placed, bool is_plain) {
    auto picture = std::make_shared<GraphPicture>();
    const layout::StepView view = step_view(*draft.study, *draft.grouping);
    picture->drawing = layout::draw(view, draft.outline, placed);
    picture->drawing.is_plain = is_plain;
    picture->study = draft.study;
    picture->grouping = draft.grouping;
    picture->open = draft.open;
    picture->text_scale = draft.text_scale;
    return picture;
  }

  static Answer plain_picture(const Draft& draft) {
    return picture(draft, layout::place(draft.request, layout::place_layered), true);
  }

 private:
  static constexpr std::size_t most_known = 64;

  std::filesystem::path program_;
  layout::TextWidth text_width_;
  std::shared_ptr<const PreparedStep> grouped_;
  std::shared_ptr<const layout::Grouping> grouping_;
  std::unordered_map<std::string, layout::LayoutResult> known_;
};

LayoutService::LayoutService(std::filesystem::path program, layout::TextWidth text_width,
                             QObject* parent)
    : QObject(parent), work_(std::make_shared<Work>(std::move(program), std::move(text_width))) {
  patience_.setSingleShot(true);
  patience_.setInterval(patience_in_milliseconds);
  connect(&patience_, &QTimer::timeout, this, &LayoutService::show_plain);
}

LayoutService::~LayoutService() { progress_.cancel(); }

void LayoutService::request(std::shared_ptr<const Study> study,
                            std::optional<layout::OpenGroups> open, double text_scale) {
  progress_.cancel();
  progress_ = Progress();
  ++generation_;
  busy_ = true;
  plain_.reset();
  patience_.start();
  const auto deliver = [this, generation = generation_](auto take) {
    QMetaObject::invokeMethod(
        this, [take, generation] { take(generation); }, Qt::QueuedConnection);
  };
  thread_.post([this, work = work_, study, open, text_scale, progress = progress_, deliver] {
    Answer plain;
    Answer fine;
    const auto failure = failure_of([&] {
      progress.update(0, "drawing");
      const Work::Draft draft = work->draft(study, open, text_scale);
      const layout::LayoutResult* placed = work->known(draft);
      if (placed == nullptr) {
        plain = Work::plain_picture(draft);
        deliver([this, plain](auto generation) { take_plain(generation, plain); });
        placed = &work->place(draft, progress);
      }
      fine = Work::picture(draft, *placed, false);
    });
    if (failure && failure->kind == ErrorKind::cancelled) return;
    const Answer picture = fine != nullptr ? fine : plain;
    const QString reason = failure ? failure->message : QString();
    deliver([this, picture, reason](auto generation) { take_final(generation, picture, reason); });
  });
}

void LayoutService::take_plain(std::uint64_t generation, Answer picture) {
  if (generation != generation_) return;
  plain_ = std::move(picture);
  if (!patience_.isActive()) show_plain();
}

void LayoutService::show_plain() {
  if (plain_ != nullptr) Q_EMIT drawn(plain_, false);
}

void LayoutService::take_final(std::uint64_t generation, Answer picture, const QString& failure) {
  if (generation != generation_) return;
  patience_.stop();
  plain_.reset();
  busy_ = false;
  if (picture != nullptr) Q_EMIT drawn(std::move(picture), true);
  if (!failure.isEmpty()) Q_EMIT degraded(failure);
}

}  // namespace stashscope::ui
