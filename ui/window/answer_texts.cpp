#include "ui/window/answer_texts.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/study/facts/assumed_rate.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_words.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"
#include "ui/window/answer_bar.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype longest_device_name = 40;

/// `A100-SXM4-80GB less 5 %`, where 5 % are kept free.
QString with_reserve(const QString& device, const TimeChoices& times) {
  return times.reserve_percent == 0
             ? device
             : AnswerBar::tr("%1 less %2 %").arg(device).arg(times.reserve_percent);
}

/// The words for the memory that the step must fit: the chosen device or, if the user chose another
/// amount of memory, this amount. If the times beside such an amount are predicted, the words also
/// name the device that they are predicted for. Names are escaped, because a profile from a file
/// may have any name.
QString device_name(const Study& study) {
  const TimeChoices& times = study.choices.times;
  const QString name = shown(times.profile.name).left(longest_device_name).toHtmlEscaped();
  if (!times.device_memory) return with_reserve(name, times);
  QString memory = with_reserve(bytes_text(*times.device_memory), times);
  return study.times->measured == 0 ? AnswerBar::tr("%1 of memory, as fast as %2").arg(memory, name)
                                    : AnswerBar::tr("%1 of memory").arg(memory);
}

QString link_to_devices(const QString& words) { return u"<a href=\"device\">%1</a>"_s.arg(words); }

bool exceeds_device(const Study& study, std::int64_t bytes) {
  return bytes > whole_memory(study.choices.times);
}

}  // namespace

QString device_link(const Study& study) { return link_to_devices(device_name(study)); }

QString short_device_link() { return link_to_devices(AnswerBar::tr("the device")); }

QString percent_text(double share) {
  return (share < 0 ? u"−"_s : u"+"_s) + QString::fromStdString(format_fixed(std::abs(share), 1)) +
         u" %"_s;
}

bool may_lack_room_outside(const Study& study, const StepRoom& room, const ReservedStep* reserved) {
  return room.memory > 0 && room.left >= 0 && reserved != nullptr &&
         exceeds_device(study, reserved->device.high_bytes);
}

QString room_text(const Study& study, const StepRoom& room, const ReservedStep* reserved,
                  const QPalette& palette, const QString& device) {
  if (room.memory <= 0) return AnswerBar::tr("memory of %1 unknown").arg(device);
  const bool counts_reserved = reserved != nullptr;
  if (!room.tensors_fit) {
    return (counts_reserved ? AnswerBar::tr("reserved memory %1 %2, %3 too much")
                            : AnswerBar::tr("%1 %2, %3 too much"))
        .arg(warning_text(AnswerBar::tr("does not fit"), palette), device, bytes_text(-room.left));
  }
  if (room.left < 0) {
    return AnswerBar::tr("tensors fit %1, but %2 by %3")
        .arg(device, warning_text(AnswerBar::tr("reserved memory exceeds it"), palette),
             bytes_text(-room.left));
  }
  // Even with the lower estimate for the CUDA context and the workspaces, the step takes more than
  // the device has.
  if (reserved != nullptr && exceeds_device(study, reserved->device.low_bytes)) {
    return AnswerBar::tr("reserved memory fits %1, but %2: %3 in all")
        .arg(device, warning_text(AnswerBar::tr("not with the CUDA context"), palette),
             bytes_text(reserved->device.low_bytes));
  }
  if (!counts_reserved) {
    return (room.is_narrow ? AnswerBar::tr("tensors <b>fit narrowly</b> %1, %2 left")
                           : AnswerBar::tr("tensors fit %1, %2 left"))
        .arg(device, bytes_text(room.left));
  }
  const std::int64_t most_taken = reserved->device.high_bytes;
  if (may_lack_room_outside(study, room, reserved)) {
    return AnswerBar::tr(
               "reserved memory fits %1, but <b>perhaps not with the CUDA context</b>: "
               "up to %2 in all")
        .arg(device, bytes_text(most_taken));
  }
  const std::int64_t left = whole_memory(study.choices.times) - most_taken;
  return AnswerBar::tr("reserved memory fits %1, %2 left")
      .arg(device, bytes_text(std::min(room.left, left)));
}

QStringList changes_texts(const QStringList& changes) {
  constexpr qsizetype most_named = 3;
  if (changes.isEmpty()) return {};
  const auto link = [](const QString& text) {
    return AnswerBar::tr("with %1").arg(u"<a href=\"passes\">%1</a>"_s.arg(text.toHtmlEscaped()));
  };
  QStringList texts;
  if (changes.size() <= most_named) texts << link(changes.join(u", "_s));
  for (qsizetype named = std::min(most_named, changes.size()) - 1; named > 0; --named) {
    texts << link(AnswerBar::tr("%1 and %2 more")
                      .arg(changes.first(named).join(u", "_s))
                      .arg(changes.size() - named));
  }
  texts << link(counted(static_cast<std::size_t>(changes.size()), AnswerBar::tr("1 change"),
                        AnswerBar::tr("%1 changes")));
  return texts;
}

