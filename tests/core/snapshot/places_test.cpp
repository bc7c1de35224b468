#include "core/snapshot/places.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace places_test {

TEST(Places, OfTheProgramAreNeitherOfPyTorchNorOfCpp) {
  for (const char* const file :
       {"/home/me/train.py", "train.py", "/home/me/torch/train.py", "C:\\work\\train.py"}) {
    EXPECT_TRUE(is_of_program(file)) << file;
  }
  for (const char* const file :
       {"", "??", "<string>", "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py",
        "C:\\Python\\Lib\\site-packages\\torch\\nn\\functional.py", "/src/torch/autograd/graph.py",
        "/tmp/torchinductor_me/ab/cab.py", "/src/pytorch/c10/cuda/CUDACachingAllocator.cpp"}) {
    EXPECT_FALSE(is_of_program(file)) << file;
  }
}

TEST(Places, AreNamedWithoutFolders) {
  SnapshotNames names;
  const auto frame = names.add_frame({names.add_text("C:\\work\\train.py"), 7, {}});
  EXPECT_EQ(frame_text(names, frame), "train.py:7");
  EXPECT_EQ(whole_frame_text(names, frame), "C:\\work\\train.py:7");
}

}  // namespace places_test
}  // namespace stashscope
