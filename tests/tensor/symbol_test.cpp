#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/computation.hpp>

#include <concepts>
#include <iterator>
#include <memory>
#include <ranges>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace symbol_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;

std::string text(const auto& printed) {
    std::ostringstream out;
    out << printed;
    return out.str();
}

template <typename X>
concept HasItem = requires(const X& x) {
    x.item();
};
template <typename X>
concept HasRead = requires(const X& x) {
    x.read(0);
};

} // namespace

TEST_CASE("each role has the four flags of nGraph's table") {
    STATIC_REQUIRE(pv::flags_of(pv::Role::constant) == pv::RoleFlags{true, true, false, false});
    STATIC_REQUIRE(pv::flags_of(pv::Role::placeholder) == pv::RoleFlags{false, true, false, true});
    STATIC_REQUIRE(pv::flags_of(pv::Role::persistent) == pv::RoleFlags{false, true, false, false});
    STATIC_REQUIRE(pv::flags_of(pv::Role::variable) == pv::RoleFlags{false, true, true, false});

    const auto check = [](const pv::AnySymbol& s, pv::Role role) {
        CHECK(s.has_role());
        CHECK(s.role() == role);
        CHECK(pv::flags_of(role) ==
              pv::RoleFlags{s.is_constant(), s.is_persistent(), s.is_trainable(), s.is_input()});
    };
    check(pv::constant(pv::ones({2})), pv::Role::constant);
    check(pv::constant(3), pv::Role::constant);
    check(pv::persistent(pv::ones({2})), pv::Role::persistent);
    check(pv::variable(pv::ones({2})), pv::Role::variable);
    check(pv::transpose(pv::variable(pv::ones({2, 3}))), pv::Role::variable);
    pv::computation(
        [&](auto x, auto k) {
            check(x, pv::Role::placeholder);
            check(k, pv::Role::placeholder);
            CHECK_FALSE((x + 1).has_role());
            CHECK_FALSE((x + 1).is_persistent());
            CHECK_THROWS_AS((x + 1).role(), pv::SymbolError);
            return x * k;
        },
        pv::spec<double>({2}), pv::spec<double>());
}

TEST_CASE("symbols own copies of their values") {
    auto t = pv::tensor({1., 2.});
    const auto p = pv::persistent(t, "velocity");
    const auto v = pv::variable(t | pv::flip, "weights");
    const auto c = pv::constant(t);
    pv::fill(t, 9.0);
    CHECK(pv::to_vector(p.value()) == Vector{1, 2});
    CHECK(pv::to_vector(v.value()) == Vector{2, 1});
    CHECK(pv::to_vector(c.value()) == Vector{1, 2});
    CHECK(p.name() == "velocity");
    CHECK(c.name().empty());
    CHECK((p + 1).name().empty());
    CHECK(p.shape() == pv::Shape{2});
}

TEST_CASE("persistents and variables are updated, constants refuse") {
    const auto v = pv::variable(pv::tensor({1., 2.}), "weights");
    v.update(pv::tensor({3., 4.}));
    CHECK(pv::to_vector(v.value()) == Vector{3, 4});
    v.update(pv::flip(v.value()) + 1); // what it is computed from is itself
    CHECK(pv::to_vector(v.value()) == Vector{5, 4});
    pv::copy(pv::tensor({7., 8.}), v.value());
    CHECK(pv::to_vector(v.value()) == Vector{7, 8});
    CHECK_THROWS_WITH(v.update(pv::ones({1})),
                      "update: the variable weights has shape [2], not [1]");
    CHECK_THROWS_AS(v.update(pv::ones({1})), pv::ShapeError);
    CHECK_THROWS_WITH(v.update(pv::ones<float>({2})),
                      "update: the variable weights has type float64, not float32");
    CHECK_THROWS_AS(v.update(pv::ones<float>({2})), pv::DtypeError);
    CHECK(pv::to_vector(v.value()) == Vector{7, 8});

    const auto rate = pv::persistent(0.5);
    rate.update(0.25);
    CHECK(rate.value().item() == 0.25);

    const auto c = pv::constant(pv::tensor({1., 2.}), "grid");
    CHECK_THROWS_WITH(c.update(pv::ones({2})), "update: the constant grid cannot be written");
    CHECK_THROWS_AS(c.update(pv::ones({2})), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::fill(c.value(), 0.0), pv::ReadOnlyError);
    CHECK_THROWS_AS(c.value()(0) = 1.0, pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::constant(2).update(3), pv::ReadOnlyError);
    CHECK(c.value()(1) == 2.0);

    CHECK_THROWS_AS((v + 1).update(pv::ones({2})), pv::SymbolError);
    CHECK_THROWS_AS((v + 1).value(), pv::SymbolError);
    pv::computation(
        [](auto x) {
            CHECK_THROWS_AS(x.update(pv::ones({2})), pv::SymbolError);
            CHECK_THROWS_AS(x.value(), pv::SymbolError);
            return x;
        },
        pv::spec<double>({2}));
}

