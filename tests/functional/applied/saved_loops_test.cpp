#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// What is expected of a loaded computation is, to the bit, what the one gives that was saved.
namespace saved_loops_test {

namespace {

namespace pv = purview;
using pv::index_t;

std::string bits(const pv::AnyTensor& x) {
    std::string bytes(static_cast<std::size_t>(x.size_bytes()), '\0');
    if (!bytes.empty()) pv::read_all(x.operand(), bytes.data());
    return bytes;
}
/// Of a tensor, a number, or several.
template <typename X>
void add_bits(std::vector<std::string>& all, const X& x) {
    if constexpr (std::is_arithmetic_v<X>) {
        all.emplace_back(reinterpret_cast<const char*>(&x), sizeof x);
    } else if constexpr (pv::TensorLike<X>) {
        all.push_back(bits(x));
    } else {
        std::apply([&](const auto&... each) { (add_bits(all, each), ...); }, x);
    }
}
template <typename X>
pv::AnyTensor any_of(const X& x) {
    if constexpr (pv::TensorLike<X>)
        return x;
    else
        return pv::full({}, x);
}

/// Checks that both forms are loaded, saved as the same again, and give the same bits.
template <typename C, typename... X>
pv::AnyComputation check_saved(const C& c, const X&... x) {
    const std::string bytes = pv::computation_bytes(c);
    const std::string text = pv::computation_text(c);
    CAPTURE(text);
    CHECK(text.starts_with("purview computation, version 2\n"));
    CHECK(bytes.substr(0, 20) == std::string_view("\x89purview\r\n\x1a\n\1\0\0\0\2\0\0\0", 20));
    std::vector<std::string> expected;
    add_bits(expected, c(x...));
    for (const std::string& given : {bytes, text}) {
        const pv::AnyComputation loaded = pv::computation_from(given);
        CHECK(pv::computation_bytes(loaded) == bytes);
        CHECK(pv::computation_text(loaded) == text);
        std::vector<std::string> found;
        for (const pv::AnyTensor& each : loaded({any_of(x)...})) found.push_back(bits(each));
        CHECK(found == expected);
        CHECK(pv::computation_bytes(loaded) == bytes);
    }
    return pv::computation_from(bytes);
}

constexpr auto kHeat = [](const auto& u, const auto& rate) {
    return u + rate * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) - 2 * u);
};
const auto kU = pv::tensor({0.5, -1., 2., 0.25, 1.5});
const auto kW = pv::tensor({1., 0.5, -0.25, 2., 0.75});

} // namespace

