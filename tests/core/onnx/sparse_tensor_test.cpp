#include "core/onnx/sparse_tensor.h"

#include <gtest/gtest.h>

#include "core/onnx/opsets.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace sparse_tensor_test {

onnx::TensorProto tensor(const std::vector<std::int64_t>& dims, const std::vector<float>& values) {
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t dim : dims) proto.add_dims(dim);
  for (const float value : values) proto.add_float_data(value);
  return proto;
}

onnx::SparseTensorProto sparse(const std::vector<float>& values,
                               const std::vector<std::int64_t>& index_dims,
                               const std::vector<std::int64_t>& indices) {
  onnx::SparseTensorProto proto;
  *proto.mutable_values() = tensor({std::ssize(values)}, values);
  proto.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  for (const std::int64_t dim : index_dims) proto.mutable_indices()->add_dims(dim);
  for (const std::int64_t index : indices) proto.mutable_indices()->add_int64_data(index);
  proto.add_dims(2);
  proto.add_dims(3);
  return proto;
}

std::vector<double> dense(onnx::SparseTensorProto proto) {
  std::vector<std::string> warnings;
  std::int64_t bytes_left = most_dense_bytes;
  const Tensor read = read_sparse_tensor(proto, {}, bytes_left, warnings);
  EXPECT_EQ(bytes_left, most_dense_bytes - 24);
  EXPECT_EQ(read.dims(), (std::vector<std::int64_t>{2, 3}));
  return read.reals().value_or(std::vector<double>());
}

TEST(SparseTensor, IsFilledWithZeros) {
  const std::vector<double> expected = {0, 5, 0, 0, 0, 7};
  EXPECT_EQ(dense(sparse({5, 7}, {2}, {1, 5})), expected);
  EXPECT_EQ(dense(sparse({5, 7}, {2, 2}, {0, 1, 1, 2})), expected);
  EXPECT_EQ(dense(sparse({}, {0}, {})), (std::vector<double>(6, 0)));
}

TEST(SparseTensor, RefusesIndicesThatDoNotFit) {
  const auto refused = [](const onnx::SparseTensorProto& proto) {
    return test::refusal(ErrorKind::input, [&] { dense(proto); });
  };
  EXPECT_NE(refused(sparse({5}, {1}, {6})).find("6"), std::string::npos);
  EXPECT_NE(refused(sparse({5}, {1}, {-1})).find("-1"), std::string::npos);
  EXPECT_NE(refused(sparse({5}, {1, 2}, {0, 3})).find("3"), std::string::npos);
  EXPECT_NE(refused(sparse({5}, {2}, {0, 1})).find("indices"), std::string::npos);
}

TEST(SparseTensor, OfNoAxesHasOneElement) {
  std::vector<std::string> warnings;
  std::int64_t bytes_left = most_dense_bytes;
  for (const std::vector<std::int64_t>& index_dims : {std::vector<std::int64_t>{1}, {1, 0}}) {
    onnx::SparseTensorProto proto = sparse({5}, index_dims, {});
    if (index_dims.size() == 1) proto.mutable_indices()->add_int64_data(0);
    proto.clear_dims();
    EXPECT_EQ(read_sparse_tensor(proto, {}, bytes_left, warnings).reals(), std::vector<double>{5});
  }
}

TEST(SparseTensor, RefusesSizesThatNoMemoryHolds) {
  std::vector<std::string> warnings;
  std::int64_t bytes_left = 1000;
  for (const std::int64_t dim : {std::int64_t{-3}, std::int64_t{1} << 40, std::int64_t{1} << 62}) {
    onnx::SparseTensorProto proto = sparse({}, {0}, {});
    proto.add_dims(dim);
    EXPECT_NE(test::refusal(ErrorKind::input,
                            [&] { read_sparse_tensor(proto, {}, bytes_left, warnings); }),
              "accepted")
        << dim;
  }
  EXPECT_EQ(bytes_left, 1000);
}

TEST(Opsets, StartAtOne) {
  onnx::ModelProto model;
  model.add_opset_import()->set_version(-5);
  std::vector<std::string> warnings;
  const std::string said = test::refusal(ErrorKind::input, [&] { read_opsets(model, warnings); });
  EXPECT_NE(said.find("-5"), std::string::npos) << said;
}

}  // namespace sparse_tensor_test
}  // namespace stashscope
