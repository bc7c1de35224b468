#pragma once

#include "core/base/units.h"
#include "core/study/facts/module_memory.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The modules of the step with their memory and time, largest first.
class ModuleModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { module, at_peak, stashed, time, symbolic };

  explicit ModuleModel(QObject* parent = nullptr);

  /// @param peak_bytes peak of the step; tool tips state shares of it
  void set_modules(std::vector<ModuleMemory> modules, std::int64_t peak_bytes);
  const ModuleMemory& at(int row) const { return module_of(first_row(row)); }

 protected:
  int rows() const override { return static_cast<int>(modules_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  const ModuleMemory& module_of(int row) const { return modules_[static_cast<std::size_t>(row)]; }
  static QVariant exact(const ModuleMemory& row, int column);
  QString text(const ModuleMemory& row, int column) const;
  QString tool_tip(const ModuleMemory& row, int column) const;

  std::vector<ModuleMemory> modules_;
  std::int64_t peak_bytes_ = 0;
  ColumnUnit bytes_unit_;
  ColumnUnit time_unit_;
};

}  // namespace stashscope::ui
