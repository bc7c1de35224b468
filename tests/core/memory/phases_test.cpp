#include "core/memory/phases.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace phases_test {

using Phases = std::vector<MemoryPhase>;

TEST(Phases, SayWhatIsThereAndTheMostSoFar) {
  // Two of three slots are forward; the second frees the buffer of the first.
  EXPECT_EQ(memory_phases({10, 30, 20}, {5, 10, 8, 6}, 2), (Phases{{"pre_forward", 5, 5},
                                                                   {"post_forward", 8, 30},
                                                                   {"pre_backward", 8, 30},
                                                                   {"post_backward", 6, 30}}));
}

TEST(Phases, TheLargestCanBeInBackward) {
  EXPECT_EQ(memory_phases({10, 30}, {5, 10, 5}, 1).back(), (MemoryPhase{"post_backward", 5, 30}));
  EXPECT_EQ(memory_phases({10, 30}, {5, 10, 5}, 1)[1], (MemoryPhase{"post_forward", 10, 10}));
}

TEST(Phases, WithoutABackwardPassThereAreTwo) {
  EXPECT_EQ(memory_phases({10}, {5, 5}, 1),
            (Phases{{"pre_forward", 5, 5}, {"post_forward", 5, 10}}));
  EXPECT_EQ(memory_phases({}, {5}, 0), (Phases{{"pre_forward", 5, 5}, {"post_forward", 5, 5}}));
}

TEST(Phases, AreUnknownForMeasurementsThatDoNotTell) {
  EXPECT_TRUE(memory_phases({10, 30}, {}, 1).empty());
  EXPECT_TRUE(memory_phases({10}, {5, 5}, 2).empty());
}

}  // namespace phases_test
}  // namespace stashscope
