#include "ui/models/alive_model.h"

#include <QColor>
#include <utility>

#include "ui/charts/band_colours.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

AliveModel::AliveModel(QObject* parent)
    : TableModel(
          {{tr("Tensor"), tr("A tensor that is alive while the node at the cursor runs"), false},
           {tr("Size"), tr("Bytes of the tensor's buffer"), true, bytes_unit()},
           {tr("Role"), {}, false},
           {tr("Slots"),
            tr("First and last slot of the tensor's buffer"),
            true,
            {},
            {tr("First slot"), tr("Last slot")}},
           {tr("Type"), {}, false}},
          parent) {}

void AliveModel::set_moment(std::shared_ptr<const Study> study, std::size_t slot) {
  beginResetModel();
  bands_ = {};
  slot_ = slot;
  study_ = std::move(study);
  alive_ = study_ == nullptr ? std::vector<BufferId>() : alive_at(study_->current->timeline, slot);
  unit_ = byte_unit(alive_.empty() ? 0 : buffer(0).bytes);
  described_.assign(alive_.size(), std::nullopt);
  endResetModel();
}

void AliveModel::set_dark(bool dark) {
  if (std::exchange(is_dark_, dark) != dark) cells_changed();
}

QStringList AliveModel::names() const {
  QStringList names;
  for (int row = 0; row < rows(); ++row) names << name(row);
  return names;
}

NodeId AliveModel::maker(int row) const {
  return study_->current->dataflow.topology.producer[buffer(first_row(row)).root];
}

NodeId AliveModel::maker_or_reader(int row) const {
  const NodeId node = maker(row);
  if (node.valid()) return node;
  const auto readers = study_->current->dataflow.topology.readers[buffer(first_row(row)).root];
  return readers.empty() ? NodeId() : readers.front();
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
  if (role == Qt::ToolTipRole && column == Column::type) return shown(described(row).shape);
  if (role == Qt::ToolTipRole && column == Column::bytes) {
    return exact_bytes_text(buffer(row).bytes);
  }
  if (role == Qt::DecorationRole && column == Column::tensor) {
    return band_colour(band(row), is_dark_);
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
      return shown(described(row).role);
    case Column::life:
      return life_text(buffer(row));
    default:
      return shown(described(row).shape);
  }
}

/// Without describing the tensors, because there may be many.
QVariant AliveModel::sort_value(int row, int column) const {
  if (column == Column::tensor) return name(row);
  if (column != Column::life) return {};
  return buffer(row).persistent ? -1 : static_cast<qlonglong>(buffer(row).first_slot);
}

/// The name alone, because describing thousands of tensors takes long.
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
    case Column::life:
      return QStringList{QString::number(tensor.first_slot + 1),
                         QString::number(tensor.last_slot + 1)};
    default:
      return {};
  }
}

Band AliveModel::band(int row) const {
  const Variant& current = *study_->current;
  if (bands_.empty()) {
    bands_ = bands_at(current.dataflow, study_->prepared->rules, current.timeline,
                      current.forward_slots, study_->prepared->step.boundary.yield, slot_);
  }
  return bands_[alive_[static_cast<std::size_t>(row)]];
}

QString AliveModel::life_text(const Buffer& buffer) const {
  if (buffer.persistent) return tr("persistent");
  return tr("%1 – %2").arg(buffer.first_slot + 1).arg(buffer.last_slot + 1);
}

}  // namespace stashscope::ui
