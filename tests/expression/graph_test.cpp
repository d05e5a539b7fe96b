#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <string>
#include <vector>

// Visiting nodes by their classes, rewriting graphs, and what is known of the nodes below a node.

namespace graph_test {

namespace {

namespace pv = purview;
using pv::Below;

std::string name_of_class(const pv::Operand& operand) {
    return pv::visit(
        *operand.node, [](const pv::Leaf&) { return "leaf"; },
        [](const pv::Constant&) { return "constant"; },
        [](const pv::Elementwise&) { return "elementwise"; },
        [](const pv::OneOf<pv::Gather, pv::Piecewise> auto& node) { return node.what(); },
        [](const pv::SymbolNode&) { return "symbol"; }, [](const pv::Reduce&) { return "reduce"; },
        [](const pv::Scatter&) { return "scatter"; }, [](const pv::ScanNode&) { return "scan"; },
        [](const pv::OpaqueStage&) { return "opaque"; }, [](const pv::Loop&) { return "loop"; },
        [](const pv::Choice&) { return "choose"; },
        [](const pv::StageResult&) { return "result"; });
}

pv::Operand symbol_of_ten() { return pv::placeholder_operand(pv::float64, pv::Shape{10}, 0); }

} // namespace

TEST_CASE("a node is visited as the class of its kind") {
    const auto x = pv::clone(pv::arange(10.));
    CHECK(name_of_class(x.operand()) == "leaf");
    CHECK(name_of_class(pv::const_tensor(2., {10}).operand()) == "constant");
    CHECK(name_of_class((x + x).operand()) == "elementwise");
    CHECK(name_of_class(pv::take(x, {1, 2}).operand()) == "take");
    CHECK(name_of_class(pv::concat(x, x).operand()) == "concat");
    CHECK(name_of_class(symbol_of_ten()) == "symbol");
    CHECK(name_of_class(pv::reduce_operand(pv::Reduction::sum, symbol_of_ten(), 1, pv::Shape{})) ==
          "reduce");
    CHECK(name_of_class(pv::scan_operand(symbol_of_ten(), 0)) == "scan");
    const pv::ScatterPlace place{{pv::GatherAxis::along(0)}, symbol_of_ten().dims, 10};
    CHECK(name_of_class(pv::scatter_operand(symbol_of_ten(), {}, place)) == "scatter");
    CHECK(pv::node_as<pv::Leaf>(*x.operand().node) == x.operand().node.get());
    CHECK(pv::node_as<pv::Gather>(*x.operand().node) == nullptr);
}

TEST_CASE("a graph is rewritten: each node once, operands first, and kept where nothing changes") {
    const auto x = pv::clone(pv::arange(10.));
    const auto y = pv::clone(pv::arange(10.) * 3);
    const auto sum = x + y;
    const pv::Tensor<double> shared = sum * sum + pv::concat(sum, sum)(pv::range(5, 15));
    const std::vector<pv::Operand> roots{shared.operand(), y.operand(), (y * 2).operand()};
    std::vector<const pv::Node*> met;
    const auto replaced = pv::rewritten(roots, [&](const pv::Node& node, pv::NodePtr now) {
        met.push_back(&node);
        return &node == x.operand().node.get() ? y.operand().node : now;
    });
    CHECK(met == pv::nodes_below(roots));
    REQUIRE(replaced.size() == 3);
    const auto of_y = y + y;
    const pv::Tensor<double> expected = of_y * of_y + pv::concat(of_y, of_y)(pv::range(5, 15));
    CHECK(pv::equals(pv::Tensor<double>(replaced[0]), expected));
    CHECK(pv::nodes_below(std::span(replaced).first(1)).size() ==
          pv::nodes_below(std::span(roots).first(1)).size() - 1);
    CHECK(replaced[1].node == y.operand().node);
    CHECK(replaced[2].node == roots[2].node);
}

TEST_CASE("a rewritten root may be replaced itself, through its view") {
    const auto x = pv::clone(pv::arange(6.));
    const auto y = pv::clone(pv::arange(6.) * 10);
    const std::vector<pv::Operand> roots{pv::flip(x).operand(), x.operand()};
    const auto replaced =
        pv::rewritten(roots, [&](const pv::Node&, pv::NodePtr) { return y.operand().node; });
    CHECK(pv::equals(pv::Tensor<double>(replaced[0]), pv::flip(y)));
    CHECK(pv::equals(pv::Tensor<double>(replaced[1]), y));
}

TEST_CASE("a node knows what is below it") {
    const auto x = pv::clone(pv::arange(10.));
    const auto plain = (x + 1).operand();
    CHECK(plain.node->below() == Below::nothing);
    const auto symbol = pv::Tensor<double>(symbol_of_ten());
    const auto both = pv::concat(symbol, x)(pv::range(2, 9)) * 2;
    CHECK(both.operand().node->reads(Below::symbol));
    CHECK_FALSE(both.operand().node->reads(Below::sparse));
    const auto fold = pv::reduce_operand(pv::Reduction::sum, both.operand(), 1, pv::Shape{});
    CHECK(fold.node->below() == Below::symbol);
    CHECK_THROWS_AS(pv::clone(both), pv::SymbolError);
}

} // namespace graph_test
