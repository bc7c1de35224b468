#include "ui/models/alive_model.h"

#include <QColor>
#include <utility>

#include "core/study/choices/node_names.h"
#include "ui/charts/band_colours.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

AliveModel::AliveModel(QObject* parent)
    : TableModel(
          {{tr("Tensor"), tr("A tensor that is alive at the cursor, or in any slot of the step"),
            false},
           {tr("Size"), tr("Bytes of the tensor's buffer"), true, bytes_unit()},
           {tr("Role"), tr("What the memory is used for"), false},
           {tr("Slots"),
            tr("First and last slot of the tensor's buffer"),
            true,
            {},
            {tr("First slot"), tr("Last slot")}},
           {tr("Type"), {}, false},
           {tr("Maker"), tr("The node that makes the tensor"), false},
           {tr("Last reader"), tr("The last node of the order that reads the tensor's buffer"),
            false},
           {tr("Module"),
            tr("The module of the node that makes the tensor. If no node makes it, the module of "
               "the first node that reads it"),
            false}},
          parent) {}

void AliveModel::set_moment(std::shared_ptr<const Study> study, std::size_t slot) {
  beginResetModel();
  all_.clear();
  if (study != nullptr) {
    const Variant& current = *study->current;
    all_ = alive_at(current.timeline, slot);
    bands_ = bands_at(current.dataflow, study->prepared->rules, current.timeline,
                      current.forward_slots, study->prepared->step.boundary.yield, slot);
  }
  show(std::move(study));
  endResetModel();
}

void AliveModel::set_step(std::shared_ptr<const Study> study) {
  beginResetModel();
  all_.clear();
  if (study != nullptr) {
    StepTensors tensors = step_tensors(*study);
    all_ = std::move(tensors.largest_first);
    bands_ = std::move(tensors.band);
  }
  show(std::move(study));
  endResetModel();
}

void AliveModel::show(std::shared_ptr<const Study> study) {
  if (study_ != study) {
    last_readers_ = {};
    spans_ = {};
  }
  study_ = std::move(study);
  sums_ = {};
  for (const BufferId id : all_)
    of(sums_, band_of(id)) += study_->current->timeline.buffers[id].bytes;
  list();
}

void AliveModel::list() {
  alive_.clear();
  for (const BufferId id : all_) {
    if (!kept_ || band_of(id) == *kept_) alive_.push_back(id);
  }
  unit_ = byte_unit(alive_.empty() ? 0 : buffer(0).bytes);
  described_.assign(alive_.size(), std::nullopt);
}

void AliveModel::keep_band(std::optional<Band> band) {
  if (kept_ == band) return;
  beginResetModel();
  kept_ = band;
  list();
  endResetModel();
}

std::int64_t AliveModel::shown_bytes() const {
  std::int64_t bytes = 0;
  for (const BufferId id : alive_) bytes += study_->current->timeline.buffers[id].bytes;
  return bytes;
}

void AliveModel::set_theme(const Theme& theme) {
  const bool is_same = theme.dark == theme_.dark && theme.high_contrast == theme_.high_contrast;
  theme_ = theme;
  if (!is_same) cells_changed();
}

QStringList AliveModel::names() const {
  QStringList names;
  for (int row = 0; row < rows(); ++row) names << name(row);
  return names;
}

NodeId AliveModel::maker(int row) const {
  return study_->current->dataflow.topology.producer[buffer(first_row(row)).root];
}

const Buffer& AliveModel::buffer(int row) const {
  return study_->current->timeline.buffers[alive_[static_cast<std::size_t>(row)]];
}

const AliveTensor& AliveModel::described(int row) const {
  const auto index = static_cast<std::size_t>(row);
  auto& known = described_[index];
  if (!known) known = describe_buffer(*study_, *study_->current, alive_[index]);
  return *known;
}

