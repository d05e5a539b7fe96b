#include <support/catch.hpp>

#include <purview/interop/foreign_types.hpp>
#include <purview/purview.hpp>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbroadcast.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace foreign_xtensor_test {

namespace pv = purview;
using pv::index_t;

namespace {

template <typename X>
concept Borrowed = requires(X&& x) {
    pv::borrow(std::forward<X>(x));
};
template <typename X>
concept Wrapped = requires(X&& x) {
    pv::wrap(std::forward<X>(x));
};

template <typename X>
void check_elements(const X& x, const pv::Tensor<double>& t) {
    REQUIRE(pv::to_vector(t.shape()) == std::vector<index_t>(x.shape().begin(), x.shape().end()));
    const auto elements = pv::to_vector(t);
    CHECK(std::equal(elements.begin(), elements.end(),
                     x.template begin<xt::layout_type::row_major>(),
                     x.template end<xt::layout_type::row_major>()));
}

} // namespace

TEST_CASE("xtensor's arrays are borrowed with their shapes") {
    xt::xarray<double> a{{1, 2, 3}, {4, 5, 6}};
    check_elements(a, pv::borrow(a));
    pv::borrow(a)(1, 2) = -1;
    CHECK(a(1, 2) == -1);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(a)), pv::MutableTensor<double>>);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(std::as_const(a))), pv::Tensor<double>>);
    xt::xtensor<double, 2, xt::layout_type::column_major> columns = a;
    check_elements(columns, pv::borrow(columns));
    CHECK(pv::describe(pv::borrow(columns)).strides == pv::Shape{8, 16});
    xt::xtensor_fixed<double, xt::xshape<2, 2>> fixed{{1, 2}, {3, 4}};
    check_elements(fixed, pv::borrow(fixed));
    xt::xarray<double> scalar(7.0);
    CHECK(pv::borrow(scalar).rank() == 0);
    CHECK(pv::borrow(scalar)() == 7);
    auto none = xt::xtensor<double, 2>::from_shape({0, 3});
    CHECK(pv::borrow(none).shape() == pv::Shape{0, 3});
    std::vector<double> memory{1, 2, 3, 4, 5, 6};
    auto adapted = xt::adapt(memory, {3, 2});
    check_elements(adapted, pv::borrow(adapted));
    xt::xarray<double, xt::layout_type::dynamic> dynamic({2, 3}, xt::layout_type::column_major);
    dynamic = a;
    check_elements(dynamic, pv::borrow(dynamic));
    // As memory of another shape, as any range.
    CHECK(pv::borrow(a, {3, 2})(2, 0) == 5);
}

TEST_CASE("xtensor's views with strides are borrowed") {
    xt::xarray<double> a = xt::reshape_view(xt::arange<double>(24), {2, 3, 4});
    const xt::xarray<double>& constant = a;
    auto view = xt::view(a, 1, xt::range(0, 3, 2), xt::all());
    check_elements(view, pv::borrow(view));
    CHECK(pv::borrow(view)(1, 3) == 23);
    pv::borrow(view)(1, 3) = 0;
    CHECK(a(1, 2, 3) == 0);
    auto back = xt::strided_view(a, {xt::all(), xt::range(2, -4, -1), 1});
    check_elements(back, pv::borrow(back));
    auto transposed = xt::transpose(a);
    check_elements(transposed, pv::borrow(transposed));
    auto with_axis = xt::view(a, xt::newaxis(), xt::all(), 0);
    check_elements(with_axis, pv::borrow(with_axis));
    auto read = xt::view(constant, 0);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(read)), pv::Tensor<double>>);
    check_elements(read, pv::borrow(read));
    const auto constant_view = xt::view(a, 0);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(constant_view)), pv::Tensor<double>>);
}

TEST_CASE("xtensor's expressions are no memory, and temporaries are not borrowed") {
    xt::xarray<double> a{{1, 2, 3}, {4, 5, 6}};
    [[maybe_unused]] auto sum = a + a;
    [[maybe_unused]] auto view_of_sum = xt::view(sum, 0);
    [[maybe_unused]] auto strided_sum = xt::strided_view(sum, {0});
    [[maybe_unused]] auto broadcast = xt::broadcast(a, {2, 2, 3});
    [[maybe_unused]] auto chosen = xt::view(a, xt::keep(1, 0), xt::all());
    [[maybe_unused]] auto view = xt::view(a, 0);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((sum))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((view_of_sum))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((strided_sum))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((broadcast))>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype((chosen))>);
    STATIC_REQUIRE_FALSE(Borrowed<xt::xarray<double>>);
    STATIC_REQUIRE_FALSE(Borrowed<decltype(view)>);
    STATIC_REQUIRE(Wrapped<xt::xarray<double>>);
    STATIC_REQUIRE_FALSE(Wrapped<xt::xarray<double>&>);
    STATIC_REQUIRE_FALSE(Wrapped<decltype(view)>);
    STATIC_REQUIRE_FALSE(Wrapped<decltype(xt::adapt(std::declval<std::vector<double>&>()))>);
}

TEST_CASE("xtensor's arrays are adopted, small ones too") {
    xt::xarray<double> a = xt::ones<double>({20, 30});
    const double* const memory = a.data();
    auto t = pv::wrap(std::move(a));
    CHECK(pv::describe(t).pointer == memory);
    const auto row = t(19, pv::all);
    t = pv::zeros<double>({1, 1});
    CHECK(pv::sum(row) == 30);
    const auto fixed = pv::wrap(xt::xtensor_fixed<float, xt::xshape<2>>{1.0F, 2.0F});
    CHECK(pv::sum(fixed) == 3);
}

} // namespace foreign_xtensor_test
