#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/fill_gaps.hpp>
#include <purview/functional/assembly/index_sets.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace fill_range_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

} // namespace

TEST_CASE("fill_range: no step is greater than it may be, and no number too many") {
    Random random(1);
    for (int round = 0; round < oracle::rounds(200); ++round) {
        std::vector<double> numbers = random.elements<double>(random.between(0, 20));
        const double most = static_cast<double>(random.between(1, 60)) / 4;
        const auto filled = pv::fill_range(pv::tensor(std::vector(numbers)), most);
        const auto values = pv::to_vector(filled.values);
        std::size_t given = 0;
        for (index_t i = 0; i < std::ssize(values); ++i) {
            const double value = values[static_cast<std::size_t>(i)];
            if (filled.added.contains(i)) continue;
            REQUIRE(given < numbers.size());
            CHECK(value == numbers[given]);
            if (given > 0) {
                const double span = value - numbers[given - 1];
                index_t before = i;
                while (filled.added.contains(before - 1)) --before;
                const index_t steps = i - before + 1;
                CHECK(steps == (span > most ? static_cast<index_t>(std::ceil(span / most)) : 1));
                for (index_t k = before; k < i; ++k)
                    CHECK(values[static_cast<std::size_t>(k)] ==
                          Catch::Approx(numbers[given - 1] +
                                        span * static_cast<double>(k - before + 1) /
                                            static_cast<double>(steps)));
            }
            ++given;
        }
        CHECK(given == numbers.size());
        CHECK(std::ssize(values) == filled.added.size() + std::ssize(numbers));
    }
}

TEST_CASE("fill_range: dtype-next's example, types, errors") {
    const auto filled = pv::tensor({1, 2, 5, 9}) | pv::fill_range(2);
    CHECK(pv::to_vector(filled.values) == std::vector{1.0, 2.0, 3.5, 5.0, 7.0, 9.0});
    CHECK(pv::to_vector(pv::indexes_of(filled.added)) == std::vector<std::int64_t>{2, 4});
    CHECK(pv::fill_range(pv::AnyTensor(pv::tensor({0.0F, 1.0F})), 0.25).values.size() == 5);
    CHECK(pv::fill_range(pv::tensor({5.0, 1.0, std::nan(""), 9.0}), 1).added.empty());
    const double inf = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(pv::fill_range(pv::tensor({0.0, inf}), 1),
                      ContainsSubstring("from 0 to inf at index 1"));
    CHECK_THROWS_AS(pv::fill_range(pv::tensor({0.0, 1e300}), 1), pv::ShapeError);
    CHECK_THROWS_WITH(pv::fill_range(pv::tensor({0.0, 1.0}), 0), ContainsSubstring("fill_range"));
    CHECK_THROWS_AS(pv::fill_range(pv::tensor({0.0, 1.0}), std::nan("")), pv::Error);
    CHECK_THROWS_AS(pv::fill_range(pv::zeros({2, 2}), 1), pv::ShapeError);
}

} // namespace fill_range_test