QString floor_text(const StepRoom& room) {
  return AnswerBar::tr("no plan frees %1").arg(shown(words_of(room.floor)).toHtmlEscaped());
}

QString short_time_text_of(const Study& study) {
  QString seconds = time_text(step_seconds(study, *study.current));
  if (study.times->measured > 0) {
    seconds =
        AnswerBar::tr("%1 on %2").arg(seconds, shown(study.times->measured_on).toHtmlEscaped());
  }
  return extra_seconds(study) == 0
             ? seconds
             : AnswerBar::tr("%1 (%2)").arg(seconds, percent_text(extra_seconds_percent(study)));
}

QString plain_time_text_of(const Study& study) {
  const QString text = AnswerBar::tr("nodes take %1").arg(short_time_text_of(study));
  return study.times->measured == 0 ? text : AnswerBar::tr("%1, measured").arg(text);
}

QString time_text_of(const Study& study) {
  const QString seconds = time_text(step_seconds(study, *study.current));
  QString nodes = study.times->measured == 0
                      ? AnswerBar::tr("nodes take %1").arg(seconds)
                      : AnswerBar::tr("nodes take %1, as measured on %2")
                            .arg(seconds, shown(study.times->measured_on).toHtmlEscaped());
  const double extra = extra_seconds(study);
  if (extra == 0) return nodes;
  return AnswerBar::tr("%1, %2 of it for plans (%3)")
      .arg(nodes, time_text(extra), percent_text(extra_seconds_percent(study)));
}

QString answer_tip(const Study& study, const StepRoom& room, const ReservedStep* reserved) {
  QStringList lines;
  if (reserved == nullptr) {
    lines << AnswerBar::tr(
        "The peak counts tensors. On a GPU, the CUDA context, the rounding of the allocator and "
        "the workspaces of libraries need more memory.");
  } else {
    lines << AnswerBar::tr("PyTorch's allocator reserves %1.").arg(reserved_text(reserved->memory))
          << AnswerBar::tr(
                 "With a CUDA context and workspaces of libraries, the step takes %1. \"Make it "
                 "fit\" leaves room for the upper figure.")
                 .arg(device_memory_text(reserved->device));
    if (room.memory > 0 && exceeds_device(study, reserved->device.high_bytes)) {
      lines << AnswerBar::tr("The upper figure is more than the device has.");
    }
  }
  const QStringList changes = graph_changes(study);
  if (!changes.isEmpty()) {
    lines << AnswerBar::tr("The step is computed with %1.").arg(changes.join(u", "_s));
  }
  if (room.no_plan_fits) {
    lines << AnswerBar::tr("No plan frees %1.").arg(shown(words_of(room.floor)));
  }
  if (room.later.state_bytes > 0) {
    lines << AnswerBar::tr(
                 "The captured step is the first one: its optimizer makes %1 of states. Later "
                 "steps hold these states from beginning to end. Room on the device is counted for "
                 "later steps.")
                 .arg(bytes_text(room.later.state_bytes));
  }
  if (study.choices.times.reserve_percent > 0) {
    lines << AnswerBar::tr(
                 "%1 of the device are kept free for memory that the peak does not count.")
                 .arg(bytes_text(kept_free_bytes(study.choices.times)));
  }
  if (room.is_narrow && reserved == nullptr) {
    lines << AnswerBar::tr(
                 "Less than %1 % of the device is left for memory that the peak does not "
                 "count.")
                 .arg(narrow_percent);
  }
  if (extra_seconds(study) > 0) {
    lines << AnswerBar::tr("%1 of the time are for plans (%2).")
                 .arg(time_text(extra_seconds(study)), percent_text(extra_seconds_percent(study)));
  }
  lines << AnswerBar::tr(
      "The time is the sum over all nodes, with the time for which they wait for copies. It "
      "includes neither the time between nodes nor the update by the chosen optimizer; a run "
      "measures the whole step.");
  if (study.times->measured > 0) {
    lines << AnswerBar::tr(
                 "The times of nodes were measured on %1. A node that ran both without plans and "
                 "with the current ones has the mean of the two times, so the sum may lie between "
                 "the columns \"without plans\" and \"now\" of the panel Run.")
                 .arg(shown(study.times->measured_on));
  }
  const std::string rate = assumed_float32_rate(study);
  if (!rate.empty()) lines << shown(rate);
  return lines.join(u'\n');
}

}  // namespace stashscope::ui
