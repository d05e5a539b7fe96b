#include <purview/purview.hpp>

#include <support/catch.hpp>

#include <concepts>

// Stages that are composed before there is a tensor.

namespace stage_test {

namespace {

namespace pv = purview;

TEST_CASE("a composed stage is kept, and applied again and again") {
    const auto f = pv::sum(0) | pv::clone;
    const auto x = pv::ones({2, 3}) | f;
    CHECK(pv::equals(x, pv::tensor({2., 2., 2.})));
    CHECK(pv::equals(pv::tensor({{1, 2}, {3, 4}}) | f, pv::tensor({4, 6})));
    CHECK(pv::equals(f(pv::ones({4, 1})), pv::tensor({4.})));
}

TEST_CASE("composed stages are composed") {
    const auto f = pv::sum(0) | pv::clone;
    const auto g = f | pv::flip(0);
    const auto three = pv::sum(0) | g;
    const auto both = g | f;
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
    CHECK(pv::equals(x | g, pv::tensor({6., 4.})));
    CHECK(pv::equals(pv::stack({x, x}, 0) | three, pv::tensor({12., 8.})));
    CHECK((x | both).item() == 10);
}

TEST_CASE("a composed stage takes what its parts take") {
    const auto f = pv::sum(0) | pv::clone;
    using F = decltype(f);
    static_assert(std::invocable<F, pv::Tensor<double>>);
    static_assert(std::invocable<F, pv::AnyTensor>);
    static_assert(!std::invocable<F, int>);
    const auto any = pv::AnyTensor(pv::ones({2, 3})) | f;
    CHECK(pv::equals(any.as<double>(), pv::tensor({2., 2., 2.})));
}

} // namespace

} // namespace stage_test
