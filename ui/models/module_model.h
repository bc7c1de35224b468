#pragma once

#include <set>

#include "core/base/units.h"
#include "core/study/facts/equal_blocks.h"
#include "core/study/facts/named_sizes.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The modules of the step with their memory and time, largest first. Modules whose names differ
/// only in numbers are summed in one row. While this row is open, the rows of its modules follow
/// below it.
class ModuleModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { module, at_peak, stashed, time, symbolic };

  explicit ModuleModel(QObject* parent = nullptr);

  /// Open rows stay open if they are among the new groups.
  /// @param peak_bytes peak of the step; tool tips state shares of this peak
  /// @param words words that replace the names of sizes in formulas
  void set_modules(std::vector<ModuleGroup> groups, std::int64_t peak_bytes, SizeWords words = {});
  const ModuleMemory& at(int row) const { return *row_at(row).module; }
  /// Whether the row is the sum of two or more modules.
  bool is_sum(int row) const { return row_at(row).count > 1; }
  bool is_open(int row) const { return is_sum(row) && is_open(row_at(row)); }
  /// @pre the row is a sum
  void set_open(int row, bool open);

 protected:
  int rows() const override { return static_cast<int>(rows_.size()); }
  QVariant cell(int row, int column, int role) const override;
  std::vector<int> arranged(const std::vector<int>& order) const override;

 private:
  struct Row {
    const ModuleMemory* module = nullptr;  ///< points into `groups_`
    std::size_t count = 0;  ///< number of modules in the row; 0: the row is a module of an open sum
  };
  using Key = std::pair<std::string, bool>;

  static Key key_of(const ModuleMemory& module) { return {module.module, module.is_rest}; }
  QString formula(const ModuleMemory& row) const;
  static QVariant exact(const ModuleMemory& row, int column);
  const Row& row_at(int row) const { return rows_[static_cast<std::size_t>(first_row(row))]; }
  bool is_open(const Row& row) const { return open_.contains(key_of(*row.module)); }
  void list_rows();
  QString plain_name(const Row& row) const;
  QString name_text(const Row& row) const;
  QString spoken_text(const Row& row) const;
  QString text(const Row& row, int column) const;
  static QString outside_tip(const ModuleMemory& row);
  QString tool_tip(const Row& row, int column) const;

  std::vector<ModuleGroup> groups_;
  std::vector<Row> rows_;
  std::set<Key> open_;
  std::int64_t peak_bytes_ = 0;
  SizeWords words_;
  ColumnUnit bytes_unit_;
  ColumnUnit time_unit_;
};

}  // namespace stashscope::ui
