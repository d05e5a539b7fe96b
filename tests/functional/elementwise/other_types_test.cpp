#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Elements that are not built in, of a type known at run time: each function of the table at the head of
/// docs/catalogue.md takes them where its list says so, and gives what it gives of their static type; else it is a DtypeError.
namespace other_types_test {

namespace {

namespace pv = purview;
using pv::AnyTensor;
using Work = std::function<AnyTensor(const AnyTensor&)>;
using Seconds = std::chrono::sys_seconds;

/// Strings, times, complex numbers, floats of 16 bits: 'x' for what a function takes.
struct Promise {
    const char* name;
    std::string_view taken;
    Work work;
};

const auto kMask = pv::tensor({true, false, true, true});
const auto kKeys = pv::tensor({1, 2, 1, 2});

constexpr std::int64_t kNat = pv::kNatCount<std::int64_t>;

Seconds at(std::int64_t count) { return Seconds(std::chrono::seconds(count)); }
pv::MutableTensor<Seconds> times(const std::vector<std::int64_t>& counts) {
    std::vector<Seconds> made;
    for (const std::int64_t count : counts) made.push_back(at(count));
    return pv::tensor(std::move(made));
}

std::vector<AnyTensor> others() {
    const std::complex<double> i(0, 1);
    std::vector<pv::Half> halves;
    for (const float x : {3.F, 1.F, 2.F, 1.F}) halves.push_back(pv::Half(x));
    return {pv::tensor({"c", "a", "b", "a"}), times({3, 1, 2, 1}),
            pv::tensor(std::vector{3. + i, 1. - i, 2. + i, 1. - i}), pv::tensor(std::move(halves))};
}

/// The counts of times.
AnyTensor counts_of(const AnyTensor& x) { return AnyTensor(pv::times_as_counts(x.operand())); }

template <typename X>
AnyTensor made(const X& x) {
    return pv::clone(AnyTensor(x));
}
template <typename... X>
AnyTensor second(const std::tuple<X...>& x) {
    return AnyTensor(std::get<1>(x));
}

const std::vector<Promise> kPromises{
    {"clone", "xxxx", [](const AnyTensor& x) { return pv::clone(x); }},
    {"contiguous", "xxxx",
     [](const AnyTensor& x) { return made(pv::contiguous(pv::flip(x, {0}))); }},
    {"t(mask)", "xxxx", [](const AnyTensor& x) { return made(x(kMask)); }},
    {"take", "xxxx",
     [](const AnyTensor& x) {
         return made(pv::take(x, {2, 0}, 0));
     }},
    {"take_along_axis", "xxxx",
     [](const AnyTensor& x) {
         return made(pv::take_along_axis(x, pv::tensor({2, 0}), 0));
     }},
    {"concat", "xxxx", [](const AnyTensor& x) { return made(pv::concat(x, x)); }},
    {"stack", "xxxx",
     [](const AnyTensor& x) {
         return made(pv::stack({x, x}));
     }},
    {"repeat", "xxxx", [](const AnyTensor& x) { return made(pv::repeat(x, 2, 0)); }},
    {"tile", "xxxx", [](const AnyTensor& x) { return made(pv::tile(x, {2})); }},
    {"roll", "xxxx", [](const AnyTensor& x) { return made(pv::roll(x, 1, 0)); }},
    {"rot90", "xxxx",
     [](const AnyTensor& x) {
         return made(pv::rot90(pv::reshape(x, {2, 2})));
     }},
    {"where", "xxxx",
     [](const AnyTensor& x) { return made(pv::where(kMask, x, pv::flip(x, {0}))); }},
    {"triu", "----",
     [](const AnyTensor& x) {
         return made(pv::triu(pv::reshape(x, {2, 2})));
     }},
    {"diag", "----", [](const AnyTensor& x) { return made(pv::diag(x)); }},
    {"pad", "xxxx",
     [](const AnyTensor& x) {
         return made(pv::pad(x, {{1, 1}}, pv::PadMode::edge));
     }},
    {"downsample", "xxxx", [](const AnyTensor& x) { return made(pv::downsample(x, 2, 0)); }},
    {"sample", "xxxx", [](const AnyTensor& x) { return made(pv::sample(x, 2, 7)); }},
    {"choice", "xxxx", [](const AnyTensor& x) { return made(pv::choice(x, 2, 7)); }},
    {"empty_like", "xxxx",
     [](const AnyTensor& x) {
         const AnyTensor y = pv::empty_like(x);
         pv::copy(x, y);
         return y;
     }},
    {"zeros_like", "xxxx", [](const AnyTensor& x) { return made(pv::zeros_like(x)); }},
    {"ones_like", "--xx", [](const AnyTensor& x) { return made(pv::ones_like(x)); }},
    {"t(…) = x", "xxxx",
     [](const AnyTensor& x) {
         const AnyTensor y = pv::clone(x);
         y(0) = x(2);
         return y;
     }},
    {"assign", "xxxx",
     [](const AnyTensor& x) {
         const AnyTensor y = pv::clone(x);
         pv::copy(pv::flip(x, {0}), y);
         return y;
     }},
    {"==", "xxxx", [](const AnyTensor& x) { return made(x == pv::flip(x, {0})); }},
    {"<", "xx-x", [](const AnyTensor& x) { return made(x < pv::flip(x, {0})); }},
    {"equals", "xxxx", [](const AnyTensor& x) { return made(pv::tensor({pv::equals(x, x)})); }},
    {"+", "--xx", [](const AnyTensor& x) { return made(x + x); }},
    {"*", "--xx", [](const AnyTensor& x) { return made(x * x); }},
    {"-x", "--xx", [](const AnyTensor& x) { return made(-x); }},
    {"abs", "--xx", [](const AnyTensor& x) { return made(pv::abs(x)); }},
    {"sq", "--xx", [](const AnyTensor& x) { return made(pv::sq(x)); }},
    {"exp", "--xx", [](const AnyTensor& x) { return made(pv::exp(x)); }},
    {"floor", "---x", [](const AnyTensor& x) { return made(pv::floor(x)); }},
    {"maximum", "xx-x", [](const AnyTensor& x) { return made(pv::maximum(x, x)); }},
    {"clamp", "---x", [](const AnyTensor& x) { return made(pv::clamp(x, 1, 2)); }},
    {"is_nan", "--xx", [](const AnyTensor& x) { return made(pv::is_nan(x)); }},
    {"is_nat", "-x--", [](const AnyTensor& x) { return made(pv::is_nat(x)); }},
    {"signum", "--xx", [](const AnyTensor& x) { return made(pv::signum(x)); }},
    {"rint", "--xx", [](const AnyTensor& x) { return made(pv::rint(x)); }},
    {"reciprocal", "--xx", [](const AnyTensor& x) { return made(pv::reciprocal(x)); }},
    {"is_finite", "--xx", [](const AnyTensor& x) { return made(pv::is_finite(x)); }},
    {"is_zero", "--xx", [](const AnyTensor& x) { return made(pv::is_zero(x)); }},
    {"close_to", "--xx", [](const AnyTensor& x) { return made(pv::close_to(x, x)); }},
    {"cast", "---x", [](const AnyTensor& x) { return made(pv::cast<double>(x)); }},
    {"&", "----", [](const AnyTensor& x) { return made(x & x); }},
    {"!", "----", [](const AnyTensor& x) { return made(!x); }},
    {"outer", "--xx", [](const AnyTensor& x) { return made(pv::outer(x, x)); }},
    {"sum", "--xx", [](const AnyTensor& x) { return made(pv::sum(x, 0)); }},
    {"product", "--xx", [](const AnyTensor& x) { return made(pv::product(x, 0)); }},
    {"mean", "-xxx", [](const AnyTensor& x) { return made(pv::mean(x, 0)); }},
    {"min", "xx-x", [](const AnyTensor& x) { return made(pv::min(x, 0)); }},
    {"max", "xx-x", [](const AnyTensor& x) { return made(pv::max(x, 0)); }},
    {"any_of", "---x", [](const AnyTensor& x) { return made(pv::any_of(x, 0)); }},
    {"count_true", "---x", [](const AnyTensor& x) { return made(pv::count_true(x, 0)); }},
    {"argmin", "xx-x", [](const AnyTensor& x) { return made(pv::argmin(x, 0)); }},
    {"argmax", "xx-x", [](const AnyTensor& x) { return made(pv::argmax(x, 0)); }},
    {"max_with_index", "xx-x",
     [](const AnyTensor& x) { return made(pv::max_with_index(x, 0).values); }},
    {"variance", "---x", [](const AnyTensor& x) { return made(pv::variance(x, 0)); }},
    {"compensated_sum", "---x", [](const AnyTensor& x) { return made(pv::compensated_sum(x, 0)); }},
    {"exact_sum", "--xx", [](const AnyTensor& x) { return made(pv::exact_sum(x, 0)); }},
    {"magnitude", "---x", [](const AnyTensor& x) { return made(pv::magnitude(x, 0)); }},
    {"norm", "----", [](const AnyTensor& x) { return made(pv::norm(x, 2, 0)); }},
    {"distance", "---x", [](const AnyTensor& x) { return made(pv::distance(x, x, 0)); }},
    {"dot", "--xx", [](const AnyTensor& x) { return made(pv::dot(x, x)); }},
    {"softmax", "---x", [](const AnyTensor& x) { return made(pv::softmax(x, 0)); }},
    {"median", "-x-x", [](const AnyTensor& x) { return made(pv::median(x, 0)); }},
    {"quantile", "-x-x", [](const AnyTensor& x) { return made(pv::quantile(x, 0.3, 0)); }},
    {"percentile, a list", "-x-x",
     [](const AnyTensor& x) {
         return made(pv::percentile(x, {25, 75}, 0));
     }},
    {"quartiles", "-x-x", [](const AnyTensor& x) { return made(pv::quartiles(x, 0)); }},
    {"skewness", "---x", [](const AnyTensor& x) { return made(pv::skewness(x, 0)); }},
    {"is_outlier", "---x", [](const AnyTensor& x) { return made(pv::is_outlier(x)); }},
    {"histogram", "----", [](const AnyTensor& x) { return made(pv::histogram(x, 2).counts); }},
    {"covariance", "----", [](const AnyTensor& x) { return made(pv::covariance(x, x, 0)); }},
    {"spearman", "----", [](const AnyTensor& x) { return made(pv::spearman(x, x, 0)); }},
    {"ranks", "----", [](const AnyTensor& x) { return made(pv::ranks(x)); }},
    {"cumsum", "----", [](const AnyTensor& x) { return made(pv::cumsum(x)); }},
    {"cummax", "----", [](const AnyTensor& x) { return made(pv::cummax(x)); }},
    {"diff1d", "----", [](const AnyTensor& x) { return made(pv::diff1d(x)); }},
    {"fixed_rolling_window", "----",
     [](const AnyTensor& x) { return made(pv::fixed_rolling_window(x, 2, pv::sum)); }},
    {"expanding_window", "----",
     [](const AnyTensor& x) { return made(pv::expanding_window(x, pv::max)); }},
    {"variable_rolling_window", "----",
     [](const AnyTensor& x) {
         return made(pv::variable_rolling_window(x, pv::arange(4), 2, pv::sum));
     }},
    {"range_windows", "----",
     [](const AnyTensor& x) {
         return made(pv::range_windows(x, pv::WindowRanges{{0}, {2}}, pv::sum));
     }},
    {"convolve1d", "----",
     [](const AnyTensor& x) {
         return made(pv::convolve1d(x, pv::tensor({1., 2.})));
     }},
    {"gradient1d", "----", [](const AnyTensor& x) { return made(pv::gradient1d(x)); }},
    {"forward_fill", "-x-x", [](const AnyTensor& x) { return made(pv::forward_fill(x)); }},
    {"forward_fill, mask", "xxxx",
     [](const AnyTensor& x) { return made(pv::forward_fill(x, kMask)); }},
    {"backward_fill, mask", "xxxx",
     [](const AnyTensor& x) { return made(pv::backward_fill(x, kMask)); }},
    {"sort", "xx--", [](const AnyTensor& x) { return made(pv::sort(x)); }},
    {"argsort", "xx--", [](const AnyTensor& x) { return made(pv::argsort(x)); }},
    {"topk", "----", [](const AnyTensor& x) { return made(pv::topk(x, 2).values); }},
    {"argpartition", "----", [](const AnyTensor& x) { return made(pv::argpartition(x, 1, 0)); }},
    {"unique", "xx--", [](const AnyTensor& x) { return made(pv::unique(x)); }},
    {"unique_all", "xx--", [](const AnyTensor& x) { return made(pv::unique_all(x).inverse); }},
    {"isin", "xx-x", [](const AnyTensor& x) { return made(pv::isin(x, x(pv::range(1, 3)))); }},
    {"searchsorted", "xx-x",
     [](const AnyTensor& x) { return made(pv::searchsorted(x(pv::range(1, 3)), x)); }},
    {"searchsorted, sorter", "xx-x",
     [](const AnyTensor& x) {
         return made(pv::searchsorted(x(pv::range(0, 2)), x, pv::Side::right, pv::tensor({1, 0})));
     }},
    {"digitize", "---x",
     [](const AnyTensor& x) { return made(pv::digitize(x, x(pv::range(1, 3)))); }},
    {"interp", "----",
     [](const AnyTensor& x) { return made(pv::interp(x, pv::arange(4.), pv::arange(4.))); }},
    {"bincount", "----", [](const AnyTensor& x) { return made(pv::bincount(x)); }},
    {"keys of groups", "xx--",
     [](const AnyTensor& x) { return made(std::get<0>(pv::group_by_reduce(x, kKeys, pv::sum))); }},
    {"group sums", "--xx",
     [](const AnyTensor& x) { return made(second(pv::group_by_reduce(kKeys, x, pv::sum))); }},
    {"group means", "-xxx",
     [](const AnyTensor& x) { return made(second(pv::group_by_reduce(kKeys, x, pv::mean))); }},
    {"group maxima", "xx-x",
     [](const AnyTensor& x) { return made(second(pv::group_by_reduce(kKeys, x, pv::max))); }},
    {"group medians", "-x-x",
     [](const AnyTensor& x) { return made(second(pv::group_by_reduce(kKeys, x, pv::median))); }},
    {"group argmin", "xx-x",
     [](const AnyTensor& x) { return made(second(pv::group_by_reduce(kKeys, x, pv::argmin))); }},
    {"group sizes", "xxxx",
     [](const AnyTensor& x) {
         return made(second(pv::group_by_reduce(kKeys, x, pv::group_size)));
     }},
    {"most_frequent", "---x", [](const AnyTensor& x) { return made(pv::most_frequent(x, 0)); }},
    {"linear_regression", "----",
     [](const AnyTensor& x) { return made(pv::linear_regression(x, pv::arange(4.), 0).slope); }},
};

} // namespace

TEST_CASE("Elements that are not built in, of types known at run time: what the catalogue says") {
    for (const Promise& promise : kPromises) {
        std::string found;
        for (const AnyTensor& x : others()) {
            try {
                promise.work(x);
                found += 'x';
            } catch (const pv::DtypeError&) {
                found += '-';
            }
        }
        INFO(promise.name);
        CHECK(found == promise.taken);
    }
}

TEST_CASE("Searches of strings and times known at run time are those of their static types") {
    const auto check = [](const auto& x, const auto& y, const auto& value) {
        const AnyTensor a(x), b(y);
        using Longs = pv::Tensor<std::int64_t>;
        const pv::Tensor<bool> found = pv::isin(x, y);
        CHECK(pv::equals(pv::isin(a, b), found));
        CHECK(pv::equals(pv::isin(x, b), found));
        CHECK(pv::equals(pv::isin(a, y), found));
        const auto sorted = pv::sort(y);
        for (const pv::Side side : {pv::Side::left, pv::Side::right}) {
            const Longs places = pv::searchsorted(sorted, x, side);
            CHECK(pv::equals(pv::searchsorted(AnyTensor(sorted), a, side), places));
            CHECK(pv::equals(pv::searchsorted(sorted, a, side), places));
            CHECK(pv::equals(pv::searchsorted(AnyTensor(sorted), x, side), places));
            CHECK(pv::equals(pv::searchsorted(b, a, side, pv::argsort(y)), places));
            CHECK(pv::searchsorted(AnyTensor(sorted), value, side) ==
                  pv::searchsorted(sorted, value, side));
        }
        CHECK(pv::index_of(a, value) == pv::index_of(x, value));
        CHECK(pv::last_index_of(a, value) == pv::last_index_of(x, value));
        CHECK((AnyTensor(sorted) | pv::binary_search(value)) == pv::binary_search(sorted, value));
        CHECK_THROWS_AS(pv::isin(a, pv::AnyTensor(pv::arange(3))), pv::DtypeError);
        CHECK_THROWS_AS(pv::searchsorted(a, pv::AnyTensor(pv::arange(3))), pv::DtypeError);
        CHECK_THROWS_AS(pv::searchsorted(a, b, pv::Side::left, pv::tensor({0})), pv::ShapeError);
        CHECK_THROWS_AS(pv::searchsorted(pv::reshape(a, {2, -1}), b), pv::ShapeError);
    };
    check(pv::tensor({"c", "a", "b", "a"}), pv::tensor({"b", "", "c"}), std::string("b"));
    check(times({3, 1, 2, 1}), times({2, 0, 3}), at(2));
    check(times({3, kNat, 2, 1}), times({kNat, 0, 3}), at(3));
    const auto x = pv::tensor({"c", "a"});
    CHECK(pv::searchsorted(AnyTensor(pv::sort(x)), "b") == 1);
    CHECK(pv::index_of(AnyTensor(x), "a") == 1);
    CHECK_THROWS_AS(pv::index_of(AnyTensor(x), at(1)), pv::DtypeError);
}

TEST_CASE("Choices and fills of strings and times known at run time") {
    const auto check = [](const auto& x, const auto& value) {
        const AnyTensor a(x);
        const auto same = [](const AnyTensor& found, const auto& expected) {
            CHECK(found.dtype() == expected.dtype());
            CHECK(pv::equals(found, AnyTensor(expected)));
        };
        same(pv::where(kMask, a, pv::flip(a, {0})), pv::where(kMask, x, pv::flip(x, {0})));
        same(pv::where(AnyTensor(kMask), a, value), pv::where(kMask, x, value));
        same(pv::where(kMask, value, a), pv::where(kMask, value, x));
        same(pv::where(pv::reshape(kMask, {4, 1}), a, a(0)),
             pv::where(pv::reshape(kMask, {4, 1}), x, pv::tile(x(pv::range(0, 1)), {4})));
        same(pv::forward_fill(a, kMask), pv::forward_fill(x, kMask));
        same(pv::backward_fill(a, kMask), pv::backward_fill(x, kMask));
        const auto rows = pv::reshape(x, {2, 2});
        const auto gaps = pv::reshape(kMask, {2, 2});
        for (const int axis : {0, 1})
            same(pv::forward_fill(AnyTensor(rows), gaps, axis), pv::forward_fill(rows, gaps, axis));
        CHECK_THROWS_AS(pv::forward_fill(a, pv::tensor({true})), pv::ShapeError);
        same(pv::full_like(a, value), pv::full_like(x, value));
        same(pv::zeros_like(a), pv::zeros_like(x));
        same(pv::pad(a, {{1, 2}}), pv::pad(x, {{1, 2}}));
        same(pv::maximum(a, pv::flip(a, {0})), pv::maximum(x, pv::flip(x, {0})));
        same(pv::minimum(a, pv::flip(a, {0})), pv::minimum(x, pv::flip(x, {0})));
        const auto keys = pv::tensor({2, 1, 2, 1});
        for (const AnyTensor& of : {AnyTensor(keys), AnyTensor(pv::tensor({7, 7, 7, 7}))}) {
            const auto [k, most, least, last] =
                pv::group_by_reduce(of, x, pv::max, pv::min, pv::argmax);
            const auto [l, any_most, any_least, any_last] =
                pv::group_by_reduce(of, a, pv::max, pv::min, pv::argmax);
            same(any_most, most);
            same(any_least, least);
            same(any_last, last);
        }
        const AnyTensor none = a(pv::range(0, 0));
        CHECK(std::get<1>(pv::group_by_reduce(pv::tensor(std::vector<int>()), none, pv::max))
                  .dtype() == a.dtype());
    };
    check(pv::tensor({"c", "a", "b", "a"}), std::string("q"));
    check(times({3, 1, 2, 1}), at(7));
    const auto words = pv::where(kMask, AnyTensor(pv::tensor({"c", "a", "b", "a"})), "q");
    CHECK(pv::to_vector(words.as<std::string>()) == std::vector<std::string>{"c", "q", "b", "a"});
    CHECK_THROWS_AS(pv::where(kMask, words, 1), pv::DtypeError);
}

TEST_CASE("Averages of times known at run time are theirs, and gaps are NaT") {
    const auto check = [](const std::vector<std::int64_t>& counts) {
        const auto x = times(counts);
        const AnyTensor a(x);
        const auto same = [](const AnyTensor& found, const auto& expected) {
            CHECK(found.dtype() == expected.dtype());
            CHECK(pv::equals(counts_of(found), counts_of(AnyTensor(expected))));
        };
        const auto rows = pv::reshape(x, {2, 2});
        const AnyTensor any_rows(rows);
        same(pv::median(any_rows, 1), pv::median(rows, 1));
        same(pv::median(any_rows, 0, pv::skip_nan), pv::median(rows, 0, pv::skip_nan));
        same(pv::mean(any_rows, 1), pv::mean(rows, 1));
        same(pv::quantile(any_rows, 0.25, 0), pv::quantile(rows, 0.25, 0));
        same(pv::percentile(any_rows, {25, 75}, 0), pv::percentile(rows, {25, 75}, 0));
        same(pv::forward_fill(a), pv::forward_fill(x));
        same(pv::backward_fill(a), pv::backward_fill(x));
        const auto [keys, typed, typed_mean] = pv::group_by_reduce(kKeys, x, pv::median, pv::mean);
        const auto [any_keys, median, mean] = pv::group_by_reduce(kKeys, a, pv::median, pv::mean);
        same(median, typed);
        same(mean, typed_mean);
        const auto skipping = pv::group_by_reduce(kKeys, a, pv::max(pv::skip_nan));
        same(std::get<1>(skipping),
             std::get<1>(pv::group_by_reduce(kKeys, x, pv::max(pv::skip_nan))));
    };
    check({3, 1, 2, 8});
    check({3, kNat, 2, 1});
    check({kNat, 5, kNat, 1});
    // pandas: Series of datetime64 with NaT: ffill, bfill
    const auto filled = [](const AnyTensor& x) {
        return pv::to_vector(pv::ticks(x.as<Seconds>()));
    };
    using Longs = std::vector<std::int64_t>;
    CHECK(filled(pv::forward_fill(AnyTensor(times({kNat, 5, kNat, 1})))) == Longs{kNat, 5, 5, 1});
    CHECK(filled(pv::backward_fill(AnyTensor(times({kNat, 5, kNat, kNat})))) ==
          Longs{5, 5, kNat, kNat});
}

} // namespace other_types_test
