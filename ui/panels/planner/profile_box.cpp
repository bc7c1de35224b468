#include "ui/panels/planner/profile_box.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <algorithm>

#include "ui/text/texts.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/file_dialog.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QString tip_of(const DeviceProfile& profile) {
  const QString bandwidth = QString::number(profile.bandwidth / 1e9, 'f', 0);
  if (profile.memory_bytes <= 0) return ProfileBox::tr("%1 GB/s").arg(bandwidth);
  return ProfileBox::tr("%1 of memory, %2 GB/s").arg(bytes_text(profile.memory_bytes), bandwidth);
}

}  // namespace

ProfileBox::ProfileBox(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), names_(new QComboBox) {
  names_->setObjectName(u"profile"_s);
  names_->setAccessibleName(tr("Device that times are predicted for"));
  names_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  names_->setMinimumContentsLength(10);
  for (const DeviceProfile& each : device_profiles()) {
    names_->addItem(shown(each.name));
    names_->setItemData(names_->count() - 1, tip_of(each), Qt::ToolTipRole);
  }
  auto* const from_file = new QPushButton(tr("From file…"));
  from_file->setObjectName(u"profile_from_file"_s);
  from_file->setToolTip(tr("Reads a device profile from a JSON file"));
  from_file->setAutoDefault(true);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing_unit);
  layout->addWidget(names_, 1);
  layout->addWidget(from_file);
  setFocusProxy(names_);
  connect(names_, &QComboBox::activated, this, [this](int index) {
    // An entry after the bundled profiles is the profile from a file, which is already in use.
    if (index >= std::ssize(device_profiles())) return;
    choose(names_->itemText(index).toStdString(), u"profile"_s);
  });
  connect(from_file, &QPushButton::clicked, this, &ProfileBox::choose_file);
  connect(&document_, &Document::study_changed, this, &ProfileBox::show_choice);
  connect(&document_, &Document::choices_changed, this, &ProfileBox::show_choice);
  show_choice();
}

void ProfileBox::choose_file() {
  QFileDialog* const dialog = make_open_dialog(
      *window(), u"profile_dialog"_s, tr("Open a device profile"), tr("Device profiles (*.json)"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& file) { choose(file.toStdString(), {}); });
  dialog->open();
}

void ProfileBox::choose(const std::string& name_or_file, const QString& merge_key) {
  Choices choices = document_.choices();
  const auto failure = failure_of([&] { choices.times.profile = load_profile(name_or_file); });
  choices.times.device_memory.reset();
  if (failure) {
    document_.notices().report(*failure);
  } else {
    document_.choose(choices, tr("Device profile %1").arg(shown(choices.times.profile.name)),
                     merge_key);
  }
}

void ProfileBox::show_choice() {
  setEnabled(document_.study() != nullptr);
  const DeviceProfile& profile = document_.choices().times.profile;
  const auto bundled = device_profiles();
  const auto known = std::ranges::find(bundled, profile);
  while (names_->count() > std::ssize(bundled)) names_->removeItem(names_->count() - 1);
  if (known == bundled.end()) names_->addItem(shown(profile.name));
  names_->setCurrentIndex(static_cast<int>(known - bundled.begin()));
  names_->setToolTip(tip_of(profile));
}

}  // namespace stashscope::ui
