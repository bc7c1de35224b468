#include "core/arena/arena_file.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope {
namespace arena_file_test {

TEST(ArenaFile, TheHeaderNamesTheColumnsInAnyOrder) {
  const ArenaFile file = parse_arena("size,id,upper,lower\n4,b1,3,0\r\n\n5, b2 ,9,-3\n");
  EXPECT_EQ(file.buffers, (std::vector<ArenaBuffer>{{0, 3, 4}, {-3, 9, 5}}));
  EXPECT_EQ(arena_text(file, {8, 0}), "size,id,upper,lower,offset\n4,b1,3,0,8\n5,b2,9,-3,0\n");
}

TEST(ArenaFile, OtherNamesOfTheColumnsAreKnown) {
  const ArenaFile file = parse_arena(
      "\xEF\xBB\xBF"
      "buffer,start,end,size,alignment\nb1,0,3,4,1\n");
  EXPECT_EQ(file.buffers, (std::vector<ArenaBuffer>{{0, 4, 4}})) << "lives at the time `end`";
}

TEST(ArenaFile, OffsetsReplaceThoseOfTheFileAndOtherColumnsStay) {
  const ArenaFile file = parse_arena("id,offset,lower,upper,size,name\nb1,77,0,3,4,x\n");
  EXPECT_EQ(arena_text(file, {5}), "id,offset,lower,upper,size,name\nb1,5,0,3,4,x\n");
  EXPECT_EQ(parse_arena(arena_text(file, {5})).buffers, file.buffers);
}

TEST(ArenaFile, APlacementIsTakenOnlyIfItIsRight) {
  const auto placement = [](const std::string& offset) {
    return placement_in(
        parse_arena("id,lower,upper,size,offset\na,0,2,4," + offset + "\nb,1,3,2,4\n"));
  };
  EXPECT_EQ(placement("0"), (ArenaPlacement{{0, 4}, 6}));
  EXPECT_EQ(placement("7"), (ArenaPlacement{{7, 4}, 11}));
  for (const char* const wrong :
       {"1", "5", "-1", "", "x", "0.5", "4611686018427387901", "99999999999999999999"}) {
    EXPECT_FALSE(placement(wrong)) << wrong;
  }
  EXPECT_FALSE(placement_in(parse_arena("id,lower,upper,size\na,0,2,4\n")));
}

TEST(ArenaFile, BadLinesAreNamed) {
  const std::string header = "id,lower,upper,size\n";
  const struct {
    std::string text;
    std::string said;
  } cases[] = {
      {"", "line 1"},
      {"id,lower,upper\n0,1,2\n", "line 1"},
      {"id,lower,upper,size,size\n", "'size' twice"},
      {"id,lower,upper,start,size\n", "'lower' twice"},
      {header + "a,0,1,-4\n", "line 2"},
      {header + "a,0,1,4\nb,1,1,4\n", "line 3"},
      {header + "a,2,1,4\n", "never lives, with 'lower' 2 and 'upper' 1"},
      {"id,begin,end,size\na,2,1,4\n", "never lives, with 'begin' 2 and 'end' 1"},
      {header + "a,0,1,4\nb,0,1,4\na,1,2,4\n", "which line 2 has already"},
      {header + "a,0,1,4611686018427387905\n", "'size'"},
      {header + "a,0,1,4611686018427387904\nb,5,6,1\n", "line 3"},
      {header + "a,0,99999999999999999999,4\n", "'upper'"},
      {"id,lower,end,size\na,0,9223372036854775807,4\n", "'end'"},
      {header + "a,0,1.5,4\n", "'upper'"},
      {header + "a,,1,4\n", "'lower'"},
      {header + ",0,1,4\n", "no id"},
      {header + "a,0,1\n", "3 fields"},
      {header + "a,0,1,4,5\n", "5 fields"},
      {"id,lower,upper,size,alignment\na,0,1,4,64\n", "alignment '64'"},
  };
  for (const auto& [text, said] : cases) {
    const std::string error = test::refusal(ErrorKind::input, [&text] { parse_arena(text); });
    EXPECT_NE(error.find("line "), std::string::npos) << error;
    EXPECT_NE(error.find(said), std::string::npos) << error;
  }
}

}  // namespace arena_file_test
}  // namespace stashscope
