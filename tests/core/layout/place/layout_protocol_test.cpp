#include "core/layout/place/layout_protocol.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

#include "core/base/error.h"
#include "core/layout/place/layered.h"
#include "tests/core/layout/place/placement_checks.h"

namespace stashscope::layout {
namespace layout_protocol_test {

template <class Parse>
bool is_refused(const Parse& parse) {
  try {
    parse();
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::run);
    return true;
  }
}

bool refuses_request(const std::string& text) {
  return is_refused([&] { parse_request(text); });
}

/// One box on each side, with numbers that have no short decimal form.
LayoutRequest small_request() {
  LayoutLevel level;
  level.forward = {{{{1.0 / 3, 26}, no_level}}, {{outside, 0}, {0, outside}}};
  level.backward = {{{{0.1, 1e-9}, no_level}}, {}};
  level.partners = {{0, 0}};
  return {{level}};
}

bool refuses_result(const std::string& text) {
  return is_refused([&] { parse_result(text, small_request()); });
}

TEST(LayoutProtocol, RequestsSurvive) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::string text = to_text(random_request(seed));
    EXPECT_EQ(to_text(parse_request(text)), text) << seed;
  }
  const LayoutRequest read = parse_request(to_text(small_request()));
  EXPECT_EQ(read.levels[0].forward.boxes[0].size, (Size{1.0 / 3, 26}));
  EXPECT_EQ(read.levels[0].forward.edges, small_request().levels[0].forward.edges);
  EXPECT_EQ(read.levels[0].partners, small_request().levels[0].partners);
  EXPECT_TRUE(parse_request(to_text(LayoutRequest())).levels.empty());
}

TEST(LayoutProtocol, ResultsSurviveToTheLastBit) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const LayoutRequest request = random_request(seed);
    const LayoutResult result = place(request, place_layered);
    const LayoutResult read = parse_result(to_text(result), request);
    ASSERT_EQ(read.levels.size(), result.levels.size());
    for (std::size_t i = 0; i < result.levels.size(); ++i) {
      EXPECT_EQ(read.levels[i].height, result.levels[i].height);
      EXPECT_EQ(read.levels[i].forward.boxes, result.levels[i].forward.boxes);
      EXPECT_EQ(read.levels[i].backward.curves, result.levels[i].backward.curves);
      EXPECT_EQ(read.levels[i].backward.width, result.levels[i].backward.width);
    }
  }
}

TEST(LayoutProtocol, EveryPrefixIsRefused) {
  const std::string request = to_text(small_request());
  // The last character is a line end, which JSON does not need.
  for (std::size_t length = 0; length + 1 < request.size(); ++length) {
    EXPECT_TRUE(refuses_request(request.substr(0, length))) << length;
  }
  const std::string result = to_text(place(small_request(), place_layered));
  ASSERT_FALSE(refuses_result(result));
  for (std::size_t length = 0; length + 1 < result.size(); ++length) {
    EXPECT_TRUE(refuses_result(result.substr(0, length))) << length;
  }
}

TEST(LayoutProtocol, ForeignTextIsRefused) {
  const std::string request = to_text(small_request());
  const std::string result = to_text(place(small_request(), place_layered));
  for (const std::string& text : {std::string(), std::string("\n\n"), std::string(1000, '\0'),
                                  std::string("GIF89a"), result, request + "more", "x" + request}) {
    EXPECT_TRUE(refuses_request(text)) << text;
  }
  EXPECT_TRUE(refuses_result(request));
  EXPECT_TRUE(refuses_result(result + "more"));
}

/// A request whose only level has these forward boxes and edges, and these partners.
std::string request_of(const std::string& boxes, const std::string& edges = "[]",
                       const std::string& partners = "[]") {
  return R"({"format":"stashscope-layout-request-2","levels":[{"forward":{"boxes":)" + boxes +
         R"(,"edges":)" + edges + R"(},"backward":{"boxes":[],"edges":[]},"partners":)" + partners +
         "}]}";
}

TEST(LayoutProtocol, NumbersOutOfRangeAreRefused) {
  ASSERT_FALSE(refuses_request(request_of("[[80,26,null]]", "[[null,0],[0,null]]")));
  for (const char* boxes : {
           "[[80,26,0]]",  // a level inside itself
           "[[80,26,7]]",  // a level that does not exist
           "[[80,26,-1]]",
           "[[80,26,0.0]]",
           "[[80,26]]",
           "[[80,26,null,0]]",
           "[80,26,null]",
           "[[null,26,null]]",
           "[[\"80\",26,null]]",
           "[[NaN,26,null]]",
           "[[Infinity,26,null]]",
           "[[80,-Infinity,null]]",
           "[[1e999,26,null]]",
           "[[1e10,26,null]]",
           "[[-80,26,null]]",
           "[[80px,26,null]]",
           "[[0x50,26,null]]",
           "{}",
           "null",
           "1",
       }) {
    EXPECT_TRUE(refuses_request(request_of(boxes))) << boxes;
  }
  for (const char* edges :
       {"[[0,1]]", "[[-1,0]]", "[[0,4294967295]]", "[[0,1e0]]", "[[0]]", "[0]"}) {
    EXPECT_TRUE(refuses_request(request_of("[[80,26,null]]", edges))) << edges;
  }
  for (const char* partners : {"[[0,0]]", "[[null,null]]", "[[]]", "{}"}) {
    EXPECT_TRUE(refuses_request(request_of("[[80,26,null]]", "[]", partners))) << partners;
  }
}

