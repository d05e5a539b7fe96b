#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/take.hpp>

#include <cstdint>
#include <vector>

namespace gathered_rows_test {

namespace {

using namespace oracle;
namespace pv = purview;

/// Sums of rows of a table, seen in some way, at indexes that may count from the end.
template <typename T>
void check(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const index_t height = random.between(1, 60);
    const index_t width = random.between(1, 40);
    pv::MutableTensor<T> whole = pv::empty<T>({2 * height + 1, width + 3});
    for (auto&& element : whole) element = random.element<T>();
    const auto rows = pv::range(1, 1 + 2 * height, random.one_in(2) ? 1 : 2);
    const auto columns = random.one_in(2) ? pv::range(0, width) : pv::range(2, 2 + width);
    const pv::Tensor<T> table = whole(rows, columns);
    const index_t extent = table.shape()[0];

    const index_t bags = random.between(0, 40);
    const index_t length = random.one_in(4) ? random.between(129, 1500) : random.between(0, 40);
    pv::MutableTensor<index_t> ids = pv::empty<index_t>({bags, length});
    const index_t least = random.one_in(2) ? 0 : -extent;
    for (auto&& id : ids) id = random.between(least, extent - 1);
    const bool computed = random.one_in(3);
    const pv::Tensor<index_t> at = computed ? pv::Tensor<index_t>(ids + 0) : ids;

    const auto sums = pv::sum(pv::take(table, at, 0), 1) | pv::clone;
    REQUIRE(sums.shape()[0] == bags);
    bool all = true;
    for (index_t b = 0; b < bags; ++b)
        for (index_t f = 0; f < width; ++f) {
            double sum = 0; // exact: small multiples of 1/4
            for (index_t s = 0; s < length; ++s) {
                const index_t id = ids(b, s);
                sum += static_cast<double>(table(id < 0 ? id + extent : id, f));
            }
            all = all && static_cast<double>(sums(b, f)) == sum;
        }
    CHECK(all);

    if (bags * length == 0) return;
    ids(bags - 1, length - 1) = random.one_in(2) ? extent : -extent - 1;
    CHECK_THROWS_AS(pv::sum(pv::take(table, at, 0), 1) | pv::clone, pv::IndexError);
}

} // namespace

TEST_CASE("sums of gathered rows are those of loops") {
    for (unsigned seed = 0; seed < rounds(60u); ++seed) {
        check<float>(seed);
        check<double>(seed);
        check<std::int64_t>(seed);
        check<std::uint64_t>(seed);
    }
}

} // namespace gathered_rows_test
