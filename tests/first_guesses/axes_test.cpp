#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <array>
#include <deque>
#include <vector>

namespace axes_test {

// Every function with axes takes an integer, a list of any integers, a Dim.

namespace {

namespace pv = purview;
using pv::index_t;

const auto x = pv::tensor({{3., 1., 2.}, {6., 5., 4.}});

template <typename X, typename Y>
bool same(const X& a, const Y& b) {
    return pv::equals(pv::AnyTensor(a), pv::AnyTensor(b));
}

/// Of the axes of `x`, along which `f` is applied, and which `f` keeps.
template <typename F>
void check_along(const F& f) {
    for (const int axis : {0, 1, -1}) {
        const auto expected = f(x, index_t{axis});
        CHECK(same(f(x, axis), expected));
        CHECK(same(f(x, {axis}), expected));
        CHECK(same(x | f(axis), expected));
        CHECK(same(x | f({axis}), expected));
        CHECK(same(f(pv::AnyTensor(x), {axis}), expected));
    }
    const pv::Dim i("i");
    const pv::Dim j("j");
    CHECK(same(f(x(i, j), j) | pv::order(i, j), f(x, 1)));
    CHECK(same(f(x(i, j), {i}) | pv::order(i, j), f(x, 0)));
    CHECK_THROWS_AS(f(x, 2), pv::IndexError);
    CHECK_THROWS_AS(f(x, {-3}), pv::IndexError);
}

template <typename F>
void check_reduction(const F& f) {
    const std::vector<int> ints{1};
    const std::deque<unsigned char> bytes{1};
    const auto expected = f(x, pv::Shape{1});
    CHECK(same(f(x, 1), expected));
    CHECK(same(f(x, -1), expected));
    CHECK(same(f(x, {1}), expected));
    CHECK(same(f(x, ints), expected));
    CHECK(same(f(x, bytes), expected));
    CHECK(same(f(x, std::array{1U}), expected));
    CHECK(same(x | f(1), expected));
    CHECK(same(x | f({1}), expected));
    const pv::Dim i("i");
    const pv::Dim j("j");
    CHECK(same(f(x(i, j), j) | pv::order(i), expected));
    CHECK(same(f(x(i, j), {j}) | pv::order(i), expected));
    CHECK_THROWS_AS(f(x, 2), pv::IndexError);
}

} // namespace

TEST_CASE("functions along one axis") {
    check_along(pv::cumsum);
    check_along(pv::cumprod);
    check_along(pv::cummin);
    check_along(pv::cummax);
    check_along(pv::sort);
    check_along(pv::argsort);
    check_along(pv::ranks);
    CHECK(pv::to_vector(pv::sort(x, 1)) == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(pv::to_vector(pv::sort(x, {0}, pv::descending)) == std::vector<double>{6, 5, 4, 3, 1, 2});
    CHECK(pv::to_vector(pv::cumsum(x, {1})) == std::vector<double>{3, 4, 6, 6, 11, 15});
    CHECK(same(pv::diff1d(x, {0}), pv::diff1d(x, 0)));
    CHECK(same(pv::gradient1d(x, 1, {0}), pv::gradient1d(x, 1, 0)));
    CHECK(same(pv::fixed_rolling_window(x, 2, pv::sum, {0}),
               pv::fixed_rolling_window(x, 2, pv::sum, 0)));
    CHECK(same(pv::expanding_window(x, pv::mean, {0}), pv::expanding_window(x, pv::mean, 0)));
    CHECK(same(pv::convolve1d(x, pv::tensor({1., 1.}), {0}),
               pv::convolve1d(x, std::vector{1., 1.}, 0)));
    CHECK(same(pv::arg_min_n(x, 1, {0}), pv::arg_min_n(x, 1, 0)));
    CHECK(same(pv::downsample(x, 1, {0}), pv::downsample(x, 1, 0)));
    CHECK(same(pv::argpartition(x, 1, {1}), pv::argpartition(x, 1, 1)));
    CHECK(same(pv::reduce_axis(pv::max, x, {0}), pv::max(x, 0)));
    CHECK(same(pv::map_axis(pv::flip, x, {0}), pv::flip(x, 0)));
    CHECK(same(pv::take(x, std::vector{1, 0}, 1), pv::take(x, pv::tensor({1, 0}), 1)));
    CHECK(same(pv::repeat(x, 2, {0}), pv::repeat(x, 2, 0)));
    CHECK(same(pv::roll(x, 1, {0, 1}), pv::roll(pv::roll(x, 1, 0), 1, 1)));
    CHECK(same(pv::concat(x, x, {1}), pv::concat(x, x, 1)));
}

TEST_CASE("reductions over axes") {
    check_reduction(pv::sum);
    check_reduction(pv::product);
    check_reduction(pv::mean);
    check_reduction(pv::min);
    check_reduction(pv::max);
    check_reduction(pv::any_of);
    check_reduction(pv::variance);
    check_reduction(pv::argmax);
    check_reduction(pv::median);
    check_reduction(pv::magnitude);
    CHECK(same(pv::percentile(x, 50, {1}), pv::percentile(x, 50, 1)));
    CHECK(same(pv::percentile(x, {25, 75}, {1}), pv::percentile(x, {25, 75}, 1)));
    CHECK(same(pv::softmax(x, {1}), pv::softmax(x, 1)));
    CHECK(same(pv::moment(x, 2, {1}), pv::moment(x, 2, 1)));
    CHECK(same(pv::distance(x, x * 2, {1}), pv::distance(x, x * 2, 1)));
}

TEST_CASE("views") {
    const std::vector<int> both{0, 1};
    CHECK(pv::to_vector(pv::flip(x, 1)) == std::vector<double>{2, 1, 3, 4, 5, 6});
    for (const auto& flipped : {pv::flip(x, {1}), pv::flip(x, -1), x | pv::flip(1),
                                x | pv::flip({1}), pv::flip(x, std::vector<short>{1})})
        CHECK(same(flipped, pv::flip(x, pv::Shape{1})));
    CHECK(same(pv::flip(x, 0, 1), pv::flip(x)));
    CHECK(same(pv::flip(x, both), pv::flip(x)));
    const auto t = pv::insert_axis(pv::insert_axis(x, 0), 3);
    CHECK(pv::squeeze(t, 0).shape() == pv::Shape{2, 3, 1});
    CHECK(pv::squeeze(t, 0, -1).shape() == pv::Shape{2, 3});
    CHECK(pv::squeeze(t, {0, 3}).shape() == pv::Shape{2, 3});
    CHECK((t | pv::squeeze(3)).shape() == pv::Shape{1, 2, 3});
    CHECK(same(pv::transpose(x, 1, 0), pv::transpose(x)));
    CHECK(same(x | pv::transpose(1, 0), pv::transpose(x)));
    CHECK(same(pv::transpose(x, both), x));
    CHECK(same(pv::reshape(x, 3, -1), pv::reshape(x, {3, 2})));
    CHECK(same(x | pv::reshape(6), pv::reshape(x, {6})));
    CHECK(same(pv::rotate(x, 0, 1), pv::rotate(x, {0, 1})));
    CHECK(same(pv::broadcast(x, 4, 3), pv::broadcast(x, {4, 3})));
    CHECK(same(pv::tile(x, 2, 1), pv::tile(x, {2, 1})));
    // What can be written stays so.
    const auto target = pv::zeros<int>({2, 2});
    pv::copy(pv::tensor({{1, 2}, {3, 4}}), pv::flip(pv::transpose(target, 1, 0), 0));
    CHECK(pv::to_vector(target) == std::vector{3, 1, 4, 2});

    const pv::Dim i("i");
    CHECK(same(pv::flip(x(i), 0) | pv::order(i), pv::flip(x, 1)));
    CHECK(same(pv::flip(x(i), {i, 0}) | pv::order(i), pv::flip(x)));
    CHECK(same(x(i) | pv::flip({0}) | pv::order(i), pv::flip(x, 1)));
    const pv::Dim j("j");
    CHECK(pv::squeeze(t(j), {j, -1}).shape() == pv::Shape{2, 3});

    CHECK_THROWS_AS(pv::flip(x, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::transpose(x, 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::reshape(x, 4, 2), pv::ShapeError);
    CHECK_THROWS_AS(pv::squeeze(x, 0), pv::ShapeError);
}

} // namespace axes_test
