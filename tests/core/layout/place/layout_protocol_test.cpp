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

TEST(Wire, RequestsSurvive) {
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

TEST(Wire, ResultsSurviveToTheLastBit) {
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

TEST(Wire, EveryPrefixIsRefused) {
  const std::string request = to_text(small_request());
  // The last character is the line end, which carries nothing.
  for (std::size_t length = 0; length + 1 < request.size(); ++length) {
    EXPECT_TRUE(refuses_request(request.substr(0, length))) << length;
  }
  const std::string result = to_text(place(small_request(), place_layered));
  ASSERT_FALSE(refuses_result(result));
  for (std::size_t length = 0; length + 1 < result.size(); ++length) {
    EXPECT_TRUE(refuses_result(result.substr(0, length))) << length;
  }
}

TEST(Wire, ForeignTextIsRefused) {
  const std::string request = to_text(small_request());
  const std::string result = to_text(place(small_request(), place_layered));
  for (const std::string& text : {std::string(), std::string("\n\n"), std::string(1000, '\0'),
                                  std::string("GIF89a"), result, request + "more", "x" + request}) {
    EXPECT_TRUE(refuses_request(text)) << text;
  }
  EXPECT_TRUE(refuses_result(request));
  EXPECT_TRUE(refuses_result(result + "more"));
}

std::string request_of(const std::string& body) {
  return "stashscope-layout-request-1 " + body + " end\n";
}

TEST(Wire, NumbersOutOfRangeAreRefused) {
  ASSERT_FALSE(refuses_request(request_of("1  1 0 80 26 4294967295  0 0  0")));
  for (const char* body : {
           "99999999999",                        // levels
           "1  99999999999 0",                   // boxes
           "1  1000001 0",                       // boxes
           "1  -1 0 0 0 0",                      // boxes
           "1  1 0 80 26 0  0 0  0",             // a level inside itself
           "1  1 0 80 26 7  0 0  0",             // a level that does not exist
           "1  1 1 80 26 4294967295 0 1 0 0 0",  // an edge to a box that does not exist
           "1  0 0  0 0  1 0 0",                 // partners of no boxes
           "1  1 0 80 26 4294967295  0 0  1 0 0",
           "1  1 0 nan 26 4294967295  0 0  0",
           "1  1 0 inf 26 4294967295  0 0  0",
           "1  1 0 80 -inf 4294967295  0 0  0",
           "1  1 0 1e999 26 4294967295  0 0  0",
           "1  1 0 -80 26 4294967295  0 0  0",
           "1  1 0 80px 26 4294967295  0 0  0",
           "1  1 0 0x50 26 4294967295  0 0  0",
       }) {
    EXPECT_TRUE(refuses_request(request_of(body))) << body;
  }
}

TEST(Wire, ResultsAnswerExactlyWhatWasAsked) {
  const auto result_of = [](const std::string& forward, const std::string& backward) {
    return "stashscope-layout-result-1 1 100 " + forward + " " + backward + " end\n";
  };
  const std::string curve = "4 0 0 0 1 0 2 0 3";
  const std::string forward = "50 1 2  0 0 50 26 " + curve + " " + curve;
  const std::string backward = "50 1 0  0 0 50 26";
  ASSERT_FALSE(refuses_result(result_of(forward, backward)));
  ASSERT_FALSE(refuses_result(result_of("50 1 2  0 0 50 26 0 0", backward))) << "curves left out";
  EXPECT_TRUE(refuses_result(result_of(forward, "50 0 0")));
  EXPECT_TRUE(refuses_result(result_of("50 1 1  0 0 50 26 " + curve, backward)));
  EXPECT_TRUE(refuses_result(result_of("50 1 2  0 0 50 26 3 0 0 1 1 2 2 " + curve, backward)))
      << "no curve has three points";
  EXPECT_TRUE(refuses_result(result_of("50 1 2  nan 0 50 26 " + curve + " " + curve, backward)));
  EXPECT_TRUE(refuses_result(result_of("inf 1 2  0 0 50 26 " + curve + " " + curve, backward)));
  EXPECT_TRUE(refuses_result(result_of(forward, backward + " 1")));
  EXPECT_TRUE(refuses_result("stashscope-layout-result-1 2 100 " + forward + " end"));
}

TEST(Wire, DamagedBytesAreRefusedOrStayInRange) {
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
      // What is accepted can be placed without a fault.
      place(parse_request(other), place_layered);
    } catch (const Error&) {
    }
  }
}

TEST(Wire, DoesNotDependOnTheLocale) {
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
