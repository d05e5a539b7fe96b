#include "sparse_oracle.hpp"

#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <string>

namespace convert_test {

namespace {

namespace pv = purview;
using oracle::Entries;
using oracle::entries_of;
using oracle::index_t;
using oracle::Random;

template <typename T, typename I>
void check_conversions(Random& random, index_t rows, index_t columns, index_t stored) {
    const auto coo = oracle::random_coo<T, I>(random, rows, columns, stored);
    CAPTURE(rows, columns, coo.stored());
    const Entries<T> expected = entries_of(coo);
    const auto csr = coo | pv::to_csr;
    CHECK(entries_of(csr) == expected);
    CHECK(csr.stored() == std::ssize(expected));
    CHECK(entries_of(pv::to_csc(coo)) == expected);
    CHECK(entries_of(csr | pv::to_csc) == expected);
    CHECK(entries_of(pv::to_csr(pv::to_csc(csr))) == expected);
    CHECK(entries_of(pv::to_csr(pv::to_coo(csr))) == expected);
    CHECK(entries_of(pv::to_coo(pv::to_csc(csr))) == expected);
    CHECK(pv::to_csr(csr).raw().values == csr.raw().values);
    CHECK(entries_of(coo | pv::to_csr(pv::Duplicates::last)) ==
          entries_of(coo, pv::Duplicates::last));
    if (coo.stored() > csr.stored())
        CHECK_THROWS_AS(pv::to_csr(coo, pv::Duplicates::error), pv::IndexError);
    else
        CHECK(entries_of(pv::to_csc(coo, pv::Duplicates::error)) == expected);
}

} // namespace

TEMPLATE_TEST_CASE("conversions agree with a map of places", "", bool, std::int8_t, std::uint16_t,
                   std::int32_t, float, double) {
    Random random(11);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t rows = random.between(0, 12);
        const index_t columns = random.between(0, 12);
        check_conversions<TestType, index_t>(random, rows, columns, random.between(0, 60));
        check_conversions<TestType, std::int32_t>(random, rows, columns, random.between(0, 20));
    }
    // Rows of 0 to 40 entries: each of the ways in which a row is sorted.
    for (index_t columns : {10, 20, 40, 1000})
        check_conversions<TestType, std::int32_t>(random, 5, columns, 5 * columns / 2);
}

TEST_CASE("conversions of what does not fit a cache", "[sparse]") {
    Random random(12);
    check_conversions<double, std::int32_t>(random, 3000, 5000, 40'000);
    check_conversions<std::int8_t, index_t>(random, 200'003, 7, 50'000);
    check_conversions<float, index_t>(random, 3, 100'000, 40'000);
}

TEST_CASE("dense memory of a sparse matrix") {
    Random random(13);
    const auto coo = oracle::random_coo<int, index_t>(random, 4, 5, 9);
    const Entries<int> entries = entries_of(coo);
    const auto dense = pv::to_tensor(coo);
    REQUIRE(dense.shape() == pv::Shape{4, 5});
    for (index_t r = 0; r < 4; ++r)
        for (index_t c = 0; c < 5; ++c) {
            const auto at = entries.find({r, c});
            CHECK(dense.read(r * 5 + c) == (at == entries.end() ? 0 : at->second));
        }
    CHECK(pv::all_of(pv::to_tensor(pv::to_csc(coo)) == dense));
}

TEST_CASE("coordinates are validated, and duplicates places named") {
    using V = std::vector<index_t>;
    const auto made = [](index_t rows, index_t columns, V r, V c, index_t values) {
        return pv::CooMatrix<double>(rows, columns, pv::tensor(std::move(r)),
                                     pv::tensor(std::move(c)), pv::ones({values}));
    };
    using Catch::Matchers::Message;
    CHECK_THROWS_MATCHES(made(2, 3, {0, 2}, {0, 0}, 2), pv::IndexError,
                         Message("CooMatrix: row 2 at position 1 is out of range for 2"));
    CHECK_THROWS_MATCHES(made(2, 3, {0, 1}, {-4, 0}, 2), pv::IndexError,
                         Message("CooMatrix: column -4 at position 0 is out of range for 3"));
    CHECK_THROWS_MATCHES(made(2, 3, {0}, {0, 1}, 2), pv::ShapeError,
                         Message("CooMatrix: 1 row indices, 2 column indices and 2 values"));
    CHECK_THROWS_AS(made(-2, 3, {}, {}, 0), pv::ShapeError);
    CHECK_THROWS_MATCHES(pv::to_csr(made(2, 3, {1, 0, 1}, {2, 0, 2}, 3), pv::Duplicates::error),
                         pv::IndexError, Message("compress: [1 2] comes more than once"));
    CHECK_THROWS_MATCHES(pv::to_csc(made(2, 3, {1, 0, 1}, {2, 0, 2}, 3), pv::Duplicates::error),
                         pv::IndexError, Message("compress: [1 2] comes more than once"));
    CHECK(pv::to_csr(pv::CooMatrix<float>()).stored() == 0);
}

} // namespace convert_test
