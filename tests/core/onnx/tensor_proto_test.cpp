#include "core/onnx/tensor_proto.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace tensor_proto_test {

TEST(TensorProto, TypedDataCountsBesideEmptyRawData) {
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_dims(2);
  proto.add_float_data(5);
  proto.add_float_data(7);
  proto.set_raw_data("");
  std::vector<std::string> warnings;
  EXPECT_EQ(read_tensor(proto, {}, warnings).reals(), (std::vector<double>{5, 7}));
}

}  // namespace tensor_proto_test
}  // namespace stashscope
