#include "core/base/csv.h"

#include "tests/support/csv.h"

namespace stashscope {
namespace csv_test {

TEST(Csv, FieldsWithCommasAndQuotesAreQuoted) {
  EXPECT_EQ(csv_record({"a", "", "b c"}), "a,,b c\r\n");
  EXPECT_EQ(csv_record({"", "a"}), ",a\r\n");
  EXPECT_EQ(csv_record({"a,b", "\"x\"", "é"}), "\"a,b\",\"\"\"x\"\"\",é\r\n");
}

TEST(Csv, ARecordIsOneLineOfValidUtf8) {
  EXPECT_EQ(csv_record({"a\nb", "\xff"}), "a\\x0ab,\\xff\r\n");
}

TEST(Csv, NoFieldIsAFormula) {
  EXPECT_EQ(csv_record({"=1+1", "+cmd", "-", "@SUM(A1)", "-x,y"}),
            "'=1+1,'+cmd,'-,'@SUM(A1),\"'-x,y\"\r\n");
  EXPECT_EQ(csv_record({"-5", "+2.5e-3", "-0.25", "-1e9", "a=b", "'x"}),
            "-5,+2.5e-3,-0.25,-1e9,a=b,'x\r\n");
}

TEST(Csv, IsReadBack) {
  const std::vector<std::string> fields = {"MatMul, \"first\"", "12", "", "h.0,attn"};
  EXPECT_EQ(test::read_csv(csv_record(fields) + csv_record({"x"})),
            (std::vector<std::vector<std::string>>{fields, {"x"}}));
}

}  // namespace csv_test
}  // namespace stashscope
