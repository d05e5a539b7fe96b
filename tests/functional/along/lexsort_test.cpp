#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/lexsort.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

// numpy.lexsort, with its keys in the other order
namespace lexsort_test {

namespace {

namespace pv = purview;
using oracle::Random;
using Indexes = std::vector<std::int64_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Indexes sorted_by(std::initializer_list<pv::SortKey> columns) {
    return pv::to_vector(pv::lexsort(columns));
}

} // namespace

TEST_CASE("lexsort: the first column decides first") {
    const auto surname = pv::tensor<std::string>({"Hertz", "Galilei", "Hertz"});
    const auto name = pv::tensor<std::string>({"Heinrich", "Galileo", "Gustav"});
    CHECK(sorted_by({surname, name}) == Indexes{1, 2, 0}); // np.lexsort((name, surname))
    const auto a = pv::tensor({1, 5, 1, 4, 3, 4, 4});
    const auto b = pv::tensor({9, 4, 0, 4, 0, 2, 1});
    CHECK(sorted_by({a, b}) == Indexes{2, 0, 4, 6, 5, 3, 1}); // np.lexsort((b, a))
    CHECK(sorted_by({{a, pv::descending}, b}) == Indexes{1, 6, 5, 3, 4, 2, 0});
    CHECK(sorted_by({a, {b, pv::descending}}) == Indexes{0, 2, 4, 3, 5, 6, 1});
    CHECK(sorted_by({a}) == Indexes{0, 2, 4, 3, 5, 6, 1});
    CHECK(sorted_by({a - a, a | pv::flip(0)}) == Indexes{4, 6, 2, 0, 1, 3, 5}); // lazy ones, views
}

TEST_CASE(
    "lexsort: columns of types that are known at run time; NaN and NaT last in either order") {
    using Days = std::chrono::sys_days;
    const pv::AnyTensor x(pv::tensor({kNaN, 1.0, kNaN, 1.0, -0.0, 0.0}));
    const pv::AnyTensor day(
        pv::tensor({Days{}, pv::nat_value<Days>(), Days{} + std::chrono::days(1),
                    Days{} - std::chrono::days(1), Days{}, Days{}}));
    CHECK(sorted_by({x, day}) == Indexes{4, 5, 3, 1, 0, 2});
    CHECK(sorted_by({{x, pv::descending}, {day, pv::descending}}) == Indexes{3, 1, 4, 5, 2, 0});
    const std::vector<pv::SortKey> keys{x, day};
    CHECK(pv::to_vector(pv::lexsort(keys)) == Indexes{4, 5, 3, 1, 0, 2});
    CHECK(sorted_by({pv::zeros<double>({0}), pv::zeros<bool>({0})}).empty());
}

TEST_CASE("lexsort: as a stable sort of rows compared one by one") {
    Random random(51);
    for (int round = 0; round < 20; ++round) {
        const auto n = static_cast<std::size_t>(random.between(0, 300));
        std::vector<std::int32_t> a(n);
        std::vector<double> b(n);
        std::vector<std::string> c(n);
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = static_cast<std::int32_t>(random.between(-2, 2));
            b[i] = static_cast<double>(random.between(0, 3)) / 2;
            c[i] = std::string(static_cast<std::size_t>(random.between(0, 3)), 'x');
        }
        Indexes expected(n);
        std::iota(expected.begin(), expected.end(), 0);
        std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t p, std::int64_t q) {
            const auto i = static_cast<std::size_t>(p);
            const auto j = static_cast<std::size_t>(q);
            if (a[i] != a[j]) return a[i] > a[j];
            if (c[i] != c[j]) return c[i] < c[j];
            return b[i] < b[j];
        });
        CHECK(sorted_by({{pv::tensor(a), pv::descending}, pv::tensor(c), pv::tensor(b)}) ==
              expected);
    }
}

TEST_CASE("lexsort: refuses no columns, other lengths and ranks") {
    CHECK_THROWS_AS(pv::lexsort({}), pv::ShapeError);
    CHECK_THROWS_WITH(
        pv::lexsort({pv::zeros<double>({3}), pv::zeros<float>({2})}),
        "lexsort: column 1 has the shape [2], and the first one [3]: columns have one axis, of one length");
    CHECK_THROWS_AS(pv::lexsort({pv::zeros<double>({3, 1}), pv::zeros<float>({3, 1})}),
                    pv::ShapeError);
}

} // namespace lexsort_test
