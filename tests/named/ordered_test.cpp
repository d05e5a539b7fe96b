// A handle without bound dims is taken wherever a tensor is.
#include "named_support.hpp"

#include <algorithm>
#include <concepts>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace ordered_test {

using pv::index_t;

namespace {

/// The tensor as a handle with dims, of which none is bound.
template <typename T>
auto handle(const pv::Tensor<T>& t) {
    const pv::DimList all;
    return t(all) | pv::order(all);
}

double sum_of_tensor(const pv::Tensor<double>& t) { return pv::sum(t); }

template <typename X>
double sum_of_any(const X& x) {
    double total = 0;
    for (const double element : x) total += element;
    return total + static_cast<double>(x.size()) + static_cast<double>(x.strides().back());
}

} // namespace

TEST_CASE("a handle without bound dims is iterated, indexed and asked as a tensor") {
    const auto t = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    const auto m = handle<double>(t);
    CHECK(std::vector<double>(m.begin(), m.end()) == pv::to_vector(t));
    CHECK(std::ranges::max(m) == 6);
    CHECK(m.strides() == pv::Shape{3, 1});
    CHECK(m.is_contiguous());
    CHECK(m.size_bytes() == 48);
    CHECK(m.storage_offset() == 0);
    CHECK(m.storage().size() == 6);
    CHECK(m.read(4) == 5);
    CHECK(m.description().shape == t.description().shape);
    const double element = m(1, 2);
    CHECK(element == 6);
    CHECK(printed(m) == printed(t));
    CHECK(sum_of_tensor(m) == 21);
    CHECK(sum_of_any(m) == sum_of_any(t));
    CHECK(equal<double>(m, t));
    CHECK(pv::to_nested<2>(m)[1][0] == 4);
    CHECK(pv::may_overlap(m, t));
    CHECK(pv::rows(m)[1].read(0) == 4);
    CHECK(pv::as_reader(m)->read(3) == 4);
    CHECK(pv::as_span(m).data() == pv::as_span(t).data());
    pv::fill(t, 0.);
    CHECK(m.read(4) == 0);
}

template <typename T>
using Handle = decltype(handle(std::declval<pv::Tensor<T>>()));
static_assert(std::convertible_to<Handle<double>, double>);
static_assert(std::convertible_to<Handle<float>, double>);
static_assert(std::convertible_to<Handle<std::string>, std::string>);
static_assert(std::constructible_from<int, Handle<double>>);
static_assert(!std::convertible_to<Handle<double>, int>);
static_assert(!std::constructible_from<std::size_t, Handle<double>>);
static_assert(!std::constructible_from<std::size_t, Handle<std::size_t>>);

TEST_CASE("a handle without bound dims converts to vectors and spans of its elements") {
    const auto t = pv::tensor({{3., 1.}, {2., 4.}});
    const auto m = handle<double>(t);
    CHECK(std::vector<double>(m) == pv::to_vector(t));
    CHECK(std::vector<double>(handle<double>(pv::tensor({4.}))) == std::vector{4.});
    CHECK(std::vector<double>(handle<double>(pv::tensor({4.}) * 1.)) == std::vector{4.});
    const auto sizes = pv::cast<std::size_t>(pv::tensor({3., 1.}));
    CHECK(std::vector<std::size_t>(handle<std::size_t>(sizes)) == std::vector<std::size_t>{3, 1});
    CHECK(m.data() == t.data());
    CHECK(std::span<const double>(m).size() == 4);
    CHECK_THROWS_AS(handle<double>(t * 2.).data(), pv::ShapeError);
}

TEST_CASE("a mutable handle without bound dims is written as a mutable tensor") {
    const auto t = pv::tensor({{3., 1.}, {2., 4.}});
    const pv::Dim i("i");
    const pv::Dim j("j");
    const auto m = t(i, j) | pv::order(i, j);
    CHECK_FALSE(m.is_read_only());
    CHECK_FALSE(m.description().read_only);
    *m.begin() = 5;
    CHECK(pv::to_vector(t) == std::vector{5., 1., 2., 4.});
    std::ranges::sort(m);
    CHECK(pv::to_vector(t) == std::vector{1., 2., 4., 5.});
    const std::span<double> elements(m);
    elements[0] = 6;
    m.data()[1] = 7;
    m.row(1) = 8;
    CHECK(pv::to_vector(t) == std::vector{6., 7., 8., 8.});
    m.storage()(3) = 9;
    CHECK(t(1, 1) == 9);
    for (auto&& element : m) element = 1;
    CHECK(pv::to_vector(t) == std::vector{1., 1., 1., 1.});
    const double sum = m(0, 0) + 1;
    CHECK(sum == 2);
}

