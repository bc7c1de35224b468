#include "ui/panels/dimensions/preset_menu.h"

#include <QInputDialog>

#include "ui/document/choice_words.h"
#include "ui/widgets/drop_menu.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype longest_name = 80;

}  // namespace

PresetMenu::PresetMenu(Document& document, QWidget* parent) : QMenu(parent), document_(document) {
  setObjectName(u"preset_menu"_s);
  connect(this, &QMenu::aboutToShow, this, &PresetMenu::fill);
}

const std::vector<Dimension>& PresetMenu::dimensions() const {
  return document_.study()->sizes->dims.dimensions;
}

void PresetMenu::fill() {
  empty_menu(*this);
  if (document_.study() == nullptr) return;
  add_bundled();
  add_saved();
  addSeparator();
  add_entry(*this, u"save_preset"_s, tr("&Save these sizes…"), [this] { ask_name(); });
}

void PresetMenu::add_bundled() {
  add_entry(*this, u"preset_doubled"_s, tr("All sizes &doubled"),
            [this] { apply(doubled(sizes_now(dimensions())), tr("Double all sizes")); });
  add_entry(*this, u"preset_halved"_s, tr("All sizes &halved"),
            [this] { apply(halved(sizes_now(dimensions())), tr("Halve all sizes")); });
  const bool is_of_capture = is_captured(document_.study().get());
  const QString back =
      is_of_capture ? tr("Back to the &captured sizes") : tr("Back to the &assumed sizes");
  const QString step = is_of_capture ? tr("All sizes as captured") : tr("Assume all sizes");
  add_entry(*this, u"preset_assumed"_s, back, [this, step] {
    Choices choices = document_.choices();
    choices.dims.clear();
    document_.choose(choices, step);
  });
}

void PresetMenu::add_saved() {
  const DimensionPresets presets(dimensions());
  const std::vector<DimensionPreset> saved = presets.all();
  if (saved.empty()) return;
  addSeparator();
  for (const DimensionPreset& each : saved) {
    add_entry(*this, u"preset:"_s + each.name, menu_text(each.name),
              [this, each] { apply(each.sizes, tr("Sizes of %1").arg(each.name)); });
  }
  addSeparator();
  QMenu* const removal = addMenu(tr("D&elete"));
  removal->setObjectName(u"delete_preset_menu"_s);
  for (const DimensionPreset& each : saved) {
    add_entry(*removal, u"delete_preset:"_s + each.name, menu_text(each.name),
              [presets, each] { presets.remove(each.name); });
  }
}

void PresetMenu::apply(const DimensionSizes& sizes, const QString& text) {
  document_.choose(with_dimensions(*document_.study(), document_.choices(), sizes), text);
}

void PresetMenu::ask_name() {
  auto* const dialog = new QInputDialog(parentWidget());
  dialog->setObjectName(u"preset_name_dialog"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Save these sizes"));
  dialog->setLabelText(tr("Name of the sizes:"));
  connect(dialog, &QInputDialog::textValueSelected, this,
          [presets = DimensionPresets(dimensions()),
           sizes = sizes_now(dimensions())](const QString& text) {
            const QString name = text.simplified().left(longest_name);
            if (!name.isEmpty()) presets.save({name, sizes});
          });
  dialog->open();
}

}  // namespace stashscope::ui