TEST_CASE("loops are saved, and read as what they are", "[saved]") {
    const auto c = pv::computation(
        [](auto x) { return pv::iterate([](auto u) { return u * 0.5 + 1; }, x, 9, {.keep = 3}); },
        pv::spec<double>({3}));
    check_saved(c, pv::tensor({1., 2., 3.}));
    CHECK(pv::computation_text(c) == R"(purview computation, version 2
arguments [float64 [3]]
nodes 8
%0 = argument 0 float64 [3]
%1 = argument 0 float64 [3]
%2 = number float64 0.5
%3 = multiply float64 [3] [%1 %2]
%4 = number float64 1
%5 = add float64 [3] [%3 %4]
%6 = loop 9 1 0 3 [%1] [%5 [3]] [%0 [3]]
%7 = result 0 %6
programs [
program [%0] [%7 [3]]
]
)");
    const auto w = pv::computation(
        [](auto x, auto y) {
            auto [last, steps] = pv::iterate_while(
                [&](auto u) { return u / y; }, x, [](auto u, auto) { return u > 1.; },
                {.most = 4, .or_else = pv::Ended::last, .keep = 1});
            return std::tuple(
                pv::choose(
                    last > 2., [](auto u) { return u * 2; }, [](auto u) { return u * 3; }, last),
                steps);
        },
        pv::spec<double>(), pv::spec<double>());
    check_saved(w, 5., 2.);
    check_saved(w, 500., 2.);
    CHECK_THAT(pv::computation_text(w), Catch::Contains(R"(
%2 = argument 0 float64 []
%3 = argument 1 float64 []
%4 = divide float64 [] [%2 %3]
%5 = argument 0 float64 []
%6 = argument 1 float64 []
%7 = argument 2 float64 []
%8 = number float64 1
%9 = greater bool [] [%5 %8]
%10 = loop 4 1 0 4 ends [%2 %3] [%4 []] while [%5 %6 %7] [%9 []] [%0 [] %1 []]
%11 = result 0 %10
)"));
    CHECK_THAT(pv::computation_text(w),
               Catch::Contains(R"( = choose [%14] [%16 []] [%17] [%19 []] )"));
}

TEST_CASE("several states, captured tensors and variables are saved with a loop", "[saved]") {
    const auto table = pv::tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}});
    const auto ids = pv::tensor({2, 0, 2});
    const auto weight = pv::variable(pv::tensor({0.5F, -1.F, 0.25F}), "weight");
    const auto c = pv::computation(
        [=](auto position, auto n) {
            return pv::iterate(
                [=](auto at, auto speed, auto count) {
                    auto next =
                        speed - 0.25F * pv::take(at, ids, 0) * weight + pv::sum(table * at, 0);
                    return std::tuple(at + 0.125F * next, next, count + 1);
                },
                std::tuple(position, position * 0.F, n), 7);
        },
        pv::spec<float>({3}), pv::spec<index_t>());
    const auto x = pv::tensor({1.F, 0.5F, -2.F});
    const pv::AnyComputation loaded = check_saved(c, x, index_t{40});
    CHECK(loaded({x, any_of(index_t{40})})[2].as<index_t>().item() == 47);
    // The variable is its own.
    const std::string before = bits(loaded({x, any_of(index_t{0})})[0]);
    loaded.symbol("weight").update(pv::tensor({0.F, 0.F, 1.F}));
    CHECK(bits(loaded({x, any_of(index_t{0})})[0]) != before);
    weight.update(pv::tensor({0.F, 0.F, 1.F}));
    CHECK(bits(loaded({x, any_of(index_t{0})})[0]) == bits(std::get<0>(c(x, index_t{0}))));
    const auto bare = pv::computation_from(pv::computation_bytes(c, {.values = false}));
    CHECK_THROWS_AS(bare({x, any_of(index_t{0})}), pv::SymbolError);

    // Sparse tensors stay sparse, mapped ones where they are.
    const auto sparse = pv::sparse_tensor({3}, std::vector<index_t>{1}, std::vector<double>{2.});
    const temporary::Folder folder;
    const std::vector<double> numbers{0.5, 1.5, 2.5};
    temporary::write_file(folder / "numbers",
                          std::string_view(reinterpret_cast<const char*>(numbers.data()), 24));
    const auto mapped = pv::tensor(pv::mapped_const_buffer<double>(folder / "numbers", 0));
    const auto d = pv::computation(
        [=](auto y) { return pv::iterate([=](auto u) { return u * mapped + sparse; }, y, 3); },
        pv::spec<double>({3}));
    const auto y = pv::tensor({1., 2., 3.});
    check_saved(d, y);
    CHECK_THAT(pv::computation_text(d), Catch::Contains("= sparse float64 3 [1] 2 0\n"));
    const std::string places = folder / "";
    const std::string text = pv::computation_text(d, {.places = places});
    CHECK_THAT(text, Catch::Contains("= mapped float64 3 \"numbers\" 0\n"));
    const auto with_file = pv::computation_from(text, {.places = places});
    CHECK(pv::computation_text(with_file, {.places = places}) == text);
    CHECK(bits(with_file({y})[0]) == bits(d(y)));
}

TEST_CASE("scan_over, choose and loops within others are saved", "[saved]") {
    const auto scan = pv::computation(
        [](auto state, auto rows, auto numbers) {
            auto [last, seen] = pv::scan_over(
                [](auto states, auto inputs) {
                    auto [a, b] = states;
                    auto [row, number] = inputs;
                    auto next = pv::tanh(a * 0.5 + row) * number;
                    return std::pair(std::tuple(next, b + number),
                                     std::tuple(next * row, b, next > 0.));
                },
                std::tuple(state, 1.), std::tuple(rows, numbers), {.keep = 2});
            auto [a, b] = last;
            auto [p, q, r] = seen;
            return std::tuple(a, b, p, q, r);
        },
        pv::spec<double>({2}), pv::spec<double>({4, 2}), pv::spec<double>({4}));
    const auto rows = pv::tensor({{1., -2.}, {3., -4.}, {0.5, 6.}, {1.5, 1.}});
    check_saved(scan, pv::tensor({0.1, -0.2}), rows, pv::tensor({1., 2., -3., 0.5}));
    const auto none = pv::computation(
        [](auto s, auto x) {
            return pv::scan_over([](auto u, auto row) { return std::pair(u + row, u); }, s, x);
        },
        pv::spec<double>(), pv::spec<double>({0}));
    check_saved(none, 3., pv::zeros({0}));

    const auto nested = pv::computation(
        [](auto x, auto y) {
            auto inner = [&](auto u) {
                return pv::iterate([&](auto v) { return v * 0.5 + u + y; }, u, 3);
            };
            return pv::iterate(
                [&](auto u) {
                    return pv::choose(
                        pv::sum(inner(u)) > 10, [](auto v) { return v * 0.25; },
                        [&](auto v) {
                            return inner(v) + pv::iterate([](auto w) { return w / 2; }, v, 2);
                        },
                        inner(u));
                },
                x, 4);
        },
        pv::spec<double>({3}), pv::spec<double>({3}));
    check_saved(nested, pv::tensor({1., 2., 3.}), pv::tensor({0.5, 0.25, -1.}));

    // Programs for several shapes, which share what they capture.
    const auto any = pv::computation(
        [](auto x) { return pv::iterate([&](auto u) { return u + pv::sum(u) * kW(0); }, x, 3); },
        pv::spec<double>({pv::any_size}));
    any(pv::ones({4}));
    any(pv::ones({2}));
    check_saved(any, pv::ones({2}));
    check_saved(any, pv::ones({4}));
}

