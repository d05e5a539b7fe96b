#include "named_support.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace softmax_test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of the elements of a shape [outer, count, inner], along the middle, by loops.
std::vector<double> softmax_by_loops(const std::vector<double>& x, std::size_t outer,
                                     std::size_t count, std::size_t inner) {
    std::vector<double> result(x.size());
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t i = 0; i < inner; ++i) {
            const auto at = [&](std::size_t n) { return (o * count + n) * inner + i; };
            double greatest = -kInfinity;
            for (std::size_t n = 0; n < count; ++n) greatest = std::max(greatest, x[at(n)]);
            double sum = 0;
            for (std::size_t n = 0; n < count; ++n) sum += std::exp(x[at(n)] - greatest);
            for (std::size_t n = 0; n < count; ++n)
                result[at(n)] = std::exp(x[at(n)] - greatest) / sum;
        }
    return result;
}

bool close(const pv::Tensor<double>& x, const std::vector<double>& expected) {
    const std::vector<double> values = pv::to_vector(x);
    bool same = values.size() == expected.size();
    for (std::size_t i = 0; same && i < values.size(); ++i)
        same = std::abs(values[i] - expected[i]) <= 1e-14;
    return same;
}

} // namespace

TEST_CASE("softmax is over an axis") {
    const auto t = counted({3, 5, 4}) % 7.0 - 2.0;
    const std::vector<double> x = pv::to_vector(t);
    CHECK(close(pv::softmax(t, 1), softmax_by_loops(x, 3, 5, 4)));
    CHECK(close(t | pv::softmax(-1), softmax_by_loops(x, 15, 4, 1)));
    CHECK(close(t | pv::softmax({0}), softmax_by_loops(x, 1, 3, 20)));
    CHECK(close(pv::softmax(t, {1, 2}), softmax_by_loops(x, 3, 20, 1)));
    CHECK(close(pv::softmax(t, 1, 2), softmax_by_loops(x, 3, 20, 1)));
    static_assert(std::same_as<decltype(pv::softmax(t, 1)), pv::MutableTensor<double>>);
    CHECK(pv::softmax(t, 1).shape() == pv::Shape{3, 5, 4});
    // Longer than what is read at a time.
    const auto longer = counted({2, 5000}) * 0.001;
    CHECK(close(longer | pv::softmax(1), softmax_by_loops(pv::to_vector(longer), 2, 5000, 1)));
    CHECK(close(longer | pv::softmax(0), softmax_by_loops(pv::to_vector(longer), 1, 2, 5000)));
}

TEST_CASE("softmax is over a dim, for each of the others") {
    const auto t = pv::sq(counted({3, 5, 4}) % 3.0) - 1.0;
    const std::vector<double> x = pv::to_vector(t);
    const auto [a, b, c] = pv::dims("a", "b", "c");
    const auto over_b = t(a, b, c) | pv::softmax(b);
    CHECK(to_string(pv::dims(over_b)) == "(a, b, c)");
    CHECK(close(over_b | pv::order(a, b, c), softmax_by_loops(x, 3, 5, 4)));
    CHECK(close(pv::softmax(t(a, pv::all, c), 0, c) | pv::order(a, 0, c),
                softmax_by_loops(x, 3, 20, 1)));
    CHECK(close(pv::softmax(t(a, pv::all, c), {c, 0}) | pv::order(a, 0, c),
                softmax_by_loops(x, 3, 20, 1)));
    // Written for a vector, called with a batch.
    CHECK(close(pv::softmax(t(a, b), -1) | pv::order(a, b), softmax_by_loops(x, 15, 4, 1)));
    CHECK(std::abs(double(over_b | pv::sum(a, b, c)) - 12) < 1e-13);
    // Of what is not there yet.
    const pv::Dim n("n");
    const auto later = (n * 0.5) + 1.0;
    n.set_size(6);
    CHECK(close(later | pv::softmax(n) | pv::order(n),
                softmax_by_loops({1, 1.5, 2, 2.5, 3, 3.5}, 1, 6, 1)));
}

TEST_CASE("softmax is float, and knows its limits") {
    static_assert(
        std::same_as<decltype(pv::softmax(pv::zeros<float>({3}), 0)), pv::MutableTensor<float>>);
    static_assert(
        std::same_as<decltype(pv::softmax(counted<int>({3}), 0)), pv::MutableTensor<double>>);
    CHECK(close(pv::softmax(counted<int>({3}), 0), softmax_by_loops({0, 1, 2}, 1, 3, 1)));
    const pv::AnyTensor any = counted<float>({4});
    CHECK(pv::softmax(any, 0).dtype() == pv::float32);

    const auto huge = pv::tensor({1e300, -1e300, 1e300});
    CHECK(equal<double>(pv::softmax(huge, 0), pv::tensor({0.5, 0., 0.5})));
    CHECK(equal<double>(pv::softmax(pv::tensor({0., -kInfinity}), 0), pv::tensor({1., 0.})));
    CHECK(std::isnan(double(pv::softmax(pv::tensor({kInfinity, 0.}), 0)(0))));
    CHECK(std::isnan(double(pv::softmax(pv::tensor({0., std::nan("")}), 0)(0))));
    CHECK(pv::softmax(pv::zeros({3, 0}), 1).shape() == pv::Shape{3, 0});
    CHECK(pv::softmax(pv::zeros({0, 3}), 1).shape() == pv::Shape{0, 3});

    const pv::Dim i("i");
    CHECK(message_of<pv::IndexError>([] { pv::softmax(pv::zeros({3}), 1); }) ==
          "softmax: axis 1 is out of range for rank 1");
    CHECK(message_of<pv::DimError>([&] { pv::softmax(pv::zeros({3}), i); }) ==
          "softmax: the tensor has no Dim 'i', its dims are ()");
    CHECK(message_of<pv::DimError>([&] { pv::softmax(pv::zeros({3})(i), i, i); }) ==
          "softmax: Dim 'i' is given twice");
}

TEST_CASE("what reduces batches over dims") {
    const auto t = (counted({4, 5, 6}) * 7.0) % 11.0;
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto x = t(i, j, k);
    const pv::Tensor<double> greatest = x | pv::max(k) | pv::order(j, i);
    const pv::Tensor<std::int64_t> where = x | pv::argmax(j) | pv::order(k, i);
    const pv::Tensor<std::int64_t> least = x | pv::argmin({i, k}) | pv::order(j);
    for (pv::index_t a = 0; a < 4; ++a)
        for (pv::index_t b = 0; b < 5; ++b) {
            double expected = t(a, b, 0);
            for (pv::index_t c = 1; c < 6; ++c) expected = std::max(expected, t(a, b, c));
            CHECK(greatest(b, a) == expected);
        }
    for (pv::index_t a = 0; a < 4; ++a)
        for (pv::index_t c = 0; c < 6; ++c) {
            pv::index_t best = 0;
            for (pv::index_t b = 1; b < 5; ++b)
                if (t(a, b, c) > t(a, best, c)) best = b;
            CHECK(where(c, a) == best);
        }
    for (pv::index_t b = 0; b < 5; ++b) {
        pv::index_t best = 0;
        for (pv::index_t n = 1; n < 24; ++n)
            if (t(n / 6, b, n % 6) < t(best / 6, b, best % 6)) best = n;
        CHECK(least(b) == best);
    }
}

} // namespace softmax_test
