// Reductions as reducers: of parts that are joined, and over chunks, beside those of elements in memory.
#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/evaluation/reducer.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/exact_sum.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/tensor/copy.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace reducers_test {

namespace {

namespace pv = purview;
using pv::BuiltInReduction;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<const BuiltInReduction*> reductions() {
    using pv::Extreme;
    using pv::Reduction;
    using S = pv::Statistic;
    return {&pv::fold_reduction(Reduction::sum),
            &pv::fold_reduction(Reduction::product),
            &pv::fold_reduction(Reduction::minimum),
            &pv::fold_reduction(Reduction::maximum),
            &pv::fold_reduction(Reduction::any_of),
            &pv::fold_reduction(Reduction::all_of),
            &pv::mean_reduction(),
            &pv::count_reduction(),
            &pv::arg_reduction(Extreme::least, false),
            &pv::arg_reduction(Extreme::greatest, false),
            &pv::arg_reduction(Extreme::least, true),
            &pv::arg_reduction(Extreme::greatest, true),
            &pv::variance_reduction(false, false),
            &pv::variance_reduction(true, true),
            &pv::magnitude_reduction(true),
            &pv::exact_sum_reduction(),
            &pv::statistic_reduction(S::standard_error),
            &pv::statistic_reduction(S::quadratic_mean),
            &pv::statistic_reduction(S::skewness),
            &pv::statistic_reduction(S::sample_kurtosis)};
}

/// Numbers of which many are equal; with `gaps`, some are NaN.
template <typename T>
pv::MutableTensor<T> elements(index_t rows, index_t columns, bool gaps, std::mt19937_64& random) {
    const pv::MutableTensor<T> x = pv::empty<T>({rows, columns});
    for (T& each : pv::as_span(x)) {
        each = static_cast<T>(random() % 23);
        if constexpr (std::is_floating_point_v<T>) {
            each = each / 4 - 2;
            if (gaps && random() % 4 == 0) each = std::numeric_limits<T>::quiet_NaN();
        }
    }
    if constexpr (std::is_floating_point_v<T>) // in each row
        for (index_t r = 0; r < rows; ++r) x(r, r % columns) = T(1);
    return x;
}

std::vector<double> numbers_of(const pv::Operand& results) {
    return pv::to_vector(pv::cast<double>(pv::AnyTensor(results)));
}
void check_near(const std::vector<double>& found, const std::vector<double>& expected,
                double bound) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!(std::isnan(found[i]) && std::isnan(expected[i])) && found[i] != expected[i])
            CHECK(std::abs(found[i] - expected[i]) <= bound * (1 + std::abs(expected[i])));
}

/// The results of the rows of x, from parts [ends[i - 1], ends[i]) of each.
template <typename T>
std::vector<double> by_parts(const pv::Reducer& reducer, const pv::Tensor<T>& x,
                             const std::vector<index_t>& ends) {
    const index_t rows = x.shape()[0];
    const auto bytes = static_cast<std::size_t>(rows * reducer.state_bytes());
    std::vector<std::byte> states(bytes);
    std::vector<std::byte> more(bytes);
    reducer.clear(states.data(), rows);
    for (index_t begin = 0; const index_t end : ends) {
        if (end > begin)
            pv::fold_part(reducer,
                          {pv::Tensor<T>(x(pv::all, pv::range(begin, end))).operand(), rows,
                           [&](index_t, index_t at) { return begin + at; }},
                          more.data());
        else
            reducer.clear(more.data(), rows);
        reducer.join(states.data(), more.data(), rows);
        begin = end;
    }
    std::vector<double> found(static_cast<std::size_t>(rows));
    const auto finish = [&]<typename R>(std::vector<R> results) {
        reducer.finish(states.data(), rows, x.shape()[1], results.data());
        return std::vector<double>(results.begin(), results.end());
    };
    if (reducer.result() == pv::boolean) {
        std::vector<std::uint8_t> results(found.size());
        return finish(results);
    }
    return pv::visit_dtype(reducer.result(), "", [&]<typename R>(std::type_identity<R>) {
        if constexpr (std::same_as<R, bool>)
            return found;
        else
            return finish(std::vector<R>(found.size()));
    });
}

} // namespace

