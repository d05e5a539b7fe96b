#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/tensors.hpp>

#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/percentiles.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace group_reducers_test {

namespace pv = purview;
using oracle::Random;
using pv::index_t;

TEST_CASE("several reducers of the user's in one call, beside known ones") {
    Random random(9);
    std::vector<int> keys;
    std::vector<double> values;
    for (int i = 0; i < 500; ++i) {
        keys.push_back(static_cast<int>(random.between(0, 9)));
        values.push_back(static_cast<double>(random.between(-50, 50)));
    }
    const auto spread = [](const pv::Tensor<double>& x) { return pv::max(x) - pv::min(x); };
    const auto first = [](const pv::Tensor<double>& x) { return x.read(0); };
    const auto text = [](const pv::Tensor<double>& x) { return std::to_string(x.size()); };
    const auto many = [](const pv::Tensor<double>& x) { return x.size() > 50; };
    int reads = 0;
    const auto counted = pv::emap(
        [&reads](double x) {
            ++reads;
            return x;
        },
        pv::tensor(std::vector<double>(values)));
    const auto [names, totals, spreads, firsts, texts, medians, enough] =
        pv::group_by_reduce(pv::tensor(std::vector<int>(keys)), counted, pv::sum, spread, first,
                            text, pv::median, many);
    CHECK(reads <= 1000); // for the sum, and for all functions
    std::map<int, std::vector<double>> expected;
    for (std::size_t i = 0; i < keys.size(); ++i) expected[keys[i]].push_back(values[i]);
    REQUIRE(names.size() == std::ssize(expected));
    index_t g = -1;
    for (const auto& [name, part] : expected) {
        ++g;
        CHECK(names(g) == name);
        CHECK(totals(g) == pv::sum(part));
        CHECK(spreads(g) == *std::ranges::max_element(part) - *std::ranges::min_element(part));
        CHECK(firsts(g) == part.front());
        CHECK(texts.read(g) == std::to_string(part.size()));
        CHECK(medians(g) == pv::median(part));
        CHECK(enough(g) == (part.size() > 50));
    }
    const auto size = [](const auto& x) { return x.size(); };
    const auto [strings, of_any, sums] = pv::group_by_reduce(
        pv::tensor({"b", "a", "b"}), pv::AnyTensor(pv::tensor({1, 2, 4})), size, pv::sum);
    CHECK(pv::to_vector(of_any.as<std::int64_t>()) == std::vector<std::int64_t>{1, 2});
    CHECK(pv::to_vector(sums.as<std::int64_t>()) == std::vector<std::int64_t>{2, 5});
}

TEMPLATE_TEST_CASE("the library's reductions of groups are those of each part", "", bool,
                   std::int8_t, std::uint64_t, float, double) {
    using T = TestType;
    Random random(10);
    std::vector<int> keys;
    std::vector<std::vector<T>> parts(7);
    const pv::MutableTensor<T> values = pv::empty<T>({300});
    for (auto&& value : values) {
        T x = static_cast<T>(random.between(0, 3));
        if constexpr (std::floating_point<T>)
            if (random.one_in(5)) x = std::numeric_limits<T>::quiet_NaN();
        value = x;
        keys.push_back(static_cast<int>(random.between(0, 6)));
        parts[static_cast<std::size_t>(keys.back())].push_back(x);
    }
    if constexpr (std::floating_point<T>) { // a group without numbers
        values(0) = std::numeric_limits<T>::quiet_NaN();
        keys[0] = 7;
        parts.clear();
        parts.resize(8);
        for (index_t i = 0; i < 300; ++i)
            parts[static_cast<std::size_t>(keys[static_cast<std::size_t>(i)])].push_back(values(i));
    }
    const auto names = pv::tensor(std::vector<int>(keys));
    const auto check = [&](const auto& reducer) {
        const auto [of_typed, typed] = pv::group_by_reduce(names, values, reducer);
        const auto [of_any, any] =
            pv::group_by_reduce(pv::AnyTensor(names), pv::AnyTensor(values), reducer);
        using R = typename std::decay_t<decltype(typed)>::value_type;
        const pv::Tensor<R> from_any = any.template as<R>();
        REQUIRE(typed.size() == std::ssize(parts));
        for (index_t g = 0; g < typed.size(); ++g) {
            const R expected = reducer(pv::tensor(parts[static_cast<std::size_t>(g)]));
            const auto is_expected = [&](R x) {
                if constexpr (std::floating_point<R>)
                    return x == Catch::Approx(expected) || (x != x && expected != expected);
                else
                    return x == expected;
            };
            CHECK(is_expected(typed(g)));
            CHECK(is_expected(from_any(g)));
        }
    };
    const auto check_both = [&](const auto& reducer) {
        check(reducer);
        check(reducer(pv::skip_nan));
    };
    check_both(pv::sum);
    check_both(pv::product);
    check_both(pv::mean);
    check_both(pv::any_of);
    check_both(pv::all_of);
    check_both(pv::count_true);
    check_both(pv::variance);
    check_both(pv::sample_standard_deviation);
    check_both(pv::median);
    check(pv::min);
    check(pv::argmax);
    check(pv::quantile(.25));
}

} // namespace group_reducers_test
