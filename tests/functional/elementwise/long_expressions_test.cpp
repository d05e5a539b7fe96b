#include <purview/purview.hpp>

#include "support/catch.hpp"
#include "support/tensors.hpp"

#include <random>
#include <vector>

namespace long_expressions_test {

using namespace purview;

namespace {

/// An expression, and what its elements are.
struct Expression {
    Tensor<double> lazy;
    std::vector<double> elements;
};

/// One operation more: with a number, with one of the leaves, or with an expression made before.
Expression extended(std::mt19937& random, const Expression& x, const Expression& y) {
    const double number = static_cast<double>(random() % 5) - 2;
    std::vector<double> elements(x.elements.size());
    const auto each = [&](auto operation) {
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = operation(x.elements[i], y.elements[i]);
    };
    switch (random() % 5) {
    case 0: each([&](double a, double) { return a + number; }); return {x.lazy + number, elements};
    case 1:
        each([](double a, double b) { return (a - b) * 0.5; });
        return {(x.lazy - y.lazy) * 0.5, elements};
    case 2:
        each([](double a, double b) { return b < a ? b : a; });
        return {minimum(x.lazy, y.lazy), elements};
    case 3:
        each([&](double a, double b) { return (a + b) * 0.5 + number; });
        return {(x.lazy + y.lazy) * 0.5 + number, elements};
    default: each([](double a, double) { return -a; }); return {-x.lazy, elements};
    }
}

} // namespace

TEST_CASE(
    "Long expressions: any number of operations over leaves in memory, into new memory and into a leaf") {
    std::mt19937 random(5);
    for (const int operations : {1, 4, 5, 6, 7, 15, 40, 60, 90})
        for (const index_t size : {1, 7, 64, 1000})
            for (int round = 0; round < 3; ++round) {
                std::vector<Expression> made;
                std::vector<MutableTensor<double>> leaves;
                for (int leaf = 0; leaf < 1 + round; ++leaf) {
                    auto memory = empty<double>({size});
                    std::vector<double> elements;
                    for (double& value : as_span(memory)) {
                        value = static_cast<double>(random() % 1000) / 8;
                        elements.push_back(value);
                    }
                    leaves.push_back(memory);
                    made.push_back({memory, elements});
                }
                for (int k = 0; k < operations; ++k)
                    made.push_back(extended(random, made.back(), made[random() % made.size()]));
                const auto& [lazy, expected] = made.back();
                INFO(operations << " operations on " << size << " elements, round " << round);
                CHECK(std::ranges::equal(as_span(purview::clone(lazy)), expected));
                const auto again = empty<double>({size});
                copy(lazy, again); // as remembered
                CHECK(std::ranges::equal(as_span(again), expected));
                double total = 0;
                for (const double value : expected) total = std::max(total, value);
                CHECK(std::max(0.0, double(purview::max(lazy))) == total);
                copy(lazy, leaves.back());
                CHECK(std::ranges::equal(as_span(leaves.back()), expected));
            }
}

} // namespace long_expressions_test
