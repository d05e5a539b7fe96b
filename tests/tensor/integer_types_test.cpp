// An integer of C++ is an element of its width and sign, everywhere.
#include <purview/reader/as_reader.hpp>
#include <purview/reader/canonical_reader.hpp>
#include <purview/reader/list.hpp>
#include <purview/reader/make_reader.hpp>
#include <purview/tensor/compute.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/sparse_tensor.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>

#include <support/catch.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace integer_types_test {

namespace {

namespace pv = purview;
using pv::index_t;

template <typename V>
using ElementsOf = typename std::remove_cvref_t<V>::value_type;

/// Checks a tensor of 1, 2, 3 made from values of type V.
template <typename V, typename X>
void check_is(const X& x) {
    STATIC_REQUIRE(std::same_as<ElementsOf<X>, pv::Canonical<V>>);
    CHECK(x.dtype().is_builtin());
    REQUIRE(x.size() == 3);
    for (index_t i = 0; i < 3; ++i) CHECK(x.read(i) == static_cast<V>(i + 1));
}

template <typename V>
void check_everywhere() {
    using T = pv::Canonical<V>;
    STATIC_REQUIRE(sizeof(T) == sizeof(V));
    STATIC_REQUIRE(std::is_signed_v<T> == std::is_signed_v<V>);
    std::vector<V> values{V{1}, V{2}, V{3}};
    const std::vector<V> constant = values;

    STATIC_REQUIRE(std::same_as<decltype(pv::zeros<V>({2})), pv::MutableTensor<T>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::ones<V>({2})), pv::MutableTensor<T>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::empty<V>({2})), pv::MutableTensor<T>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::eye<V>(2)), pv::MutableTensor<T>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::padded<V>({2}, {3})), pv::MutableTensor<T>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sparse_zeros<V>({2})), pv::MutableTensor<T>>);
    CHECK(pv::ones<V>({2})(1) == 1);
    CHECK(pv::full({2}, V{5})(1) == 5);
    CHECK(pv::full<V>({2}, V{5}).dtype() == pv::kDType<T>);

    check_is<V>(pv::tensor({V{1}, V{2}, V{3}}));
    check_is<V>(pv::tensor(values));
    check_is<V>(pv::tensor(std::vector<V>(values)));
    check_is<V>(pv::tensor(std::vector<V>(values), {3}));
    check_is<V>(pv::tensor(std::deque<V>(values.begin(), values.end())));
    check_is<V>(pv::arange(V{1}, V{4}, V{1}));
    check_is<V>(pv::wrap(values.data(), {3}, std::make_shared<int>()));
    check_is<V>(pv::borrow(values));
    check_is<V>(pv::borrow(constant));
    check_is<V>(pv::borrow(std::span(values)));
    check_is<V>(pv::borrow(values.data(), {3}));
    check_is<V>(*pv::borrow_reader(values));
    check_is<V>(*pv::borrow_reader(constant.data(), 3));
    check_is<V>(*pv::as_reader(std::vector<V>(values)));
    check_is<V>(*pv::as_reader(std::deque<V>(values.begin(), values.end())));
    check_is<V>(*pv::buffer_from_vector(std::vector<V>(values)));
    check_is<V>(pv::tensor(pv::make_reader(3, [](index_t i) { return static_cast<V>(i + 1); })));
    check_is<V>(pv::compute_tensor({3}, [](index_t i) { return static_cast<V>(i + 1); }));
    const std::vector<V> places{V{0}, V{1}, V{2}};
    check_is<V>(pv::from_coo({3}, std::vector<std::vector<V>>{places}, std::vector<V>(values)));

    pv::List<V> list;
    list.append(values);
    check_is<V>(*list.snapshot());
    check_is<V>(pv::tensor(list.snapshot()));

    // Writes go to the memory that was borrowed, and writes to that are seen.
    const auto view = pv::borrow(values);
    view(0) = 7;
    CHECK(values[0] == 7);
    values[1] = 8;
    CHECK(view(1) == 8);
}

TEST_CASE("integers are elements of their width and sign") {
    check_everywhere<long>();
    check_everywhere<long long>();
    check_everywhere<unsigned long>();
    check_everywhere<unsigned long long>();
    check_everywhere<int>();
    check_everywhere<short>();
    check_everywhere<char>();
    check_everywhere<char8_t>();
}

