// What was traced over dims and ordered is a symbol.
#include <support/catch.hpp>

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/purview.hpp>

#include <concepts>
#include <sstream>
#include <tuple>
#include <vector>

namespace ordered_symbol_test {

namespace {

namespace pv = purview;

const auto kMatrix = pv::tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}});

} // namespace

TEST_CASE("an ordered tensor of what is traced becomes a Symbol") {
    const auto c = pv::computation(
        [](auto x) {
            pv::Dim i("i"), k("k");
            pv::Symbol<float> y = x(i, k) * 2.F | pv::order(k, i);
            y = (pv::sum(x(i, k), k) + y(0, i)) |
                pv::order(i); // y(0, k): the first column, doubled
            return y;
        },
        pv::spec<float>({2, 3}));
    // 1 + 2 + 3 + 2 · 1, 4 + 5 + 6 + 2 · 4.
    CHECK(pv::to_vector(c(kMatrix)) == std::vector<float>{8, 23});
}

TEST_CASE("lists of symbols take what is ordered") {
    const auto c = pv::computation(
        [](auto x) {
            pv::Dim i("i"), k("k");
            std::vector<pv::Symbol<float>> list{x, (x(i, k) + 1.F) | pv::order(i, k)};
            list.push_back(x(i, k) * 2.F | pv::order(i, k));
            list.emplace_back(list[2](i, k) * x(i, k) | pv::order(k, i));
            return list;
        },
        pv::spec<float>({2, 3}));
    const std::vector<pv::MutableTensor<float>> list = c(kMatrix);
    REQUIRE(list.size() == 4);
    CHECK(pv::to_vector(list[1]) == std::vector<float>{2, 3, 4, 5, 6, 7});
    CHECK(pv::to_vector(list[2]) == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(pv::to_vector(list[3]) == std::vector<float>{2, 32, 8, 50, 18, 72}); // 2 x², transposed
}

TEST_CASE("a traced function whose result is a Symbol, or several, returns what is ordered") {
    const auto one = pv::computation(
        [](auto x) -> pv::Symbol<float> {
            pv::Dim i("i"), k("k");
            return x(i, k) * 2.F | pv::order(k, i);
        },
        pv::spec<float>({2, 3}));
    CHECK(pv::to_vector(one(kMatrix)) == std::vector<float>{2, 8, 4, 10, 6, 12});
    const auto several = pv::computation(
        [](auto x) -> std::tuple<pv::ScalarSymbol<float>, std::vector<pv::Symbol<float>>> {
            pv::Dim i("i"), k("k");
            return {pv::sum(x),
                    {x(i, k) * 2.F | pv::order(i, k), pv::sum(x(i, k), i) | pv::order(k)}};
        },
        pv::spec<float>({2, 3}));
    const auto [sum, list] = several(kMatrix);
    CHECK(sum == 21);
    REQUIRE(list.size() == 2);
    CHECK(pv::to_vector(list[0]) == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(pv::to_vector(list[1]) == std::vector<float>{5, 7, 9});
}

TEST_CASE("a Symbol of an ordered tensor has gradients") {
    const auto c = pv::computation(
        [](auto x) {
            pv::Dim i("i"), k("k");
            const pv::Symbol<float> y = x(i, k) * x(i, k) | pv::order(k, i);
            return pv::gradient(pv::sum(y), x);
        },
        pv::spec<float>({2, 3}));
    CHECK(pv::to_vector(c(kMatrix)) == std::vector<float>{2, 4, 6, 8, 10, 12}); // 2 x
}

TEST_CASE("what is no symbol, or has dims left, becomes none") {
    pv::Dim i("i"), k("k");
    const auto untraced = [&] { return pv::Symbol<float>(kMatrix(i, k) | pv::order(i, k)); };
    CHECK_THROWS_AS(untraced(), pv::SymbolError);
    CHECK_THROWS_WITH(untraced(),
                      "a tensor of float32 and shape [2 3] reads no symbol, and becomes "
                      "one by constant(…), persistent(…) or variable(…)");
    const auto x = pv::variable(kMatrix, "x");
    const auto with_dims = [&] { return pv::Symbol<float>(x(i, k) | pv::order(i)); };
    CHECK_THROWS_AS(with_dims(), pv::DimError);
    // It stays what it is where a Tensor is asked for, and of one type.
    STATIC_REQUIRE(std::convertible_to<pv::DimTensor<float>, pv::Tensor<float>>);
    STATIC_REQUIRE(std::convertible_to<pv::DimTensor<float>, pv::Symbol<float>>);
    STATIC_REQUIRE(!std::convertible_to<pv::DimTensor<float>, pv::Symbol<double>>);
    STATIC_REQUIRE(!std::convertible_to<pv::Tensor<float>, pv::Symbol<float>>);
}

TEST_CASE("a tensor with dims that is traced prints as a symbol does") {
    const auto x = pv::variable(kMatrix, "x");
    pv::Dim i("i"), k("k");
    std::ostringstream text;
    text << (x(i, k) * 2.F | pv::order(k, i)) << '\n' << x(i, k) * 2.F;
    CHECK(text.str() == "#purview.symbol<float32>[3 2]\n"
                        "#purview.symbol<float32>[2 3]\nwith dims=(i, k) sizes=(2, 3)");
}

} // namespace ordered_symbol_test