TEST_CASE("derivatives through loops are saved", "[saved]") {
    const auto weight = pv::variable(kW, "weight");
    for (const index_t steps : {1, 7, 12})
        for (const index_t keep : {0, 1, 3, 100}) {
            CAPTURE(steps, keep);
            const auto loss = pv::computation(
                [=](auto u, auto rate) {
                    auto last =
                        pv::iterate([&](auto v) { return kHeat(v, rate) * pv::sin(weight); }, u,
                                    steps, {.keep = keep});
                    return pv::sum(pv::sq(last));
                },
                pv::spec<double>({5}), pv::spec<double>());
            const auto slope = pv::value_and_gradient(loss);
            check_saved(slope, kU, 0.25);
            // The gradient of what was loaded is the same computation.
            const auto loaded = pv::computation_from(pv::computation_bytes(loss));
            const auto again = pv::value_and_gradient(loaded.as<double(double, double)>());
            CHECK(pv::computation_text(again) == pv::computation_text(slope));
            const auto second = pv::computation(
                [&](auto u) {
                    auto l = loss(u, 0.25);
                    return std::tuple(pv::hessian(l, u),
                                      pv::hessian_vector_product(l, u, pv::cos(u)),
                                      pv::jacobian_vector_product(l, u, u));
                },
                pv::spec<double>({5}));
            check_saved(second, kU);
        }
    const auto scan = pv::computation(
        [](auto state, auto rows) {
            auto [last, seen] = pv::scan_over(
                [](auto s, auto row) {
                    auto next = pv::tanh(0.5 * s + row * kW);
                    return std::pair(next, next * row);
                },
                state, rows, {.keep = 2});
            return pv::sum(pv::sq(seen)) + pv::sum(last);
        },
        pv::spec<double>({5}), pv::spec<double>({7, 5}));
    const auto rows = pv::contiguous(pv::sin(pv::reshape(pv::arange(35.), {7, 5})));
    check_saved(pv::gradient(scan), kU, rows);
    CHECK_THAT(pv::computation_text(pv::gradient(scan)), Catch::Contains(" backwards ["));
    // By the steps that were taken.
    const auto root = pv::computation(
        [](auto a, auto start) {
            auto [x, steps] = pv::iterate_while(
                [&](auto y) { return (y + a / y) / 2; }, start,
                [](auto now, auto before) { return pv::max(pv::abs(now - before)) > 1e-9; },
                {.most = 50, .keep = 8});
            return pv::choose(
                pv::sum(x) > 3, [](auto y) { return pv::sum(y); },
                [](auto y) { return pv::sum(pv::sq(y)); }, x);
        },
        pv::spec<double>(), pv::spec<double>({2}));
    check_saved(pv::value_and_gradient(root), 2., pv::tensor({1., 3.}));
    check_saved(pv::value_and_gradient(root), 9., pv::tensor({1., 3.}));
    CHECK_THAT(pv::computation_text(pv::gradient(root)), Catch::Contains(" counted backwards ["));
}

TEST_CASE("what has no loop is saved as version 1", "[saved]") {
    const auto c = pv::computation([](auto x) { return pv::sum(x * 2); }, pv::spec<double>({3}));
    CHECK(pv::computation_text(c).starts_with("purview computation, version 1\n"));
    CHECK(pv::computation_bytes(c).substr(16, 4) == std::string_view("\1\0\0\0", 4));
    const std::string golden = source_path("tests/functional/data/computation_1.txt");
    CHECK(temporary::content(golden).starts_with("purview computation, version 1\n"));
    // A version that is not there yet.
    std::string text = pv::computation_text(c);
    text.replace(text.find("version 1"), 9, "version 4");
    CHECK_THROWS_WITH(pv::computation_from(text),
                      "computation: version 4 was saved; this library reads up to version 3");
}

TEST_CASE("loops that could not be loaded are not saved", "[saved]") {
    const auto steps = pv::computation(
        [](auto x) { return pv::iterate([](auto u) { return u; }, x, index_t{1} << 57); },
        pv::spec<double>());
    CHECK_THROWS_WITH(pv::computation_bytes(steps),
                      Catch::EndsWith("takes 144115188075855872 steps, which are too many"));
    const auto kept = pv::computation(
        [](auto x) {
            return pv::iterate([](auto u) { return u; }, x, index_t{1} << 56,
                               {.keep = index_t{1} << 56});
        },
        pv::spec<double>({2}));
    CHECK_THROWS_WITH(pv::computation_bytes(kept),
                      Catch::EndsWith("has a result 1 of too many elements"));
}

} // namespace saved_loops_test
