#include "core/snapshot/pickle_reader.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/snapshot/pickle_writer.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace pickle_reader_test {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// The value as text, in the form of Python.
std::string text_of(const PickleDocument& document, PickleId id) {
  switch (document.kind(id)) {
    case PickleKind::none:
      return "None";
    case PickleKind::boolean:
      return document.integer(id) != 0 ? "True" : "False";
    case PickleKind::integer:
      return std::to_string(document.integer(id));
    case PickleKind::real:
      return std::to_string(document.real(id));
    case PickleKind::text:
      return "'" + document.text(id) + "'";
    case PickleKind::bytes:
      return "b'" + document.text(id) + "'";
    case PickleKind::list:
    case PickleKind::tuple:
    case PickleKind::dict:
      break;
  }
  std::string text = document.kind(id) == PickleKind::tuple ? "(" : "[";
  if (document.kind(id) == PickleKind::dict) text = "{";
  for (const PickleId each : document.items(id)) text += text_of(document, each) + " ";
  return text + ".";
}

std::string read(const std::string& pickle, std::int64_t budget_bytes = 64 * mebibyte) {
  std::istringstream stream(pickle);
  MemoryBudget budget(budget_bytes);
  const PickleDocument document =
      read_pickle(stream, static_cast<std::int64_t>(pickle.size()), budget);
  return text_of(document, document.root);
}

std::string refused(const std::string& pickle, std::int64_t budget = 64 * mebibyte) {
  const std::string message = test::refusal(ErrorKind::input, [&] { read(pickle, budget); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

std::string number8(std::uint64_t value) {
  std::string bytes;
  for (int byte = 0; byte < 8; ++byte) bytes.push_back(static_cast<char>(value >> (8 * byte)));
  return bytes;
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16)));
  }
  return bytes;
}

/// pickle.dumps({"a": [1, -2, 2**40, True, None, 1.5, "\xe9\n\u20ac", ("x",)], "b": "x"}, protocol)
/// of Python 3.11, by protocol.
constexpr std::string_view protocols[] = {
    "286470300a56610a70310a286c70320a49310a61492d320a614c313039393531313632373737364c0a614930"
    "310a614e6146312e350a6156e95c75303030615c75323061630a70330a612856780a70340a7470350a617356"
    "620a70360a67340a732e",
    "7d71002858010000006171015d7102284b014afeffffff4c313039393531313632373737364c0a4930310a4e"
    "473ff80000000000005806000000c3a90ae282ac710328580100000078710474710565580100000062710668"
    "04752e",
    "80027d71002858010000006171015d7102284b014afeffffff8a06000000000001884e473ff8000000000000"
    "5806000000c3a90ae282ac710358010000007871048571056558010000006271066804752e",
    "80037d71002858010000006171015d7102284b014afeffffff8a06000000000001884e473ff8000000000000"
    "5806000000c3a90ae282ac710358010000007871048571056558010000006271066804752e",
    "8004953c000000000000007d94288c0161945d94284b014afeffffff8a06000000000001884e473ff8000000"
    "0000008c06c3a90ae282ac948c0178948594658c0162946804752e",
    "8005953c000000000000007d94288c0161945d94284b014afeffffff8a06000000000001884e473ff8000000"
    "0000008c06c3a90ae282ac948c0178948594658c0162946804752e",
};

TEST(PickleReader, ReadsDataOfEveryProtocol) {
  for (const std::string_view pickle : protocols) {
    EXPECT_EQ(read(bytes_of(pickle)),
              "{'a' [1 -2 1099511627776 True None 1.500000 '\xC3\xA9\n\xE2\x82\xAC' ('x' . . 'b' "
              "'x' .");
  }
}

TEST(PickleReader, EveryCutOffFileIsRefused) {
  for (const std::string_view pickle : protocols) {
    const std::string whole = bytes_of(pickle);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_NE(refused(whole.substr(0, size)), "accepted") << size;
    }
  }
}

TEST(PickleReader, ReadsWhatTheWriterWrites) {
  PickleWriter writer;
  writer.begin_list();
  writer.integer(-5);
  writer.integer(std::int64_t{1} << 50);
  writer.real(0.25);
  writer.begin_dict();
  writer.text("key");
  writer.none();
  writer.end_dict();
  const std::uint32_t dict = writer.remember();
  writer.text("key");
  writer.recall(dict);
  writer.end_list();
  EXPECT_EQ(read(std::move(writer).finish()),
            "[-5 1125899906842624 0.250000 {'key' None . 'key' {'key' None . .");
}

