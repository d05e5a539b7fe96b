// Reducers of one's own in traced computations: stages that the library does not look into.
#include <support/catch.hpp>
#include <support/own_reducers.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace traced_reducers_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::digest_of;
using oracle::ends_of;
using oracle::spread_of;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("traced reducers: what is computed when called") {
    std::mt19937_64 random(1);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const index_t rows = 1 + static_cast<index_t>(random() % 7);
        const index_t columns = 1 + static_cast<index_t>(random() % 9);
        const auto x =
            pv::clone(pv::cast<double>(pv::reshape(pv::arange<std::int64_t>(rows * columns) *
                                                       static_cast<std::int64_t>(random() % 1000),
                                                   {rows, columns}) %
                                       50));
        const auto c = pv::computation(
            [](auto s) {
                const auto twice = s * 2.;
                const auto [of_all, mean] = pv::reduce(twice, spread_of(), pv::mean);
                const auto of_rows = pv::reduce(twice, {1}, spread_of(), pv::keep_dims);
                const auto ends = pv::reduce(twice, {0}, ends_of());
                return std::tuple(of_all + mean, of_rows / 2. + s, ends * 3.,
                                  pv::reduce(twice, digest_of<double>()));
            },
            pv::spec<double>({rows, columns}));
        const auto [number, of_rows, ends, digest] = c(x);
        const auto y = pv::clone(x * 2.);
        CHECK(number == pv::reduce(y, spread_of()) + pv::mean(y));
        CHECK(pv::equals(of_rows, pv::reduce(y, {1}, spread_of(), pv::keep_dims) / 2. + x));
        CHECK(pv::equals(ends, pv::reduce(y, {0}, ends_of()) * 3.));
        CHECK(digest == pv::reduce(y, digest_of<double>()));
    }
}

TEST_CASE("traced reducers: NaN, types, dims, sketches, sharing, text") {
    const auto x = pv::tensor({1., kNaN, 5.});
    const auto skips = pv::computation(
        [](auto s) { return pv::reduce(s, spread_of()(pv::skip_nan)); }, pv::spec<double>({3}));
    CHECK(skips(x) == 4);
    const auto distinct =
        pv::computation([](auto s) { return pv::reduce(s + 1, pv::approximate_distinct); },
                        pv::spec<std::int32_t>({4}));
    CHECK(distinct(pv::tensor({1, 2, 1, 1})) == 2);
    const auto spread = spread_of();
    const auto shared =
        pv::computation([&](auto s) { return pv::reduce(s, spread) + pv::reduce(s, spread); },
                        pv::spec<double>({3}));
    std::ostringstream text;
    text << shared;
    CHECK(text.str().find("spread") == text.str().rfind("spread")); // once
    CHECK(shared(pv::tensor({1., 4., 2.})) == 6);
    const auto [i, k] = pv::dims("i", "k");
    const auto by_dims =
        pv::computation([&](auto s) { return pv::order(pv::reduce(s(i, k), k, spread), i); },
                        pv::spec<double>({2, 3}));
    CHECK(pv::to_vector(by_dims(pv::tensor({{1., 4., 2.}, {3., 3., 9.}}))) == std::vector{3., 6.});
    CHECK_THROWS_AS(
        pv::computation([](auto s) { return pv::reduce(s, digest_of()); }, pv::spec<double>({3})),
        pv::DtypeError);
    CHECK_THROWS_AS(
        pv::computation([](auto s) { return pv::reduce(s, spread_of()(pv::throw_nan)); },
                        pv::spec<double>({3})),
        pv::SymbolError);
    const auto of_nothing = pv::computation([](auto s) { return pv::reduce(s, {1}, spread_of()); },
                                            pv::spec<double>({2, 0}));
    CHECK(std::isinf(of_nothing(pv::zeros<double>({2, 0})).read(0)));
}

TEST_CASE("traced reducers: no derivatives, but of what does not depend on them") {
    const auto traced = [](auto f) { return pv::computation(f, pv::spec<double>({3})); };
    const auto x = pv::tensor({1., 4., 2.});
    const auto through = traced([](auto s) { return pv::reduce(s, spread_of()) * pv::sum(s); });
    CHECK_THROWS_WITH(pv::gradient(through), ContainsSubstring("spread"));
    const auto beside =
        traced([](auto s) { return pv::stop_gradient(pv::reduce(s, spread_of())) * pv::sum(s); });
    CHECK(pv::to_vector(pv::gradient(beside)(x)) == std::vector{3., 3., 3.});
    const auto counts = traced([](auto s) {
        return pv::sum(s) * pv::cast<double>(pv::reduce(s, pv::approximate_distinct));
    });
    CHECK(pv::to_vector(pv::gradient(counts)(x)) == std::vector{3., 3., 3.});
}

TEST_CASE("traced reducers: saved under the name that register_reducer gives") {
    static const auto spread = pv::register_reducer("traced_reducers.spread", spread_of());
    static const auto ends = pv::register_reducer("traced_reducers.ends", ends_of());
    const auto c = pv::computation(
        [](auto s) {
            return std::tuple(pv::reduce(s, spread(pv::skip_nan)), pv::reduce(s * 2., {0}, ends));
        },
        pv::spec<double>({2, 2}));
    const auto x = pv::tensor({{1., 4.}, {kNaN, 2.}});
    for (const std::string& saved : {pv::computation_bytes(c), pv::computation_text(c)}) {
        const auto loaded = pv::computation_from(saved);
        const auto outputs = loaded({x});
        CHECK(pv::equals(outputs[0].as<double>(), pv::Tensor<double>(pv::tensor(3.))));
        CHECK(pv::to_shape(outputs[1].shape()) == pv::Shape{2, 2});
        CHECK(pv::computation_text(loaded) == pv::computation_text(c));
    }
    std::string text = pv::computation_text(c);
    const auto refused = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        const auto at = other.find(from);
        REQUIRE(at != std::string::npos);
        other.replace(at, from.size(), to);
        CHECK_THROWS_AS(pv::computation_from(other), pv::FormatError);
    };
    refused("traced_reducers.spread", "traced_reducers.other");
    refused("skip_nan 1", "skip_nan 3");
    refused("skip_nan 1", "skip_nan -1");
    const auto unnamed =
        pv::computation([](auto s) { return pv::reduce(s, spread_of()); }, pv::spec<double>({3}));
    CHECK_THROWS_WITH(pv::computation_text(unnamed), ContainsSubstring("register_reducer"));
    class Other final : public pv::StageFunction {
        std::string_view name() const noexcept override { return "other"; }
        std::vector<pv::ResultType> results(std::span<const pv::Operand>) const override {
            return {{pv::float64, {1}}};
        }
        void run(std::span<const pv::Operand>, std::span<void* const>) const override {}
        bool does_same(const pv::StageFunction& f) const noexcept override { return this == &f; }
    };
    const auto another = pv::computation(
        [](auto s) {
            const pv::Operand of = s.operand();
            return pv::ResultHandle<double, decltype(s)>(
                {pv::make_node<pv::OpaqueStage>(std::make_shared<const Other>(), std::vector{of}),
                 pv::Dimensions::row_major(pv::Shape{})});
        },
        pv::spec<double>({3}));
    CHECK_THROWS_WITH(pv::computation_text(another), ContainsSubstring("other"));
    CHECK_THROWS_AS(pv::register_reducer("traced_reducers.spread", spread_of()), pv::FormatError);
    CHECK_THROWS_AS(pv::register_reducer("", spread_of()), pv::FormatError);
}

} // namespace traced_reducers_test
