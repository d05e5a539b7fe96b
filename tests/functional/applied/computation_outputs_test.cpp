#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <tuple>
#include <utility>
#include <vector>

namespace computation_outputs_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;

Vector values(const auto& x) { return pv::to_vector(x); }

/// The powers x, x², … of a symbol.
template <typename X>
std::vector<X> powers(const X& x, int count) {
    std::vector<X> list{x};
    while (std::ssize(list) < count) list.push_back(list.back() * x);
    return list;
}

} // namespace

TEST_CASE("one of several outputs may be a list, wherever it stands") {
    const auto x = pv::tensor({1., 2.});
    const auto check = [&](const auto& loss, const auto& list, const auto& last) {
        CHECK(loss == 5);
        REQUIRE(list.size() == 3);
        CHECK(values(list[0]) == Vector{1, 2});
        CHECK(values(list[2]) == Vector{1, 8});
        CHECK(values(last) == Vector{-1, -2});
    };
    const auto spec = pv::spec<double>({2});
    const auto first = pv::computation(
        [](auto s) { return std::tuple(powers(s, 3), pv::sum(pv::sq(s)), -s); }, spec);
    const auto middle = pv::computation(
        [](auto s) { return std::tuple(pv::sum(pv::sq(s)), powers(s, 3), -s); }, spec);
    const auto last = pv::computation(
        [](auto s) { return std::tuple(pv::sum(pv::sq(s)), -s, powers(s, 3)); }, spec);
    const auto pair =
        pv::computation([](auto s) { return std::pair(pv::sum(pv::sq(s)), powers(s, 3)); }, spec);
    const auto alone = pv::computation([](auto s) { return std::tuple(powers(s, 3)); }, spec);
    {
        const auto [list, loss, negative] = first(x);
        check(loss, list, negative);
    }
    {
        const auto [loss, list, negative] = middle(x);
        check(loss, list, negative);
    }
    {
        const auto [loss, negative, list] = last(x);
        check(loss, list, negative);
    }
    {
        const auto [loss, list] = pair(x);
        check(loss, list, -x);
        CHECK(std::get<0>(alone(x)).size() == 3);
    }
    // called while another function is traced, loaded, and of numbers
    const auto outer = pv::computation(
        [&](auto s) {
            const auto [loss, list, negative] = middle(s * 1.0);
            return list[1] * loss + negative;
        },
        spec);
    CHECK(values(outer(x)) == Vector{4, 18});
    const auto loaded = pv::computation_from(pv::computation_bytes(middle))
                            .as<std::tuple<double, std::vector<pv::MutableTensor<double>>,
                                           pv::MutableTensor<double>>(double)>();
    {
        const auto [loss, list, negative] = loaded(x);
        check(loss, list, negative);
    }
    const auto of_numbers = pv::computation(
        [](auto s) {
            return std::pair(s, std::vector{pv::sum(s), pv::max(s)});
        },
        spec);
    CHECK(of_numbers(x).second == Vector{3, 2});
}

} // namespace computation_outputs_test