QVariant AliveModel::cell(int row, int column, int role) const {
  if (role == Qt::ToolTipRole && column == Column::tensor) return shown(described(row).name);
  if (role == Qt::ToolTipRole && column == Column::type) {
    return shown(described(row).sized_shape) + u"\n= "_s + shown(described(row).shape);
  }
  if (role == Qt::ToolTipRole && column == Column::role) return role_tip(row);
  if (role == Qt::ToolTipRole && column >= Column::made_by) {
    return cell(row, column, Qt::DisplayRole);
  }
  if (role == Qt::ToolTipRole && column == Column::bytes) {
    return exact_bytes_text(buffer(row).bytes);
  }
  if (role == Qt::DecorationRole && column == Column::tensor) {
    return band_colour(band(row), theme_);
  }
  if (role == exact_role) return exact_value(row, column);
  if (role == sort_role) return sort_value(row, column);
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case Column::tensor:
      return shown(described(row).name);
    case Column::bytes:
      return cell_bytes_text(buffer(row).bytes, unit_);
    case Column::role:
      return shown(std::string(title_of(band(row))));
    case Column::life:
      return life_text(buffer(row));
    case Column::made_by:
      return node_name(study_->current->dataflow.topology.producer[buffer(row).root]);
    case Column::last_read_by:
      return node_name(last_reader(row));
    case Column::module:
      return shown(module_of_tensor(*study_, buffer(row).root));
    default:
      return shown(described(row).sized_shape);
  }
}

/// Does not call `described`, because that would take too long for many tensors.
QVariant AliveModel::sort_value(int row, int column) const {
  if (column == Column::tensor) return name(row);
  if (column != Column::life) return {};
  return buffer(row).persistent ? -1 : static_cast<qlonglong>(buffer(row).first_slot);
}

/// The name of a tensor. Does not call `described`, because that would take too long for many
/// tensors.
QString AliveModel::name(int row) const {
  return shown(name_of(study_->graph(), study_->current->dataflow, buffer(row)));
}

QVariant AliveModel::exact_value(int row, int column) const {
  const Buffer& tensor = buffer(row);
  switch (column) {
    case Column::bytes:
      return static_cast<qlonglong>(tensor.bytes);
    case Column::role:
      return shown(std::string(title_of(band(row))));
    case Column::type:
      return shown(described(row).shape);
    case Column::life:
      return QStringList{QString::number(tensor.first_slot + 1),
                         QString::number(tensor.last_slot + 1)};
    default:
      return {};
  }
}

Band AliveModel::band(int row) const { return band_of(alive_[static_cast<std::size_t>(row)]); }

NodeId AliveModel::last_reader(int row) const {
  if (last_readers_.empty()) last_readers_ = last_readers(*study_);
  return last_readers_[alive_[static_cast<std::size_t>(row)]];
}

/// Backward may write another tensor over a stashed one, so the memory of a row may have several
/// roles.
QString AliveModel::role_tip(int row) const {
  if (spans_.empty()) {
    const Variant& current = *study_->current;
    spans_ = band_spans(current.dataflow, study_->prepared->rules, current.timeline,
                        current.forward_slots, study_->prepared->step.boundary.yield);
  }
  const std::vector<BandSpan>& spans = spans_[alive_[static_cast<std::size_t>(row)]];
  if (spans.size() == 1) return shown(std::string(title_of(spans.front().band)));
  QStringList lines = {tr("Several tensors use this memory one after another:")};
  for (const BandSpan& span : spans) {
    lines << tr("slots %1 – %2: %3")
                 .arg(span.from + 1)
                 .arg(span.until + 1)
                 .arg(shown(std::string(title_of(span.band))));
  }
  return lines.join(u'\n');
}

QString AliveModel::node_name(NodeId node) const {
  if (!node.valid()) return {};
  return shown(shown_name(study_->graph(), study_->current->dataflow, node));
}

QString AliveModel::life_text(const Buffer& buffer) const {
  if (buffer.persistent) return tr("persistent");
  return tr("%1 – %2").arg(buffer.first_slot + 1).arg(buffer.last_slot + 1);
}

}  // namespace stashscope::ui
