#include "ui/panels/inspector/inspector_page.h"

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace inspector_page_test {

using namespace Qt::StringLiterals;

class InspectorPages : public WindowTest {};

TEST_F(InspectorPages, AGroupHasAsManyNodesAsAreSelected) {
  open(sample(u"gpt2_tiny"_s));
  Selection selection;
  selection.title = u"three"_s;
  selection.nodes = {NodeId(0), NodeId(1), NodeId(2)};
  const QString several = inspector_page(*document().study(), selection);
  EXPECT_TRUE(several.contains(u"<p>3 nodes, "_s)) << several.toStdString();
  EXPECT_TRUE(several.contains(u" % of the step's operations</p>"_s)) << several.toStdString();
  selection.nodes = {NodeId(0)};
  EXPECT_TRUE(inspector_page(*document().study(), selection).contains(u"<p>1 node, "_s));
}

}  // namespace inspector_page_test
}  // namespace stashscope::ui::test