/// A reader and writer of `long long` that somebody wrote.
class Counts final : public pv::Reader<long long>, public pv::Writer<long long> {
public:
    index_t size() const override { return 3; }
    long long read(index_t i) const override { return values_[static_cast<std::size_t>(i)]; }
    void write(index_t i, const long long& value) override {
        values_[static_cast<std::size_t>(i)] = value;
    }

private:
    std::array<long long, 3> values_{1, 2, 3};
};

TEST_CASE("a reader of other integers is a tensor of those of their width") {
    const auto counts = std::make_shared<Counts>();
    const auto x = pv::tensor(counts);
    STATIC_REQUIRE(std::same_as<decltype(x), const pv::MutableTensor<std::int64_t>>);
    check_is<long long>(x);
    x(1) = 9;
    CHECK(counts->read(1) == 9);
    CHECK(pv::clone(x)(1) == 9);
    check_is<long long>(
        pv::tensor(std::shared_ptr<const pv::Reader<long long>>(std::make_shared<Counts>())));
}

TEST_CASE("ranges of integers do not overflow on the way") {
    using Limits = std::numeric_limits<std::int64_t>;
    const auto wide = pv::arange(Limits::min(), Limits::max(), Limits::max() / 2);
    REQUIRE(wide.size() == 5);
    CHECK(wide(0) == Limits::min());
    CHECK(wide(1) == Limits::min() + Limits::max() / 2);
    CHECK(wide(4) == Limits::max() - 3);
    const auto down = pv::arange(5, -6, -5);
    CHECK(pv::to_vector(down) == std::vector<int>{5, 0, -5});
    const auto most = std::numeric_limits<int>::max();
    CHECK(pv::to_vector(pv::arange(-most, most, most)) == std::vector<int>{-most, 0});
    CHECK(pv::to_vector(pv::arange(std::uint8_t{250}, std::uint8_t{255}, std::uint8_t{2})) ==
          std::vector<std::uint8_t>{250, 252, 254});
}

template <typename X>
concept HasRangeOfShape = requires(X&& x) {
    std::forward<X>(x).shape().begin();
};

TEST_CASE("the ranges of two calls of shape fit together") {
    auto x = pv::zeros({2, 3, 4});
    CHECK(std::vector<index_t>(x.shape().begin(), x.shape().end()) ==
          std::vector<index_t>{2, 3, 4});
    CHECK(std::vector<index_t>(x.strides().begin(), x.strides().end()) ==
          std::vector<index_t>{12, 4, 1});
    const auto shape = x.shape();
    x = pv::zeros({1});
    CHECK(std::vector<index_t>(shape.begin(), shape.end()) == std::vector<index_t>{2, 3, 4});
    index_t product = 1;
    for (const index_t n : pv::zeros({2, 5}).shape()) product *= n;
    CHECK(product == 10);
    CHECK(pv::zeros({2, 5}).shape() == pv::Shape{2, 5});
    CHECK(pv::zeros({2, 5}).shape()[1] == 5);
    STATIC_REQUIRE(HasRangeOfShape<pv::MutableTensor<double>&>);
    STATIC_REQUIRE(!HasRangeOfShape<pv::MutableTensor<double>>);
    pv::Shape copy = x.shape();
    copy.push_back(2);
    CHECK(copy == pv::Shape{1, 2});
    CHECK(std::ranges::equal(pv::zeros({2, 5}).shape(), std::vector<index_t>{2, 5}));
}

TEST_CASE("an element of a tensor of integers is an index") {
    const auto v = pv::tensor({10., 20., 30.});
    const auto order = pv::tensor({2, -3});
    CHECK(v(order(0)) == 30);
    CHECK(v(order(1)) == 10);
    v(order(0)) = 5;
    CHECK(v(2) == 5);
    const auto m = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(m(1, order(0)) == 6);
    CHECK(m(pv::all, order(0))(1) == 6);
    const auto element = order(0);
    CHECK(pv::Tensor<double>(v)(element) == 5);
    CHECK_THROWS_AS(v(pv::tensor({7})(0)), pv::IndexError);
}

} // namespace

} // namespace integer_types_test