TEST(LayoutProtocol, UnknownMembersAreRefused) {
  const std::string good = request_of("[]");
  ASSERT_FALSE(refuses_request(good));
  EXPECT_TRUE(refuses_request(good.substr(0, good.size() - 1) + ",\"more\":1}"));
  EXPECT_TRUE(refuses_request(R"({"format":"stashscope-layout-request-2"})"));
  EXPECT_TRUE(refuses_request(R"({"format":"stashscope-layout-request-3","levels":[]})"));
  EXPECT_TRUE(refuses_request(R"({"format":"stashscope-layout-request-2","levels":{}})"));
}

TEST(LayoutProtocol, DeepNestingIsRefused) {
  EXPECT_TRUE(refuses_request(std::string(1'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(refuses_request(objects));
}

/// A result for small_request.
std::string result_of(const std::string& forward, const std::string& backward) {
  return R"({"format":"stashscope-layout-result-2","levels":[{"height":100,"forward":)" + forward +
         R"(,"backward":)" + backward + "}]}";
}

std::string column_of(const std::string& width, const std::string& boxes,
                      const std::string& curves) {
  return R"({"width":)" + width + R"(,"boxes":)" + boxes + R"(,"curves":)" + curves + "}";
}

TEST(LayoutProtocol, ResultsAnswerExactlyWhatWasAsked) {
  const std::string box = "[[0,0,50,26]]";
  const std::string curves = "[[0,0,0,1,0,2,0,3],[0,0,0,1,0,2,0,3]]";
  const std::string forward = column_of("50", box, curves);
  const std::string backward = column_of("50", box, "[]");
  ASSERT_FALSE(refuses_result(result_of(forward, backward)));
  ASSERT_FALSE(refuses_result(result_of(column_of("50", box, "[[],[]]"), backward)))
      << "curves left out";
  EXPECT_TRUE(refuses_result(result_of(forward, column_of("50", "[]", "[]"))));
  EXPECT_TRUE(refuses_result(result_of(column_of("50", box, "[[]]"), backward)));
  EXPECT_TRUE(refuses_result(result_of(column_of("50", box, "[[0,0,1,1,2,2],[]]"), backward)))
      << "no curve has three points";
  EXPECT_TRUE(refuses_result(result_of(column_of("50", box, "[[0,0,1],[]]"), backward)));
  EXPECT_TRUE(refuses_result(result_of(column_of("50", "[[NaN,0,50,26]]", curves), backward)));
  EXPECT_TRUE(refuses_result(result_of(column_of("50", "[[null,0,50,26]]", curves), backward)));
  EXPECT_TRUE(refuses_result(result_of(column_of("50", "[[0,0,-50,26]]", curves), backward)));
  EXPECT_TRUE(refuses_result(result_of(column_of("1e999", box, curves), backward)));
  EXPECT_TRUE(refuses_result(result_of(forward, column_of("50", box, "[[]]"))));
  EXPECT_TRUE(refuses_result(R"({"format":"stashscope-layout-result-2","levels":[]})"));
}

TEST(LayoutProtocol, LongCurvesAreRefused) {
  const auto result_with = [](std::size_t points) {
    std::string curve = "[0,0";
    for (std::size_t i = 1; i < points; ++i) curve += ",0,0";
    return result_of(column_of("50", "[[0,0,50,26]]", "[" + curve + "],[]]"),
                     column_of("50", "[[0,0,50,26]]", "[]"));
  };
  EXPECT_FALSE(refuses_result(result_with(3 * 166'666 + 1)));
  EXPECT_TRUE(refuses_result(result_with(3 * 166'667 + 1))) << "more than a million numbers";
}

TEST(LayoutProtocol, DamagedBytesAreRefusedOrStayInRange) {
  const LayoutRequest request = random_request(5);
  const std::string good = to_text(place(request, place_layered));
  const std::string asked = to_text(request);
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text = good;
    std::string other = asked;
    for (auto k = 1 + random() % 3; k > 0; --k) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
      other[random() % other.size()] = static_cast<char>(random() % 128);
    }
    try {
      for (const PlacedLevel& level : parse_result(text, request).levels) {
        for (const Rect& box : level.forward.boxes) EXPECT_TRUE(std::isfinite(box.x));
      }
    } catch (const Error&) {
    }
    try {
      // Every accepted request can be placed.
      place(parse_request(other), place_layered);
    } catch (const Error&) {
    }
  }
}

TEST(LayoutProtocol, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const std::string text = to_text(small_request());
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    EXPECT_EQ(to_text(small_request()), text) << name;
    EXPECT_FALSE(refuses_request(text)) << name;
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace layout_protocol_test
}  // namespace stashscope::layout
