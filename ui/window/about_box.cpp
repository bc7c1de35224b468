#include "ui/window/about_box.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/report/versions.h"
#include "ui/text/texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int width_of_text = 440;

std::vector<std::pair<QString, QString>> versions(const DeviceList& devices) {
  std::vector<std::pair<QString, QString>> list = {
      {u"Stashscope"_s, QApplication::applicationVersion()},
      {u"Qt"_s, QString::fromLatin1(qVersion())}};
  for (const PartVersion& part : part_versions()) {
    list.emplace_back(shown(part.name), shown(part.version));
  }
  if (devices.here().empty()) {
    list.emplace_back(AboutBox::tr("Devices"), AboutBox::tr("not listed yet"));
  }
  for (const DeviceInfo& device : devices.here()) {
    list.emplace_back(AboutBox::tr("Device %1").arg(shown(device.name)), shown(device.description));
  }
  return list;
}

QString table_of_versions(const DeviceList& devices) {
  QString rows;
  for (const auto& [name, version] : versions(devices)) {
    rows += u"<tr><td>%1&emsp;</td><td>%2</td></tr>"_s.arg(name.toHtmlEscaped(),
                                                           version.toHtmlEscaped());
  }
  return u"<table>"_s + rows + u"</table>"_s;
}

QLabel* make_text(const QString& text) {
  auto* const label = new QLabel(text);
  label->setWordWrap(true);
  label->setMinimumWidth(width_of_text);
  return label;
}

}  // namespace

QString versions_text(const DeviceList& devices) {
  QString text;
  for (const auto& [name, version] : versions(devices)) text += u"%1 %2\n"_s.arg(name, version);
  return text;
}

AboutBox::AboutBox(const DeviceList& devices, QWidget* parent) : QDialog(parent) {
  setObjectName(u"about_box"_s);
  setWindowTitle(tr("About Stashscope"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* const versions = make_text(table_of_versions(devices));
  versions->setObjectName(u"about_versions"_s);
  versions->setAccessibleName(tr("Versions"));
  versions->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* const copy = buttons->addButton(tr("&Copy versions"), QDialogButtonBox::ActionRole);
  copy->setObjectName(u"copy_versions"_s);
  copy->setIcon(icon(Icon::copy));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(3 * spacing_unit, 2 * spacing_unit, 3 * spacing_unit,
                             2 * spacing_unit);
  layout->setSpacing(2 * spacing_unit);
  layout->addWidget(make_text(
      tr("<h2>Stashscope</h2><p>Shows where the memory of a neural network's training step goes "
         "and lets you trade compute for memory.</p>")));
  layout->addWidget(versions);
  layout->addWidget(buttons);
  connect(copy, &QPushButton::clicked, this,
          [&devices] { QApplication::clipboard()->setText(versions_text(devices)); });
  // The box may open before the devices of this computer are known.
  connect(&devices, &DeviceList::listed_here, this,
          [&devices, versions] { versions->setText(table_of_versions(devices)); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

}  // namespace stashscope::ui
