#include "ui/window/shortcut_sheet.h"

#include <QDialogButtonBox>
#include <QVBoxLayout>

#include "ui/theme/text_size.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// In pixels, at the normal text size.
constexpr QSize first_sheet_size(880, 620);
constexpr int most_place_width = 280;
constexpr int least_name_width = 160;
constexpr int least_keys_width = 96;

}  // namespace

ShortcutModel::ShortcutModel(std::vector<Command> commands, QObject* parent)
    : TableModel(
          {{tr("Where"),
            tr("The menu that holds the command, or the panel that must have the focus"), false},
           {tr("What"), {}, false},
           {tr("Keys"), {}, false}},
          parent),
      commands_(std::move(commands)) {}

QVariant ShortcutModel::cell(int row, int column, int role) const {
  const Command& command = commands_[static_cast<std::size_t>(row)];
  if (role != Qt::DisplayRole && role != search_role) return {};
  switch (column) {
    case Column::place:
      return command.place;
    case Column::name:
      if (role == search_role && command.action != nullptr) {
        return QString(command.name + u'\n' + search_words(*command.action));
      }
      return command.name;
    default:
      return command.keys();
  }
}

ShortcutSheet::ShortcutSheet(std::vector<Command> commands, QWidget* parent)
    : QDialog(parent), model_(std::move(commands)), search_(new QLineEdit), table_(new TableView) {
  setObjectName(u"shortcut_sheet"_s);
  setWindowTitle(tr("Keyboard shortcuts"));
  setAttribute(Qt::WA_DeleteOnClose);
  resize((first_sheet_size * text_scale()).boundedTo(parent->window()->size()));
  filtered_.setSourceModel(&model_);
  filtered_.setFilterKeyColumn(-1);
  filtered_.setFilterRole(ShortcutModel::search_role);
  filtered_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  search_->setObjectName(u"shortcut_search"_s);
  search_->setAccessibleName(tr("Search shortcuts"));
  search_->setPlaceholderText(tr("Search by command or by key"));
  search_->setClearButtonEnabled(true);
  table_->setObjectName(u"shortcut_table"_s);
  table_->setAccessibleName(tr("Keyboard shortcuts"));
  table_->setModel(&filtered_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  table_->set_invitation(tr("No shortcut matches."));
  table_->fit_to_content(ShortcutModel::place, most_place_width);
  table_->set_flexible_column(ShortcutModel::name, least_name_width, least_keys_width);
  table_->keep_last_whole();
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(search_);
  layout->addWidget(table_, 1);
  layout->addWidget(buttons);
  connect(search_, &QLineEdit::textChanged, &filtered_,
          &QSortFilterProxyModel::setFilterFixedString);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

}  // namespace stashscope::ui
