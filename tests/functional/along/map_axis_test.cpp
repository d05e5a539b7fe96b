#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/map_axis.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/tensor/literal.hpp>

#include <algorithm>
#include <string>
#include <vector>

// What functions of lanes give: memory, views, expressions, gathers, strings (read_all).

namespace map_axis_test {

namespace {

namespace pv = purview;
using oracle::Random;
using pv::index_t;
using Lane = pv::Tensor<double>;

/// `map_axis` of a function, and its twin on vectors.
template <typename F, typename Naive>
void check(const oracle::Layout<double>& x, std::size_t axis, const F& function, Naive naive) {
    const auto expected = oracle::along_lanes(x.naive, axis, naive);
    CHECK(oracle::agrees(pv::map_axis(function, x.real, static_cast<index_t>(axis)), expected));
    const pv::AnyTensor any(x.real);
    const auto of_any = pv::map_axis(function, any, static_cast<index_t>(axis));
    using T = typename decltype(expected.values)::value_type;
    CHECK(oracle::agrees(pv::Tensor<T>(of_any.operand()), expected));
}

} // namespace

TEST_CASE("map_axis: whatever a function gives is what is read lane by lane") {
    using Numbers = std::vector<double>;
    Random random(71);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const auto x = oracle::random_layout<double>(random);
        const std::size_t axis = random.axis_of(x.naive.shape);
        INFO(x.name << " axis " << axis);
        // The lane itself, memory of its own, a view of either.
        check(
            x, axis, [](const Lane& lane) { return lane; }, [](const Numbers& v) { return v; });
        const auto sorted = [](Numbers v) {
            std::sort(v.begin(), v.end());
            return v;
        };
        check(
            x, axis, [](const Lane& lane) { return pv::sort(lane); }, sorted);
        const auto turned = [&](const Numbers& v) {
            Numbers out = sorted(v);
            std::reverse(out.begin(), out.end());
            return out;
        };
        check(
            x, axis, [](const Lane& lane) { return pv::flip(pv::sort(lane)); }, turned);
        // Expressions, of another type, with a number, with a constant only.
        const auto each = [](auto f) {
            return [f](const Numbers& v) {
                std::vector<decltype(f(1.0))> out;
                for (const double value : v) out.push_back(f(value));
                return out;
            };
        };
        check(
            x, axis, [](const Lane& lane) { return lane * 2 + 1; },
            each([](double value) { return value * 2 + 1; }));
        check(
            x, axis, [](const Lane& lane) { return pv::cast<float>(lane); },
            each([](double value) { return static_cast<float>(value); }));
        check(
            x, axis, [](const Lane& lane) { return pv::Tensor<bool>(lane > 3.0); },
            each([](double value) { return value > 3.0; }));
        check(
            x, axis, [](const Lane& lane) { return pv::full(lane.shape(), 1.5); },
            each([](double) { return 1.5; }));
        // What is computed before it is gathered, and strings.
        const auto shifted = [](const Numbers& v) {
            Numbers out;
            for (std::size_t i = 0; i < v.size(); ++i) out.push_back(v[v.size() - 1 - i] + 1);
            return out;
        };
        check(
            x, axis,
            [](const Lane& lane) {
                return pv::take(lane + 1, pv::arange(lane.size() - 1, index_t{-1}, index_t{-1}), 0);
            },
            shifted);
        const auto words = [](const Lane& lane) {
            std::vector<std::string> out;
            for (const double value : lane) out.push_back(std::to_string(value));
            return pv::tensor(std::move(out));
        };
        CHECK(oracle::agrees(pv::map_axis(words, x.real, static_cast<index_t>(axis)),
                             oracle::along_lanes(x.naive, axis, each([](double value) {
                                                     return std::to_string(value);
                                                 }))));
    }
}

TEST_CASE("map_axis: lanes of no element; one call for each, in order") {
    const auto nothing = [](const pv::Tensor<int>& lane) {
        return pv::Tensor<int>(lane(pv::range(0, 0)));
    };
    CHECK(pv::map_axis(nothing, pv::ones<int>({3, 2})).shape() == pv::Shape{3, 0});
    const auto same = [](const pv::Tensor<int>& lane) { return lane; };
    CHECK(pv::map_axis(same, pv::ones<int>({3, 0})).shape() == pv::Shape{3, 0});
    std::vector<int> calls;
    const auto counted = [&](const pv::Tensor<int>& lane) {
        calls.push_back(lane(0));
        return lane * 2;
    };
    CHECK(pv::to_vector(pv::map_axis(counted, pv::tensor({{1, 2}, {3, 4}}))) ==
          std::vector{2, 4, 6, 8});
    CHECK(calls == std::vector{1, 3});
}

} // namespace map_axis_test
