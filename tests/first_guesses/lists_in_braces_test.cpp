#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace lists_in_braces_test {

// A list in braces is a list of indexes wherever an index is, as NumPy's x[[0, 2], :] and Eigen's x({0, 2}, all).

namespace {

namespace pv = purview;

template <typename X, typename Y>
bool same(const X& a, const Y& b) {
    return pv::equals(pv::AnyTensor(a), pv::AnyTensor(b));
}

/// Of a handle of shape [2, 3, 4].
template <typename X>
void check_lists(const X& x) {
    const std::size_t one = 1;
    const auto at = pv::tensor({2, 0});
    CHECK(same(x({1, 0}), x(pv::indexes({1, 0}))));
    CHECK(same(x({1}), x(pv::range(1, 2))));
    CHECK(same(x({}), x(pv::range(0, 0))));
    CHECK(same(x({1, 0}, pv::all), x(pv::indexes({1, 0}), pv::all)));
    CHECK(same(x(pv::all, {2, -1, 0}), x(pv::all, pv::indexes({2, 2, 0}))));
    CHECK(same(x({one, 0}, {2, 0}), x(pv::indexes({1, 0}), pv::indexes({2, 0}))));
    CHECK(same(x(1, {at(0), at(1)}, 3), x(1, pv::indexes({2, 0}), 3)));
    CHECK(same(x(pv::new_axis, {0, 0}, pv::ellipsis, {3}),
               x(pv::new_axis, pv::indexes({0, 0}), pv::ellipsis, pv::indexes({3}))));
    CHECK(same(x({0}, pv::range(1, 3), 2), x(pv::range(0, 1), pv::range(1, 3), 2)));
    CHECK_THROWS_AS(x({2}), pv::IndexError);
    CHECK_THROWS_AS(x({0, 1}, pv::all, pv::all, pv::all), pv::IndexError);
}

} // namespace

TEST_CASE("Lists of indexes in braces") {
    const auto x = pv::reshape(pv::clone(pv::arange(24.)), {2, 3, 4});
    check_lists(x);
    check_lists(pv::Tensor<double>(x));
    check_lists(pv::sqrt(x));
    check_lists(pv::flip(x, 1));
    check_lists(pv::AnyTensor(x));
}

TEST_CASE("Lists in braces write through") {
    auto x = pv::zeros(3, 2);
    x({2, 0}, 1) = pv::tensor({5., 7.});
    CHECK(pv::to_vector(x) == std::vector<double>{0, 7, 0, 0, 0, 5});
    x({1}) = 1.;
    CHECK(pv::to_vector(x) == std::vector<double>{0, 7, 1, 1, 0, 5});
    x({0, 2}, pv::all) += 1.;
    CHECK(pv::to_vector(x) == std::vector<double>{1, 8, 1, 1, 1, 6});
}

TEST_CASE("Vectors are chosen of, as tensors are") {
    const std::vector<double> x{1, 2, 3};
    CHECK(same(pv::choice(x, 5, 42U), pv::choice(pv::as_tensor(x), 5, 42U)));
}

TEST_CASE("Lists in braces stand beside dims") {
    auto x = pv::clone(pv::reshape(pv::arange(24.), {2, 3, 4}));
    const pv::Tensor<double> t = x;
    const pv::Dim i("i");
    const pv::Dim j("j");
    const auto columns = pv::indexes({2, 0});
    CHECK(same(t(pv::all, pv::indexes(std::vector<int>{2, 0})), t(pv::all, columns)));
    CHECK(same(t(pv::all, pv::indexes(std::array<unsigned, 2>{2, 0})), t(pv::all, columns)));
    const pv::Dim m("m");
    CHECK(same(x({1, 0}, m) | pv::order(m), x(pv::indexes({1, 0}), m) | pv::order(m)));
    CHECK(same(t(i, {2, 0}) | pv::order(i), t(pv::all, columns)));
    CHECK(same(t(i, {2, 0}, j) | pv::order(i, j), t(pv::all, columns) | pv::transpose(0, 2, 1)));
    CHECK(same(t(i, m, {-1, 0, 0}) | pv::order(i, m), t(pv::all, pv::all, {-1, 0, 0})));
    CHECK(same(t(1, m, {3}) | pv::order(m), t(1, pv::all, {3})));
    CHECK(same((t * 2.)(i, {1}) | pv::order(i), (t * 2.)(pv::all, {1})));
    CHECK_THROWS_AS(t(i, {3}), pv::IndexError);
    const auto before = pv::clone(t);
    const pv::Dim k("k");
    x(k, {2, 0}, 1) = 7.;
    CHECK(pv::to_vector(x(pv::all, pv::all, 1)) == std::vector<double>{7, 5, 7, 7, 17, 7});
    CHECK(pv::count_true(x != before) == 4);
}

} // namespace lists_in_braces_test