TEMPLATE_TEST_CASE("reducers: parts are joined to what is reduced as a whole", "", std::int8_t,
                   std::uint32_t, std::int64_t, float, double) {
    using T = TestType;
    std::mt19937_64 random(5);
    for (int round = 0; round < oracle::rounds(24); ++round) {
        const index_t rows = 1 + static_cast<index_t>(random() % 5);
        const index_t columns = 1 + static_cast<index_t>(random() % (round % 4 == 0 ? 3000 : 40));
        const bool skips = round % 2 == 1 && std::is_floating_point_v<T>;
        const pv::Tensor<T> x(elements<T>(rows, columns, skips, random));
        std::vector<index_t> ends{columns};
        for (int i = 0; i < 4; ++i)
            ends.push_back(
                static_cast<index_t>(random() % static_cast<std::uint64_t>(columns + 1)));
        std::ranges::sort(ends);
        for (const BuiltInReduction* const reduction : reductions()) {
            CAPTURE(reduction->name(), rows, columns, skips);
            const auto reducer = reduction->reducer(pv::kDType<T>, skips);
            REQUIRE(reducer != nullptr);
            pv::ChosenAxes axes = pv::ChosenAxes::of(1);
            if (skips) axes.nan = pv::NanRule::skip;
            const auto expected = numbers_of(pv::reduce_over_axes(*reduction, x.operand(), axes));
            const double bound = std::same_as<T, float> ? 2e-5 : 1e-12;
            check_near(by_parts(*reducer, x, ends), expected, bound);
        }
    }
}

TEST_CASE("reducers: variances of parts whose squares leave the range") {
    for (const double scale : {1e200, 1e-200}) {
        const pv::Tensor<double> x =
            pv::clone(pv::tensor({{0., 1., 2., 5., -7., 3.}, {1., 1., 1., 1., 1., 2.}}) * scale);
        const auto reducer = pv::variance_reduction(false, true).reducer(pv::float64, false);
        const auto whole = pv::to_vector(pv::standard_deviation(x, 1));
        CHECK(std::isnormal(whole[0]));
        for (const std::vector<index_t>& ends :
             {std::vector<index_t>{6}, {1, 6}, {0, 3, 6}, {1, 2, 3, 4, 5, 6}})
            check_near(by_parts(*reducer, x, ends), whole, 1e-15 * scale);
    }
    // Means far from each other, of parts of which each is ordinary.
    const pv::Tensor<double> far = pv::clone(pv::tensor({{1e160, 1e160, -1e160, -1e160}}));
    const auto reducer = pv::variance_reduction(false, true).reducer(pv::float64, false);
    CHECK(by_parts(*reducer, far, {2, 4})[0] == 1e160);
    // Squares of which each part has nearly the most, about a mean of 0.
    const pv::Tensor<double> most = pv::clone(pv::tensor({{8e153, -8e153, 8e153, -8e153}}));
    CHECK(by_parts(*reducer, most, {2, 4})[0] == 8e153);
}

TEST_CASE("reducers: arrays of chunks are read once, whatever the policy for NaN") {
    std::mt19937_64 random(6);
    const pv::MutableTensor<double> x = elements<double>(20, 30, true, random);
    const auto chunks = std::make_shared<oracle::StoredChunks<double>>(
        pv::ChunkGrid(pv::Shape{20, 30}, pv::Shape{6, 7}));
    const auto lazy = pv::tensor(chunks, {20, 30});
    pv::copy(x, lazy);
    for (const BuiltInReduction* const reduction : reductions())
        for (const pv::NanRule rule : {pv::NanRule::keep, pv::NanRule::skip})
            for (const pv::ChosenAxes& over :
                 {pv::ChosenAxes(), pv::ChosenAxes::of(0), pv::ChosenAxes::of(1)}) {
                if (reduction == &pv::magnitude_reduction(true)) continue; // sees it twice
                pv::ChosenAxes axes = over;
                axes.nan = rule;
                CAPTURE(reduction->name(), rule == pv::NanRule::skip, over.given);
                pv::drop_cached_chunks();
                chunks->reads = 0;
                const auto found =
                    numbers_of(pv::reduce_over_axes(*reduction, lazy.operand(), axes));
                CHECK(chunks->reads == 20);
                check_near(found, numbers_of(pv::reduce_over_axes(*reduction, x.operand(), axes)),
                           1e-12);
            }
}

TEST_CASE("reducers: a part of NaN alone, which is skipped") {
    const pv::Tensor<double> x = pv::tensor({{kNaN, kNaN, 3.}, {kNaN, kNaN, kNaN}});
    CHECK_THROWS_AS(pv::argmin(x, 1, pv::skip_nan), pv::ShapeError);
    CHECK_THROWS_AS(pv::argmax_last(x, 1, pv::skip_nan), pv::ShapeError);
    const auto worst = std::numeric_limits<double>::infinity();
    CHECK(pv::to_vector(pv::argmin(pv::tensor({{kNaN, worst, kNaN, worst}}), 1, pv::skip_nan)) ==
          std::vector<std::int64_t>{1});
    CHECK(pv::to_vector(pv::argmin_last(pv::tensor({{kNaN, worst, kNaN, worst, kNaN}}), 1,
                                        pv::skip_nan)) == std::vector<std::int64_t>{3});
}

} // namespace reducers_test
