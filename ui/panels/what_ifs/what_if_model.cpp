#include "ui/panels/what_ifs/what_if_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/units.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QString words_of(const WhatIfResult& result) {
  return shown(find_what_if(result.name).words(result.value));
}

/// @param saved positive: fewer bytes
QString saved_text(std::int64_t saved) {
  if (saved == 0) return WhatIfModel::tr("same");
  return (saved > 0 ? u"\u2212"_s : u"+"_s) + bytes_text(std::abs(saved));
}

QString seconds_change_text(double seconds) {
  if (seconds == 0) return WhatIfModel::tr("same");
  return (seconds < 0 ? u"\u2212"_s : u"+"_s) + shown(format_seconds(std::abs(seconds)));
}

QString places_text(const WhatIfResult& result) {
  return WhatIfModel::tr("%1 of %2").arg(result.found).arg(result.found + result.stopped_by.size());
}

/// The places that stay as they are, one a line.
QString stops_text(const WhatIfResult& result, const SizeWords& words) {
  constexpr std::size_t most = 10;
  QStringList lines;
  for (std::size_t i = 0; i < result.stopped_by.size() && i < most; ++i) {
    lines << WhatIfModel::tr("Not changed: %1 %2")
                 .arg(shown(in_words(result.stopped_by[i].node, words)),
                      shown(in_words(result.stopped_by[i].reason, words)));
  }
  if (result.stopped_by.size() > most) {
    lines << WhatIfModel::tr("and %1 more").arg(result.stopped_by.size() - most);
  }
  return lines.join(u'\n');
}

QString tip_of(const WhatIfSaving& row, const SizeWords& words) {
  QStringList lines = {
      shown(std::string(find_what_if(row.result.name).description)),
      WhatIfModel::tr("--what-if %1=%2").arg(shown(row.result.name), shown(row.result.value))};
  if (row.result.changed > 0) {
    lines << WhatIfModel::tr("Stashed bytes saved: %1")
                 .arg(shown(in_words(row.symbolic_saved, words)));
  }
  if (!row.result.stopped_by.empty()) lines << stops_text(row.result, words);
  return lines.join(u'\n');
}

}  // namespace

WhatIfModel::WhatIfModel(QObject* parent)
    : TableModel(
          {{tr("What if"), tr("A double click or Return switches a row on or off"), false},
           {tr("Peak"), tr("Change of the peak of the step with its plans"), true, bytes_unit()},
           {tr("Time"), tr("Change of the predicted time of the step"), true, seconds_unit()},
           {tr("Stashed"), tr("Change of the bytes that forward keeps for backward"), true,
            bytes_unit()},
           {tr("Places"),
            tr("Places that take the form of the what-if, of all places where it was tried"),
            false}},
          parent) {}

void WhatIfModel::show(const Study* study, std::vector<WhatIfSaving> on,
                       std::vector<WhatIfSaving> offers) {
  beginResetModel();
  words_ = study == nullptr ? SizeWords() : size_words(*study);
  on_ = on.size();
  rows_ = std::move(on);
  std::ranges::move(offers, std::back_inserter(rows_));
  is_old_ = false;
  endResetModel();
}

void WhatIfModel::set_old(bool is_old) {
  if (is_old_ == is_old) return;
  is_old_ = is_old;
  cells_changed();
}

QString WhatIfModel::name_at(int row) const { return words_of(at(row).result); }

bool WhatIfModel::changes_step(int row) const {
  return is_first_on(row) || rows_[static_cast<std::size_t>(row)].result.changed > 0;
}

QString WhatIfModel::details(int row) const { return tip_of(at(row), words_); }

QVariant WhatIfModel::cell(int row, int column, int role) const {
  const WhatIfSaving& saving = rows_[static_cast<std::size_t>(row)];
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case Qt::ToolTipRole:
      return tip_of(saving, words_);
    case exact_role:
      return exact(row, column);
    case Qt::ForegroundRole:
      return is_old_ || !changes_step(row)
                 ? QVariant(QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text))
                 : QVariant();
    case Qt::FontRole: {
      QFont font;
      font.setBold(is_first_on(row));
      return font;
    }
    default:
      return {};
  }
}

QVariant WhatIfModel::exact(int row, int column) const {
  const WhatIfSaving& saving = rows_[static_cast<std::size_t>(row)];
  switch (column) {
    case Column::peak:
      return static_cast<qlonglong>(-saving.peak_bytes_saved);
    case Column::time:
      return saving.seconds;
    case Column::stashed:
      return static_cast<qlonglong>(-saving.stashed_bytes_saved);
    default:
      return {};
  }
}

QString WhatIfModel::text(int row, int column) const {
  const WhatIfSaving& saving = rows_[static_cast<std::size_t>(row)];
  switch (column) {
    case Column::choice:
      return is_first_on(row) ? tr("%1 (on)").arg(words_of(saving.result))
                              : words_of(saving.result);
    case Column::peak:
      return saved_text(saving.peak_bytes_saved);
    case Column::time:
      return seconds_change_text(saving.seconds);
    case Column::stashed:
      return saved_text(saving.stashed_bytes_saved);
    default:
      return places_text(saving.result);
  }
}

}  // namespace stashscope::ui