TEST_CASE("a handle without bound dims is taken by every function") {
    const auto t = pv::tensor({3., 1., 2., 1.});
    const auto v = handle<double>(t);
    const auto k = handle<int>(pv::tensor({1, 2, 1, 2}));
    const auto ids = handle<index_t>(pv::tensor({index_t{3}, index_t{0}}));
    const auto mask = handle<bool>(pv::tensor({true, false, true, false}));
    const auto texts = handle<std::string>(pv::tensor({"b", "a", "b"}));
    const auto large = [](double x) { return x > 1; };

    CHECK(pv::equals(v, t));
    CHECK(pv::equals(t, v, 0.1));
    CHECK_FALSE(pv::equals(v, v(pv::range(0, 2))));
    CHECK(pv::to_vector(pv::argfilter(mask)) == std::vector<std::int64_t>{0, 2});
    CHECK(pv::to_vector(pv::argfilter(large, v)) == std::vector<std::int64_t>{0, 2});
    CHECK(pv::to_vector(v | pv::argfilter(large)) == std::vector<std::int64_t>{0, 2});
    CHECK(pv::index_of(v, 2) == 2);
    CHECK(pv::last_index_of(v, 1.) == 3);
    CHECK(pv::index_of(texts, "a") == 1);
    CHECK(pv::binary_search(pv::sort(v), 2.) == pv::SearchResult{true, 2});
    CHECK(pv::binary_search(pv::sort(v, pv::descending), 2., std::greater<>()) ==
          pv::SearchResult{true, 1});
    CHECK(pv::arg_compare(v)(1, 0));
    CHECK(pv::arggroup(texts).size() == 2);
    CHECK(pv::arggroup_by(large, v).size() == 2);
    const auto [keys, sums] = pv::group_by_reduce(k, v, pv::sum);
    CHECK(pv::to_vector(sums) == std::vector<double>{5., 2.});
    CHECK(std::get<1>(pv::unordered_group_by_reduce(texts, texts, pv::group_size)).size() == 2);
    CHECK(pv::index_set(mask).size() == 2);
    CHECK(pv::index_set(ids).contains(3));
    CHECK(pv::index_set(large, v).size() == 2);
    CHECK(pv::to_vector(pv::index_union(ids, ids)) == std::vector<std::int64_t>{0, 3});
    const auto sparse = pv::to_sparse(v, 1.);
    CHECK(pv::sparse_pairs(sparse)->stored() == 2);
    const auto ordered = handle<double>(sparse);
    CHECK(pv::is_sparse(ordered));
    CHECK(pv::equals(pv::to_dense(ordered), t));
    CHECK(pv::equals(pv::prune(ordered), t));
    CHECK(pv::equals(pv::pack_indexes(ordered), t));
    CHECK(pv::sparse_pairs(ordered)->stored() == 2);
    CHECK(pv::equals(pv::convolve1d(v, v), pv::convolve1d(t, t)));
    CHECK(pv::to_vector(pv::variable_rolling_window(v, pv::cumsum(v), 3., pv::sum)) ==
          pv::to_vector(pv::variable_rolling_window(t, pv::cumsum(t), 3., pv::sum)));
    CHECK(pv::equals(pv::weighted_histogram(v, v, 2).heights,
                     pv::weighted_histogram(t, t, 2).heights));
    CHECK(pv::outlier_fences(v).upper == pv::outlier_fences(t).upper);
    CHECK(pv::equals(pv::sample(v, 3, 5), pv::sample(t, 3, 5)));
    CHECK(pv::equals(t(ids), pv::tensor({1., 3.})));
    CHECK(pv::equals(t(mask), pv::tensor({3., 2.})));
    CHECK(pv::equals(pv::diag(v), pv::diag(t)));
    CHECK(pv::equals(pv::concat({v, v}), pv::concat({t, t})));
    CHECK(pv::equals(pv::stack(std::vector{v, v}, 1), pv::stack(std::vector{t, t}, 1)));
}

TEST_CASE("while dims are bound, what does not work over dims says so") {
    const auto t = pv::tensor({3., 1., 2.});
    const pv::Dim i("i");
    const auto v = t(i);
    const std::string bound = "the dims (i,) of this tensor are bound: call order first";
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(v.begin()); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(v.data()); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(v.storage()); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(std::vector<double>(v)); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(std::span<double>(v)); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(v.strides()); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(pv::equals(v, t)); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(pv::argfilter(v)); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(pv::index_of(v, 1.)); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(pv::as_span(v)); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(pv::to_sparse(v)); }) == bound);
    CHECK(message_of<pv::DimError>([&] { static_cast<void>(pv::outlier_fences(v)); }) == bound);
    CHECK(message_of<pv::DimError>(
              [&] { static_cast<void>(pv::group_by_reduce(v, v, pv::sum)); }) == bound);
}

} // namespace ordered_test
