#include <support/catch.hpp>

#include <purview/interop/foreign_types.hpp>
#include <purview/purview.hpp>

#include <boost/multi_array.hpp>

#include <type_traits>
#include <utility>

namespace foreign_boost_test {

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

using Array = boost::multi_array<int, 2>;
using Range = boost::multi_array_types::index_range;
using Extent = boost::multi_array_types::extent_range;

/// 10 i + j, counted from the index bases.
void number(Array& a) {
    for (std::size_t i = 0; i < a.shape()[0]; ++i)
        for (std::size_t j = 0; j < a.shape()[1]; ++j)
            a[a.index_bases()[0] + static_cast<index_t>(i)]
             [a.index_bases()[1] + static_cast<index_t>(j)] = static_cast<int>(10 * i + j);
}

template <typename A>
void check_elements(const A& a, const pv::Tensor<int>& t) {
    const auto* const bases = a.index_bases();
    REQUIRE(t.shape() ==
            pv::Shape{static_cast<index_t>(a.shape()[0]), static_cast<index_t>(a.shape()[1])});
    for (index_t i = 0; i < t.shape()[0]; ++i)
        for (index_t j = 0; j < t.shape()[1]; ++j) CHECK(t(i, j) == a[bases[0] + i][bases[1] + j]);
}

} // namespace

TEST_CASE("Boost's arrays are borrowed in any order, from any index base") {
    Array a(boost::extents[3][4]);
    number(a);
    check_elements(a, pv::borrow(a));
    pv::borrow(a)(2, 3) = -1;
    CHECK(a[2][3] == -1);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(a)), pv::MutableTensor<int>>);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(std::as_const(a))), pv::Tensor<int>>);

    a.reindex(-5);
    check_elements(a, pv::borrow(a));
    CHECK(pv::borrow(a)(0, 1) == 1);
    Array based(boost::extents[Extent(2, 5)][Extent(-3, 1)]);
    number(based);
    check_elements(based, pv::borrow(based));
    CHECK(pv::borrow(based)(1, 2) == 12);

    Array columns(boost::extents[3][4], boost::fortran_storage_order());
    number(columns);
    check_elements(columns, pv::borrow(columns));
    const index_t ordering[] = {1, 0};
    const bool ascending[] = {false, true};
    Array descending(boost::extents[3][4], boost::general_storage_order<2>(ordering, ascending));
    number(descending);
    check_elements(descending, pv::borrow(descending));
    CHECK(pv::describe(pv::borrow(descending)).strides == pv::Shape{-16, 4});
    descending.reindex(7);
    check_elements(descending, pv::borrow(descending));

    Array none(boost::extents[0][4]);
    CHECK(pv::borrow(none).shape() == pv::Shape{0, 4});
    Array based_none(boost::extents[Extent(3, 3)][Extent(2, 6)]);
    CHECK(pv::borrow(based_none).shape() == pv::Shape{0, 4});
}

TEST_CASE("Boost's views and sub-arrays are borrowed, as temporaries too") {
    Array a(boost::extents[4][5]);
    number(a);
    auto backwards = a[boost::indices[Range(3, -1, -1)][Range(4, 0, -2)]];
    check_elements(backwards, pv::borrow(backwards));
    CHECK(pv::borrow(backwards)(1, 1) == 22);
    backwards.reindex(3);
    check_elements(backwards, pv::borrow(backwards));
    pv::borrow(a[1]) = 0;
    CHECK(a[1][4] == 0);
    CHECK(pv::borrow(a[boost::indices[2][Range(0, 5, 3)]])(1) == 23);
    const Array& constant = a;
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(constant[1])), pv::Tensor<int>>);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(std::as_const(backwards))), pv::Tensor<int>>);

    int memory[6] = {1, 2, 3, 4, 5, 6};
    boost::multi_array_ref<int, 2> ref(memory, boost::extents[2][3]);
    check_elements(ref, pv::borrow(ref));
    boost::const_multi_array_ref<int, 2> read(memory, boost::extents[3][2]);
    STATIC_REQUIRE(std::is_same_v<decltype(pv::borrow(read)), pv::Tensor<int>>);
    check_elements(read, pv::borrow(read));

    STATIC_REQUIRE_FALSE(Borrowed<Array>);
    STATIC_REQUIRE(Wrapped<Array>);
    STATIC_REQUIRE_FALSE(Wrapped<Array&>);
    STATIC_REQUIRE_FALSE(Wrapped<decltype(backwards)>);
    STATIC_REQUIRE_FALSE(Wrapped<decltype(ref)>);
}

TEST_CASE("Boost's arrays are adopted") {
    Array a(boost::extents[3][4]);
    number(a);
    a.reindex(1);
    auto t = pv::wrap(std::move(a));
    const auto row = t(2, pv::all);
    t = pv::zeros<int>({1, 1});
    CHECK(pv::to_vector(row) == std::vector{20, 21, 22, 23});
}

} // namespace foreign_boost_test
