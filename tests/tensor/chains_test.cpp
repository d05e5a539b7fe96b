#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_operation.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>

namespace chains_test {

// Random chains of views and element-wise operations over every kind of source agree with nested
// loops, however they are read.

namespace {

using namespace oracle;

template <typename T>
Twin<T> random_chain(Random& random) {
    Twin<T> x = random_source<T>(random, random.shape());
    const index_t steps = random.between(1, 7);
    for (index_t i = 0; i < steps; ++i) {
        if (random.one_in(3) && x.naive.rank() < 7)
            random_operation(random, x);
        else
            random_view(random, x.real, x.naive, x.name);
    }
    return x;
}

template <typename T>
void run_chains(unsigned first_seed, unsigned count) {
    for (unsigned seed = first_seed; seed < first_seed + oracle::rounds(count); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        Twin<T> x;
        REQUIRE_NOTHROW(x = random_chain<T>(random));
        INFO(x.name);
        expect_same(random, x.real, x.naive);
    }
}

} // namespace

TEST_CASE("chains of views and operations agree with nested loops: float64") {
    run_chains<double>(0, 6000);
}
TEST_CASE("chains of views and operations agree with nested loops: int32") {
    run_chains<std::int32_t>(100'000, 5000);
}
TEST_CASE("chains of views and operations agree with nested loops: uint8") {
    run_chains<std::uint8_t>(200'000, 5000);
}

TEST_CASE("small tensors print what they hold") {
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const auto x = random_chain<std::int32_t>(random);
        INFO(x.name);
        if (x.naive.size() > 100) continue;
        std::vector<std::string> expected;
        for (const std::int32_t value : x.naive.values) expected.push_back(std::to_string(value));
        CHECK(printed_elements(x.real) == expected);
    }
}

} // namespace chains_test
