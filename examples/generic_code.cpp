// Functions that take whatever a caller has: docs/generic_code.md.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <span>
#include <vector>

namespace pv = purview;

namespace {

// [array-like]
/// Standard scores of anything: a tensor, an expression, a vector, a span, an mdspan; of a tensor
/// with dims, `t(day)`, for each day by itself.
template <pv::array_like X>
auto standardised(X&& values) {
    const auto x = pv::as_tensor<double>(std::forward<X>(values));
    return (x - pv::mean(x)) / pv::standard_deviation(x);
}
// [/array-like]

// [lookup]
/// Of a number, a tensor, a tensor with dims, the symbol of a computation.
template <typename T>
auto bell(const T& x) {
    using std::exp;
    return exp(-x * x / 2);
}
// [/lookup]

// [entries]
/// The mean of each entry of a batch: of a matrix its rows, of images each image.
template <pv::array_like X>
std::vector<double> means(const X& batch) {
    std::vector<double> result;
    for (const auto& entry : pv::rows(pv::as_tensor(batch))) result.push_back(pv::mean(entry));
    return result;
}
// [/entries]

void operands() {
    // [operands]
    std::vector<double> prices{9.5, 12, 7};
    auto t = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    double mean = pv::mean(prices);             // read where it lies: no copy
    auto cheap = pv::sort(prices);              // memory of its own
    auto total = t * prices;                    // lazy: it keeps a copy of the prices
    auto moved = t + std::vector{1., 1., 1.};   // and owns what is moved in
    auto live = t * pv::borrow(prices);         // no copy; the prices must outlive it
    prices[0] = 10;                             // which `live` sees, and `total` does not
    pv::copy(pv::sum(t, 0), std::span(prices)); // writes to the vector
    // [/operands]
    check(std::fabs(mean - 9.5) < 1e-12, "the mean of a vector");
    check(cheap(0) == 7, "sorted");
    check(total(0, 0) == 9.5 && moved(1, 2) == 7, "operands");
    check(live(0, 0) == 5 && prices[2] == 9, "borrowed and written");
}

} // namespace

int main() {
    operands();
    const std::vector<int> numbers{1, 2, 3};
    check(standardised(numbers)(1) == 0, "of a vector");
    check(standardised(pv::tensor({1., 2., 3.}) * 2)(1) == 0, "of an expression");
    check(standardised(pv::AnyTensor(pv::tensor({1, 2, 3})))(1) == 0,
          "of what is known at run time");
    const pv::Dim day("day");
    const auto counts = pv::tensor({{1, 2, 3}, {5, 7, 9}});
    check(pv::allclose(standardised(counts(day)) | pv::order(day, 0),
                       pv::tensor({{-1., 0., 1.}, {-1., 0., 1.}}) * std::sqrt(1.5)),
          "of each row, over a Dim");
    check(bell(0.0) == 1 && bell(pv::tensor({0.}))(0) == 1, "numbers and tensors");
    check(means(std::vector<std::vector<double>>{{1, 3}, {5, 7}}) == std::vector<double>{2, 6},
          "of nested vectors");
}