TEST(PickleReader, ClassesAndCallsAreRefusedByName) {
  const std::string global = refused("cposix\nsystem\n(S'touch /tmp/x'\ntR.");
  EXPECT_NE(global.find("byte 0: "), std::string::npos) << global;
  EXPECT_NE(global.find("'posix.system' (GLOBAL)"), std::string::npos) << global;
  const std::string stack_global = refused("\x80\x04\x8c\x02os\x8c\x06system\x93.");
  EXPECT_NE(stack_global.find("'os.system' (STACK_GLOBAL)"), std::string::npos) << stack_global;
  for (const auto& [code, name] : {std::pair<const char*, const char*>{"N)R.", "REDUCE"},
                                   {"P1\n.", "PERSID"},
                                   {"NQ.", "BINPERSID"},
                                   {"N}b.", "BUILD"},
                                   {"(iposix\nsystem\n.", "INST"},
                                   {"(No.", "OBJ"},
                                   {"N)\x81.", "NEWOBJ"},
                                   {"\x82\x01.", "EXT1"},
                                   {"\x83\x01\x01.", "EXT2"},
                                   {"\x84\x01\x01\x01\x01.", "EXT4"},
                                   {"\x8f.", "EMPTY_SET"},
                                   {"(\x91.", "FROZENSET"},
                                   {"N)}\x92.", "NEWOBJ_EX"},
                                   {"\x96.", "BYTEARRAY8"},
                                   {"\x97.", "NEXT_BUFFER"}}) {
    EXPECT_NE(refused(code).find(std::string("(") + name + ")"), std::string::npos) << name;
  }
}

TEST(PickleReader, SizesThatTheFileCannotHaveAreRefusedAtOnce) {
  for (const char* const opcode : {"\x8d", "\x8e", "\x95"}) {
    EXPECT_NE(
        refused("\x80\x04" + (opcode + number8(std::uint64_t{1} << 60)) + ".").find("cut off"),
        std::string::npos);
  }
  EXPECT_NE(refused("\x8b\xff\xff\xff\x7f.").find("cut off"), std::string::npos);
  EXPECT_NE(refused(std::string("\x8a\x10") + std::string(16, '\1') + ".").find("64 bits"),
            std::string::npos);
}

TEST(PickleReader, AMemoPlaceFarAwayTakesNoMemory) {
  EXPECT_NE(refused("Nr\xff\xff\xff\x7f.").find("damaged"), std::string::npos);
}

TEST(PickleReader, ValuesThatContainThemselvesAreRefused) {
  EXPECT_NE(refused("]q" + std::string(1, '\0') + "h" + std::string(1, '\0') + "a.")
                .find("contains itself"),
            std::string::npos);
}

TEST(PickleReader, DeepNestingIsRefused) {
  const std::size_t depth = 100'000;
  EXPECT_NE(refused(std::string(depth, ']') + std::string(depth - 1, 'a') + ".").find("too deep"),
            std::string::npos);
  EXPECT_NE(refused(std::string(depth, '(') + ".").find("too deep"), std::string::npos);
}

/// Each list has the list before it twice: 2 to the power of 40 items, but no more lists than
/// lines.
TEST(PickleReader, ListsThatShareListsTakeTheMemoryOfTheFile) {
  std::string pickle = "]q";
  pickle.push_back(0);
  for (int level = 1; level < 40; ++level) {
    const char below[] = {'h', static_cast<char>(level - 1), 'h', static_cast<char>(level - 1)};
    pickle += "](" + std::string(below, 4) + "eq";
    pickle.push_back(static_cast<char>(level));
  }
  std::istringstream stream(pickle + ".");
  MemoryBudget budget(mebibyte);
  const PickleDocument document =
      read_pickle(stream, static_cast<std::int64_t>(pickle.size() + 1), budget);
  EXPECT_EQ(document.size(), 43U);
}

TEST(PickleReader, ValuesThatAreDroppedAreCounted) {
  for (const char* const dropped : {"N0", "(0", "(N1"}) {
    std::string pickle;
    for (int i = 0; i < 1 << 20; ++i) pickle += dropped;
    EXPECT_EQ(read(pickle + "N."), "None");
    EXPECT_NE(refused(pickle + dropped + "N.").find("drops"), std::string::npos) << dropped;
  }
}

TEST(PickleReader, MoreMemoryThanTheBudgetIsRefused) {
  std::string pickle = "(";
  for (int each = 0; each < 100'000; ++each) pickle += "]";
  EXPECT_NE(refused(pickle + "l.", mebibyte).find("too much memory"), std::string::npos);
}

TEST(PickleReader, DamagedFilesAreRefused) {
  for (const char* const pickle :
       {".", "a.", "(a.", "Nq", "h\1.", "1.", "t.", "\x86.", "N)u.", "}(Nu.", "}N(NNe.", "Ix\n.",
        "S'a\n.", "Va\\u12\n.", "\x80\x07N."}) {
    EXPECT_NE(refused(pickle), "accepted") << pickle;
  }
}

}  // namespace pickle_reader_test
}  // namespace stashscope
