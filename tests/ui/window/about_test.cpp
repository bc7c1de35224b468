// The About box shows versions and devices, and does not wait for a driver.

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <future>

#include "tests/ui/support/window_test.h"
#include "ui/window/about_box.h"

namespace stashscope::ui::test {
namespace about_test {

using namespace Qt::StringLiterals;

QString shown_versions(const AboutBox& box) {
  return box.findChild<QLabel*>(u"about_versions"_s)->text();
}

class About : public WindowTest {
 protected:
  void TearDown() override { QSettings().clear(); }
};

TEST_F(About, TellsVersionsToTheClipboard) {
  find<QAction>(u"about"_s).trigger();
  auto& box = find<AboutBox>(u"about_box"_s);
  ASSERT_TRUE(comes_true([&] { return QApplication::activeWindow() == &box; }));
  ASSERT_TRUE(comes_true([&] { return shown_versions(box).contains(u"cuda"_s); }));
  click(*box.findChild<QPushButton*>(u"copy_versions"_s));
  const QString text = QApplication::clipboard()->text();
  for (const QString& part : {u"Qt 6."_s, u"ONNX "_s, u"oneDNN "_s, u"Graphviz "_s, u"cuda"_s}) {
    EXPECT_TRUE(text.contains(part)) << part.toStdString() << " in " << text.toStdString();
  }
  QTest::keyClick(&box, Qt::Key_Escape);
  EXPECT_TRUE(
      comes_true([this] { return window().findChild<QWidget*>(u"about_box"_s) == nullptr; }));
}

TEST(AboutBox, ShowsTheDevicesOnceTheyAreListed) {
  std::promise<void> driver;
  const DeviceList devices([&]() -> std::vector<DeviceInfo> {
    driver.get_future().wait();
    return {{"cpu", "processor", true}, {"cuda:0", "a <fast> GPU", true}};
  });
  const AboutBox box(devices, nullptr);
  EXPECT_TRUE(shown_versions(box).contains(u"Graphviz"_s));
  EXPECT_FALSE(shown_versions(box).contains(u"cuda"_s));
  EXPECT_FALSE(versions_text(devices).contains(u"cuda"_s));
  driver.set_value();
  ASSERT_TRUE(comes_true([&] { return shown_versions(box).contains(u"cuda:0"_s); }));
  EXPECT_TRUE(shown_versions(box).contains(u"a &lt;fast&gt; GPU"_s));
  EXPECT_TRUE(versions_text(devices).contains(u"Device cuda:0 a <fast> GPU\n"_s));
}

}  // namespace about_test
}  // namespace stashscope::ui::test