TEST_CASE("what is made of symbols is a symbol") {
    using D = pv::Symbol<double>;
    using S = pv::ScalarSymbol<double>;
    const D x = pv::variable(pv::ones({2, 3}));
    const S k = pv::variable(2.0);
    const auto t = pv::ones<float>({2, 3});
    STATIC_REQUIRE(std::same_as<decltype(x + x), D>);
    STATIC_REQUIRE(std::same_as<decltype(t - x), D>);
    STATIC_REQUIRE(std::same_as<decltype(2 * x), D>);
    STATIC_REQUIRE(std::same_as<decltype(x < t), pv::Symbol<bool>>);
    STATIC_REQUIRE(std::same_as<decltype(x != x), pv::Symbol<bool>>);
    STATIC_REQUIRE(std::same_as<decltype(!(x != x) && true), pv::Symbol<bool>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::where(t > 0, x, 1)), D>);
    STATIC_REQUIRE(std::same_as<decltype(x | pv::cast<int>), pv::Symbol<int>>);
    STATIC_REQUIRE(std::same_as<decltype(x | pv::transpose({1, 0}) | pv::flip), D>);
    STATIC_REQUIRE(std::same_as<decltype(pv::broadcast(x, {4, 3})), D>);
    STATIC_REQUIRE(std::same_as<decltype(x(0, pv::all)), D>);
    STATIC_REQUIRE(std::same_as<decltype(x(0, 1)), S>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sum(x)), S>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sum(x, 0)), D>);
    STATIC_REQUIRE(std::same_as<decltype(x | pv::mean({0, 1})), D>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sum(x > 0)), pv::ScalarSymbol<std::int64_t>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::emap([](double) { return 1; }, x)), pv::Symbol<int>>);
    // A scalar symbol is weak, as the number is that a reduction of a tensor gives.
    STATIC_REQUIRE(std::same_as<decltype(k + 1), S>);
    STATIC_REQUIRE(std::same_as<decltype(2 * k - k), S>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sqrt(k) > 0), pv::ScalarSymbol<bool>>);
    STATIC_REQUIRE(std::same_as<decltype(k * t), pv::Symbol<float>>);
    STATIC_REQUIRE(std::same_as<decltype(t * k), pv::Symbol<float>>);
    STATIC_REQUIRE(std::same_as<decltype(x * k), D>);
    STATIC_REQUIRE(std::same_as<decltype(pv::broadcast(k, {2})), D>);
    STATIC_REQUIRE(std::same_as<decltype(pv::where(k > 0, k, 1)), S>);
    STATIC_REQUIRE(std::same_as<decltype(pv::cast<float>(k) * 2.0), pv::ScalarSymbol<float>>);
    // Tensors stay what they were.
    STATIC_REQUIRE(std::same_as<decltype(t + t), pv::Tensor<float>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::flip(t)), pv::MutableTensor<float>>);
    STATIC_REQUIRE(std::same_as<decltype(pv::broadcast(t, {4, 3})), pv::Tensor<float>>);
    STATIC_REQUIRE(pv::TypedTensor<D>);
    STATIC_REQUIRE(pv::TypedTensor<S>);
    CHECK(pv::sum(x).rank() == 0);
    CHECK(pv::sum(x, 0, pv::keep_dims).shape() == pv::Shape{1, 3});
    CHECK(pv::rows(x)[1].shape() == pv::Shape{3});
    CHECK_THROWS_AS(x(0), pv::ShapeError);
    CHECK_THROWS_AS(x + pv::ones({4}), pv::ShapeError);
}

TEST_CASE("a symbol has no elements") {
    using D = pv::Symbol<double>;
    STATIC_REQUIRE_FALSE(std::ranges::range<D>);
    STATIC_REQUIRE_FALSE(HasItem<D>);
    STATIC_REQUIRE_FALSE(HasRead<D>);
    STATIC_REQUIRE_FALSE(std::convertible_to<D, pv::Tensor<double>>);
    STATIC_REQUIRE_FALSE(std::convertible_to<decltype(pv::sum(std::declval<D>())), double>);

    const auto x = pv::variable(pv::ones({2}), "w");
    const auto check = [](auto f) {
        CHECK_THROWS_AS(f(), pv::SymbolError);
        CHECK_THROWS_WITH(f(), Catch::Matchers::ContainsSubstring("call the computation"));
    };
    const auto out = pv::zeros({2});
    check([&] { pv::to_vector(x); });
    check([&] { pv::to_vector(x + 1); });
    check([&] { pv::copy(x, out); });
    check([&] { pv::tensor(x * 2); });
    check([&] { pv::as_reader(x); });
    check([&] { out(x > 0); });
    check([&] { text(pv::AnyTensor(x)); });
    check([&] { pv::AnyTensor(x(0)).item<double>(); });
    check([&] { pv::Tensor<double>((x + 1).operand())(0); });
    check([&] { pv::sum(pv::AnyTensor(x)); });
    check([&] { pv::Tensor<double>(pv::sum(x, 0).operand())(); });
    check([&] { pv::may_overlap(x, out); });
    CHECK_THROWS_WITH(
        pv::to_vector(x),
        "a symbol has no elements: call the computation (this one is a variable w of type float64 and shape [2]); "
        "where, maximum and minimum do what if, while and max of elements would");
    CHECK(x.is_read_only());
    CHECK_THROWS_AS(pv::fill(pv::AnyTensor(x), 1.0), pv::ReadOnlyError);
    CHECK(pv::to_vector(out) == Vector{0, 0});
}

TEST_CASE("symbols print what they are") {
    CHECK(text(pv::variable(pv::ones({2, 3}), "w")) == "#purview.symbol<float64>[2 3] variable w");
    CHECK(text(pv::constant(1)) == "#purview.symbol<int32>[] constant");
    CHECK(text(pv::sum(pv::constant(1) + 2)) == "#purview.symbol<int64>[]");
}

} // namespace symbol_test
