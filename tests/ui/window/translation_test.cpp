// All texts of the window pass through a translator.

#include "ui/window/translation.h"
#include "core/run/devices/devices.h"

#include <QApplication>
#include <QDataStream>
#include <QFile>
#include <QRegularExpression>
#include <QTranslator>

#include "core/memory/optimizer.h"
#include "core/passes/graph_pass.h"
#include "core/passes/what_if/what_if.h"
#include "core/run/step/runner.h"
#include "core/schedule/fusion/fusions.h"
#include "core/schedule/orders/orders.h"
#include "tests/ui/support/texts_seen.h"
#include "tests/ui/support/window_test.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace translation_test {

using namespace Qt::StringLiterals;

/// Marks every text that it is asked to translate.
class MarkingTranslator : public QTranslator {
 public:
  static constexpr QChar mark = u'§';

  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* source, const char*, int) const override {
    return mark + QString::fromUtf8(source);
  }
};

class Translation : public WindowTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(QCoreApplication::installTranslator(&translator_));
    WindowTest::SetUp();
  }
  void TearDown() override {
    window_.reset();
    QCoreApplication::removeTranslator(&translator_);
  }

  MarkingTranslator translator_;
};

/// Texts of the engine and of the model, which are not translated.
QStringList engine_texts() {
  QStringList texts;
  const auto add = [&](const auto& table) {
    for (const auto& each : table) {
      texts << shown(std::string(each.name)) << shown(std::string(each.description));
    }
  };
  add(graph_passes());
  for (const GraphPass& pass : graph_passes()) texts << shown(std::string(pass.title));
  for (const DeviceProfile& profile : device_profiles()) texts << shown(profile.name);
  for (const WhatIf& each : what_ifs()) {
    texts << shown(std::string(each.title)) << shown(std::string(each.description));
    for (const std::string_view value : each.tried) texts << shown(each.words(std::string(value)));
  }
  add(order_strategies());
  add(fusion_strategies());
  add(optimizers());
  for (const DeviceInfo& device : list_devices()) {
    texts << shown(device.name + ": " + device.description);
  }
  for (const QString& model : sample_models()) texts << QFileInfo(model).completeBaseName();
  return texts << u"float16"_s << u"bfloat16"_s << u"gpt2_tiny.onnx"_s;
}

bool is_data(const QString& text, const QStringList& engine) {
  static const QRegularExpression no_words(u"^[^\\p{L}]*$"_s);
  static const QRegularExpression path_or_name(u"(^/)|(_)"_s);
  QString plain = text;
  plain = plain.remove(u'&').section(u'\t', 0, 0);
  return plain.contains(no_words) || engine.contains(plain) || plain.contains(path_or_name);
}

TEST_F(Translation, EverythingThatTheWindowSaysIsTranslated) {
  open(sample(u"gpt2_tiny"_s));
  const QStringList engine = engine_texts();
  int translated = 0;
  for (const SeenText& seen : texts_of(window())) {
    // The engine's stage, its names of bands, and lines of code are not translated.
    const bool is_no_sentence = seen.where.startsWith(u"status_stage"_s) ||
                                seen.where.startsWith(u"alive_bands"_s) ||
                                seen.where.startsWith(u"export_lines"_s) ||
                                seen.where.startsWith(u"alive_heading (ElidedLabel) tool tip"_s);
    if (is_no_sentence) continue;
    if (seen.text.contains(MarkingTranslator::mark)) {
      ++translated;
    } else if (!is_data(seen.text, engine)) {
      ADD_FAILURE() << seen.where.toStdString() << ": " << seen.text.toStdString();
    }
  }
  EXPECT_GT(translated, 150);
}

/// The hash that compiled translations use to find a text.
quint32 hash_of(const QByteArray& text) {
  quint32 hash = 0;
  for (const char c : text) {
    hash = (hash << 4) + static_cast<quint8>(c);
    const quint32 high = hash & 0xf0000000;
    if (high != 0) hash ^= high >> 24;
    hash &= ~high;
  }
  return hash == 0 ? 1 : hash;
}

/// A compiled translation of one text, in the format of Qt's tools.
QByteArray compiled(const QByteArray& context, const QByteArray& source, const QString& target) {
  QByteArray message;
  QDataStream out(&message, QIODevice::WriteOnly);
  const auto bytes = [&](quint8 tag, const QByteArray& content) {
    out << tag << static_cast<quint32>(content.size());
    out.writeRawData(content.data(), static_cast<int>(content.size()));
  };
  out << quint8(3) << target;
  bytes(6, source);
  bytes(7, context);
  out << quint8(1);
  QByteArray hashes;
  QDataStream(&hashes, QIODevice::WriteOnly) << hash_of(source) << quint32(0);
  QByteArray file = QByteArray::fromHex("3cb86418caef9c95cd211cbf60a1bddd");
  QDataStream end(&file, QIODevice::WriteOnly | QIODevice::Append);
  for (const auto& [tag, section] : {std::pair(quint8(0x42), hashes), {quint8(0x69), message}}) {
    end << tag << static_cast<quint32>(section.size());
    end.writeRawData(section.data(), static_cast<int>(section.size()));
  }
  return file;
}

TEST(TranslationFiles, AreFoundByTheLanguage) {
  const QTemporaryDir folder;
  QFile file(folder.filePath(u"stashscope_de.qm"_s));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(compiled("stashscope::ui::MainWindow", "&File", u"&Datei"_s));
  file.close();
  EXPECT_FALSE(load_translation(*qApp, QLocale(QLocale::French), {folder.path()}));
  EXPECT_TRUE(
      load_translation(*qApp, QLocale(QLocale::German), {u"/no/such/folder"_s, folder.path()}));
  EXPECT_EQ(MainWindow::tr("&File"), u"&Datei"_s);
  EXPECT_EQ(MainWindow::tr("&Edit"), u"&Edit"_s) << "what is missing stays English";
  for (QTranslator* const each : qApp->findChildren<QTranslator*>()) delete each;
  EXPECT_EQ(MainWindow::tr("&File"), u"&File"_s);
}

}  // namespace translation_test
}  // namespace stashscope::ui::test
