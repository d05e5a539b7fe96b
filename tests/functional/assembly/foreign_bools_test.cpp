// NumPy: np.array([0, 1, 2], "u1").view(bool): any byte but 0 is true, in every function.

#include "foreign_memory.hpp"

#include <purview/interop/descriptor.hpp>

#include <cstdint>
#include <cstring>
#include <sstream>
#include <tuple>
#include <vector>

namespace foreign_bools_test {

namespace pv = purview;

namespace {

using foreign_memory::check;

#define SHOWN(call) #call, given, [](const auto& x) { return call; }

void check_row(const pv::Tensor<bool>& given) {
    check(SHOWN(x));
    check(SHOWN(!x));
    check(SHOWN(x && true));
    check(SHOWN(x == true));
    check(SHOWN(x < true));
    check(SHOWN(pv::sum(x)));
    check(SHOWN(pv::product(x)));
    check(SHOWN(pv::mean(x)));
    check(SHOWN(pv::min(x)));
    check(SHOWN(pv::max(x)));
    check(SHOWN(pv::any_of(x)));
    check(SHOWN(pv::all_of(x)));
    check(SHOWN(pv::count_true(x)));
    check(SHOWN(pv::argmin(x)));
    check(SHOWN(pv::argmax(x)));
    check(SHOWN(pv::argmin_last(x)));
    check(SHOWN(pv::argmax_last(x)));
    check(SHOWN(pv::variance(x)));
    check(SHOWN(pv::median(x)));
    check(SHOWN(pv::percentile(x, 30)));
    check(SHOWN(pv::quartiles(x)));
    check(SHOWN(pv::most_frequent(x)));
    check(SHOWN(pv::skewness(x)));
    check(SHOWN(pv::moment(x, 3)));
    check(SHOWN(pv::magnitude(x)));
    check(SHOWN(pv::compensated_sum(x)));
    check(SHOWN(pv::cumsum(x)));
    check(SHOWN(pv::cumprod(x)));
    check(SHOWN(pv::cummin(x)));
    check(SHOWN(pv::cummax(x)));
    check(SHOWN(pv::fixed_rolling_window(x, 3, pv::mean)));
    check(SHOWN(pv::fixed_rolling_window(x, 3, pv::max)));
    check(SHOWN(pv::fixed_rolling_window(x, 3, pv::median)));
    check(SHOWN(pv::fixed_rolling_window(x, 3, pv::sum)));
    check(SHOWN(pv::expanding_window(x, pv::sum)));
    check(SHOWN(pv::variable_rolling_window(pv::arange(24), pv::cumsum(x), 2, pv::sum)));
    check(SHOWN(pv::fixed_rolling_window(x, 3, [](const auto& w) { return pv::sum(w); })));
    check(SHOWN(pv::convolve1d(x, pv::tensor({1., 2.}))));
    check(SHOWN(pv::convolve1d(pv::arange(24.), x)));
    check(SHOWN(pv::gaussian1d(x, 1)));
    check(SHOWN(pv::gradient1d(x)));
    check(SHOWN(pv::argsort(x)));
    check(SHOWN(pv::sort(x)));
    check(SHOWN(pv::sort(x, 0, pv::descending)));
    check(SHOWN(pv::argpartition(x, 5)(5)));
    check(SHOWN(pv::arg_min_n(x, 6)));
    check(SHOWN(pv::arg_max_n(x, 6)));
    check(SHOWN(pv::ranks(x)));
    check(SHOWN(pv::topk(x, 4).values));
    check(SHOWN(pv::topk(x, 4).indexes));
    check(SHOWN(pv::max_with_index(x).values));
    check(SHOWN(pv::max_with_index(x).indexes));
    check(SHOWN(pv::unique(x)));
    check(SHOWN(pv::unique_all(x).values));
    check(SHOWN(pv::unique_all(x).counts));
    check(SHOWN(pv::unique_all(x).first_indexes));
    check(SHOWN(pv::unique_all(x).inverse));
    check(SHOWN(pv::isin(x, std::vector{true})));
    check(SHOWN(pv::isin(std::vector{true, false}, x)));
    check(SHOWN(pv::isin(pv::cast<std::int64_t>(x), pv::tensor({1}))));
    check(SHOWN(pv::isin(pv::tensor({0, 1, 2, 3}), pv::cast<int>(x))));
    check(SHOWN(pv::searchsorted(pv::sort(x), x)));
    check(SHOWN(pv::searchsorted(std::vector<bool>{false, true}, x)));
    check(SHOWN(pv::searchsorted(x(pv::range(0, 3)), std::vector<bool>{false, true})));
    check(SHOWN(pv::searchsorted(x(pv::range(0, 4)), pv::tensor({1}), pv::Side::right)));
    check(SHOWN(pv::digitize(x, pv::tensor({0.5, 1.5}))));
    check(SHOWN(pv::interp(x, pv::tensor({0., 1.}), pv::tensor({3., 4.}))));
    check(SHOWN(pv::bincount(x)));
    check(SHOWN(pv::bincount(pv::cast<std::int64_t>(x))));
    check(SHOWN(pv::bincount(pv::cast<int>(x), x)));
    check(SHOWN(pv::interp(pv::tensor({.5}), x(pv::range(0, 2)), x(pv::range(2, 4)))));
    check(SHOWN(pv::forward_fill(pv::arange(24), x)));
    check(SHOWN(pv::backward_fill(pv::arange(24), x)));
    check(SHOWN(pv::forward_fill(x, x)));
    check(SHOWN(pv::forward_fill(x, pv::cast<bool>(pv::arange(24) % 2))));
    check(SHOWN(pv::fill_range(pv::cumsum(x), 1).values));
    check(SHOWN(pv::fill_range(x(pv::range(0, 3)), 0.3).values));
    check(SHOWN(pv::argfilter(x)));
    check(SHOWN(pv::argfilter([](bool b) { return b; }, x)));
    check(SHOWN(pv::to_vector(pv::index_set(x).reader())));
    check(SHOWN(pv::arange(24)(x)));
    check(SHOWN(x(x)));
    check(SHOWN(pv::where(x, 1, 2)));
    check(SHOWN(pv::where(x, x, false)));
    check(SHOWN(pv::concat(x, x)));
    check(SHOWN(pv::stack(x, x)));
    check(SHOWN(pv::pad(x, 1)));
    check(SHOWN(pv::tile(x, {2})));
    check(SHOWN(pv::repeat(x, 2, 0)));
    check(SHOWN(pv::roll(x, 1, 0)));
    check(SHOWN(pv::flip(x)));
    check(SHOWN(pv::outer(x, x)));
    check(SHOWN(pv::kron(x, x)));
    check(SHOWN(pv::diag(x)));
    check(SHOWN(pv::take(x, pv::tensor({2, 3, 1}), 0)));
    check(SHOWN(pv::take(pv::tensor({5, 6}), pv::cast<int>(x), 0)));
    check(SHOWN(pv::take_along_axis(x, pv::argsort(x), 0)));
    check(SHOWN(pv::histogram(x, 2).counts));
    check(SHOWN(pv::weighted_histogram(x, x, 2).heights));
    check(SHOWN(pv::covariance(x, pv::arange(24.))));
    check(SHOWN(pv::pearson(x, pv::arange(24.))));
    check(SHOWN(pv::spearman(x, pv::arange(24.))));
    check(SHOWN(pv::kendall(x, pv::arange(24.))));
    check(SHOWN(pv::linear_regression(x, pv::arange(24.)).slope));
    check(SHOWN(pv::descriptive_statistics(
        x, {pv::Statistic::mean, pv::Statistic::median})[pv::Statistic::mean]));
    check(SHOWN(pv::is_outlier(x)));
    check(SHOWN(pv::outlier_fences(x).upper));
    check(SHOWN(pv::group_by_reduce(x, pv::arange(24), pv::sum)));
    check(
        SHOWN(pv::group_by_reduce(pv::arange(24) % 3, x, pv::sum, pv::max, pv::mean, pv::median)));
    check(SHOWN(pv::unordered_group_by_reduce(x, x, pv::sum)));
    check(SHOWN(pv::group_by_reduce(std::tuple(x, pv::arange(24) % 2),
                                    std::tuple(pv::arange(24), pv::sum))));
    check(SHOWN(
        pv::group_by_reduce(pv::arange(24) % 3, x, [](const auto& v) { return pv::sum(v); })));
    check(SHOWN(pv::group_by_reduce(x, x, [](const auto& v) { return v.read(0); })));
    check(SHOWN(pv::group_by_reduce(x, pv::arange(24), [](const auto& v) { return v.read(0); })));
    check("arggroup", given, [](const auto& x) {
        auto g = pv::arggroup(x);
        std::ostringstream s;
        for (pv::index_t i = 0; i < g.size(); ++i) s << g.key(i) << g.indexes(i);
        return s.str();
    });
    check("arggroup_by", given, [](const auto& x) {
        auto g = pv::arggroup_by([](bool b) { return b; }, x);
        std::ostringstream s;
        for (pv::index_t i = 0; i < g.size(); ++i) s << g.key(i) << g.indexes(i);
        return s.str();
    });
    check("group_by", given, [](const auto& x) {
        std::ostringstream s;
        for (auto& [k, set] : pv::group_by(x)) s << k << pv::indexes_of(set);
        return s.str();
    });
    check("argpartition_by", given, [](const auto& x) {
        std::ostringstream s;
        for (auto& r : pv::argpartition_by([](bool b) { return b; }, x))
            s << r.key << r.begin << r.end;
        return s.str();
    });
    check(SHOWN(pv::binary_search(x(pv::range(0, 4)), true).position));
    check(SHOWN(pv::binary_search(x(pv::range(0, 4)), true).found));
    check(SHOWN(*pv::index_of(x, true)));
    check(SHOWN(*pv::last_index_of(x, true)));
    check(SHOWN(pv::arg_compare(x)(0, 2)));
    check(SHOWN(pv::arg_compare(x)(1, 2)));
    check(SHOWN(pv::arg_compare(x)(2, 3)));
    check(SHOWN(pv::arglast_every([](bool a, bool b) { return a >= b; }, x)));
    check(SHOWN(pv::to_vector(x).size()));
    check(SHOWN(std::vector<bool>(x)));
    check(SHOWN(pv::equals(x, pv::clone(x))));
    check(SHOWN(pv::allclose(x, pv::clone(x))));
    check(SHOWN(pv::close_to(x, 1.)));
    check(SHOWN(x.read(2)));
    check(SHOWN(x(3)));
    check(SHOWN(bool(x(3) == x(1))));
    check(SHOWN(pv::cast<std::uint8_t>(x)));
    check(SHOWN(pv::cast<double>(x)));
    check(SHOWN(pv::cast<float>(x)));
    check(SHOWN(pv::cast<std::int64_t>(x)));
    check(SHOWN(pv::unchecked_cast<std::uint8_t>(x)));
    check(SHOWN(pv::unchecked_cast<std::int8_t>(x)));
    check(SHOWN(x & x));
    check(SHOWN(x | false));
    check(SHOWN(x ^ true));
    check(SHOWN(~x));
    check(SHOWN(x + x));
    check(SHOWN(x * 3));
    check(SHOWN(x * 2.));
    check(SHOWN(pv::minimum(x, true)));
    check(SHOWN(pv::dot(x, x)));
    check(SHOWN(pv::dot(x, pv::arange(24.))));
    check(SHOWN(pv::norm(x)));
    check(SHOWN(pv::distance(x, !x)));
    check(SHOWN(pv::normalize(x)));
    check(SHOWN(pv::softmax(x, 0)));
    check(SHOWN(pv::emap([](bool a) { return a ? 5 : 6; }, x)));
    check(SHOWN(pv::emap([](bool a) { return int(a); }, x)));
    check(SHOWN(pv::map_axis([](const auto& lane) { return pv::flip(lane); }, x, 0)));
    check(SHOWN(pv::reduce_axis([](const auto& lane) { return pv::sum(lane); }, x, 0)));
    check(SHOWN(pv::to_dense(pv::to_sparse(x, false))));
    check(SHOWN(pv::sparse_pairs(pv::to_sparse(x, false))->stored()));
    check(SHOWN(pv::to_dense(pv::to_sparse(pv::arange(24), 3)(x))));
    check(SHOWN(pv::choice(pv::arange(24), 5, 3, {.weights = pv::cast<double>(x)})));
    check(SHOWN(pv::random_like(pv::cast<double>(x), 7)));
    check(SHOWN(pv::downsample(x, 5)));
    check(SHOWN(pv::sliding_window(x, 0, 3)));
    check(SHOWN(pv::index_union(pv::cast<std::int64_t>(x), pv::tensor({3}))));
    check(SHOWN(pv::first(x)));
    check(SHOWN(pv::last(x)));
    check(SHOWN(pv::group_by_reduce(pv::arange(24) % 3, x, pv::first, pv::last)));
    check(SHOWN(pv::scan(
        x, [](int sum, bool b) { return 2 * sum + b; }, 0)));
    check(SHOWN(pv::ewma(pv::cast<double>(x), {.span = 3})));
    check(SHOWN(pv::lexsort({x, pv::arange(24) % 5})));
    check(SHOWN(pv::lexsort({pv::arange(24) % 5, {x, pv::descending}})));
    check(SHOWN(pv::argwhere(x)));
    check(SHOWN(pv::argwhere([](bool b) { return !b; }, x)));
    check(SHOWN(pv::as_of(pv::arange(4), pv::arange(4),
                          {.left_by = {pv::AnyTensor(x(pv::range(0, 4)))},
                           .right_by = {pv::AnyTensor(x(pv::range(4, 8)))}})));
    check(SHOWN(pv::join(x(pv::range(0, 4)), x(pv::range(4, 8))).right));
    check("minimum_at", given, [](const auto& x) {
        auto least = pv::full({2}, true);
        pv::minimum_at(pv::take(least, pv::arange(24) % 2, 0), x);
        auto greatest = pv::full({3}, false);
        pv::maximum_at(pv::take(greatest, pv::arange(24) % 3, 0), x);
        return pv::concat(least, greatest);
    });
    check(SHOWN(pv::tensor(x)));
    check(SHOWN(pv::contiguous(x)));
    check(SHOWN(pv::range_windows(x, pv::tensor({0, 3}), pv::tensor({4, 20}), pv::sum)));
}

void check_matrix(const pv::Tensor<bool>& given) {
    check(SHOWN(pv::sum(x, 0)));
    check(SHOWN(pv::sum(x, 1)));
    check(SHOWN(pv::mean(x, 0)));
    check(SHOWN(pv::max(x, 0)));
    check(SHOWN(pv::min(x, 1)));
    check(SHOWN(pv::product(x, 0)));
    check(SHOWN(pv::any_of(x, 0)));
    check(SHOWN(pv::all_of(x, 1)));
    check(SHOWN(pv::count_true(x, 0)));
    check(SHOWN(pv::argmax(x, 1)));
    check(SHOWN(pv::argmin(x, 0)));
    check(SHOWN(pv::variance(x, 0)));
    check(SHOWN(pv::median(x, 0)));
    check(SHOWN(pv::most_frequent(x, 0)));
    check(SHOWN(pv::cumsum(x, 0)));
    check(SHOWN(pv::cummax(x, 0)));
    check(SHOWN(pv::sort(x, 0)));
    check(SHOWN(pv::argsort(x, 0)));
    check(SHOWN(pv::ranks(x, 0)));
    check(SHOWN(pv::fixed_rolling_window(x, 2, pv::max, 0)));
    check(SHOWN(pv::expanding_window(x, pv::sum, 0)));
    check(SHOWN(pv::convolve1d(x, pv::tensor({1., 2.}), 0)));
    check(SHOWN(pv::matmul(x, pv::transpose(x))));
    check(SHOWN(pv::matmul(pv::transpose(x), pv::arange(8.) | pv::reshape({4, 2}))));
    check(SHOWN(pv::einsum("ij,kj->ik", x, x)));
    check(SHOWN(pv::transpose(x)));
    check(SHOWN(pv::triu(x)));
    check(SHOWN(pv::diag(x)));
    check(SHOWN(pv::covariance_matrix(x)));
    check(SHOWN(pv::correlation_matrix(x)));
    check(SHOWN(pv::unique(x)));
    check(SHOWN(pv::unique_all(x).inverse));
    check(SHOWN(pv::argfilter(x)));
    check(SHOWN(pv::forward_fill(pv::arange(24) | pv::reshape({4, 6}), x, 0)));
    check(SHOWN(pv::forward_fill(pv::arange(24) | pv::reshape({4, 6}),
                                 pv::transpose(pv::reshape(x, {6, 4})), 0)));
    check(SHOWN(pv::isin(pv::transpose(x), std::vector{true})));
    check(SHOWN(pv::pad(x, 1, pv::PadMode::reflect)));
    check(SHOWN(pv::rot90(x)));
    check(SHOWN(pv::split(x, 1, {2, 4})));
    check(SHOWN(pv::take(x, pv::tensor({1, 0}), 1)));
    check(SHOWN(pv::concat(x, pv::cast<int>(x), 1)));
    check(SHOWN(pv::softmax(x, 1)));
    check(SHOWN(pv::linear_regression(x, pv::arange(24.) | pv::reshape({4, 6}), 1).slope));
    check(SHOWN(pv::spearman(x, pv::arange(24.) | pv::reshape({4, 6}), 1)));
    check(SHOWN(pv::quantile(x, 0.25, 0)));
    check(SHOWN(pv::searchsorted(std::vector<bool>{false, true}, pv::transpose(x))));
    check(SHOWN(pv::normalize(x)));
    check(SHOWN(pv::reshape(pv::transpose(x), {-1})));
    check(SHOWN(pv::transpose(x)(pv::transpose(x))));
}

void check_any(const pv::AnyTensor& given) {
    check(SHOWN(pv::unique(x)));
    check(SHOWN(pv::isin(x, x)));
    check(SHOWN(pv::sort(x)));
    check(SHOWN(pv::argsort(x)));
    check(SHOWN(pv::sum(x)));
    check(SHOWN(pv::max(x)));
    check(SHOWN(pv::searchsorted(pv::AnyTensor(pv::tensor(std::vector<bool>{false, true})), x)));
    check(SHOWN(pv::cumsum(x)));
    check(SHOWN(pv::argfilter(x)));
    check(SHOWN(pv::where(x, 1, 2)));
    check(SHOWN(pv::group_by_reduce(x, pv::arange(24), pv::sum)));
    check(SHOWN(pv::group_by_reduce(x, x, pv::max)));
    check(SHOWN(pv::median(x)));
    check(SHOWN(pv::ranks(x)));
    check(SHOWN(pv::bincount(x)));
    check(SHOWN(pv::clone(x)));
    check(SHOWN(pv::contiguous(x)));
    check(SHOWN(pv::most_frequent(x)));
    check(SHOWN(pv::histogram(x, 2).counts));
    check(SHOWN(pv::concat(x, x)));
    check(SHOWN(pv::cast<int>(x)));
}

#undef SHOWN

/// Bools over these bytes, where they lie.
pv::Tensor<bool> over(const std::vector<std::uint8_t>& bytes) {
    pv::MemoryDescriptor memory;
    memory.pointer = const_cast<std::uint8_t*>(bytes.data());
    memory.dtype = pv::boolean;
    memory.shape = pv::Shape{std::ssize(bytes)};
    memory.strides = pv::Shape{1};
    return pv::borrow(memory).as<bool>();
}

} // namespace

TEST_CASE("bools over bytes that are not 0 and 1, in every function (numpy view(bool))") {
    const std::vector<std::uint8_t> bytes{0,   1, 2, 255, 1, 0, 0, 128, 2, 2,  3, 0,
                                          255, 1, 0, 2,   1, 1, 7, 0,   0, 64, 1, 0};
    const pv::Tensor<bool> x = over(bytes);
    check_row(x);
    check_matrix(pv::reshape(x, {4, 6}));
    check_any(x);
}

TEST_CASE("many bools over any bytes") {
    std::vector<std::uint8_t> bytes(200'000);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(i * i % 7 == 1 ? i : 0);
    const pv::Tensor<bool> x = over(bytes);
    const pv::Tensor<bool> clean = pv::clone(x);
    CHECK(pv::equals(pv::unique(x), pv::unique(clean)));
    CHECK(pv::equals(pv::unique_all(x).inverse, pv::unique_all(clean).inverse));
    CHECK(pv::equals(pv::argsort(x), pv::argsort(clean)));
    CHECK(pv::equals(pv::ranks(x), pv::ranks(clean)));
    CHECK(pv::equals(pv::isin(x, std::vector{true}), clean));
    CHECK(pv::equals(pv::argfilter(x), pv::argfilter(clean)));
    CHECK(pv::sum(x) == pv::sum(clean));
    CHECK(pv::arggroup(x).size() == 2);
    // Only the last byte is another one: the copy is made all the same.
    std::vector<std::uint8_t> late(1000, 1);
    late.back() = 9;
    CHECK(pv::unique(over(late)).size() == 1);
    CHECK_FALSE(pv::shares_storage(pv::contiguous(over(late)), over(late)));
    late.back() = 0;
    CHECK(pv::shares_storage(pv::contiguous(over(late)), over(late)));
}

} // namespace foreign_bools_test
