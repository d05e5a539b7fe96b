#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_source.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>

#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/assembly/tile.hpp>
#include <purview/functional/assembly/triangle.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/complex_view.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pad_test {

namespace {

using namespace oracle;
using Catch::Matchers::ContainsSubstring;
using Numbers = std::vector<int>;

/// Where the element at `g` of a padded axis of `n` comes from; -1: from nowhere.
index_t place_of(pv::PadMode mode, index_t g, index_t n) {
    const auto around = [](index_t x, index_t period) { return ((x % period) + period) % period; };
    if (g >= 0 && g < n) return g;
    switch (mode) {
    case pv::PadMode::constant: return -1;
    case pv::PadMode::edge: return g < 0 ? 0 : n - 1;
    case pv::PadMode::wrap: return around(g, n);
    case pv::PadMode::symmetric: {
        const index_t place = around(g, 2 * n);
        return place < n ? place : 2 * n - 1 - place;
    }
    case pv::PadMode::reflect: {
        if (n == 1) return 0;
        const index_t place = around(g, 2 * n - 2);
        return place < n ? place : 2 * n - 2 - place;
    }
    }
    return -1;
}

template <typename T>
void check_pad(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Twin<T> x;
    do {
        x = random_source<T>(random, random.shape());
        random_view(random, x.real, x.naive, x.name);
    } while (x.naive.rank() > 4);
    const auto mode = static_cast<pv::PadMode>(random.between(0, 4));
    const T value = x.naive.size() > 0 ? T(x.naive.values[0]) : T{};
    pv::PadWidths widths;
    Coordinates shape = x.naive.shape;
    for (index_t& extent : shape) {
        // Of several axes, each a little: reading every element of the product one by one is what takes long.
        const index_t most = shape.size() > 2 ? 2 : 5;
        index_t before = random.between(-2, shape.size() == 1 && random.one_in(4) ? 200 : most);
        index_t after = random.between(-2, most);
        if (extent + std::min(before, index_t{0}) + std::min(after, index_t{0}) < 1 &&
            mode != pv::PadMode::constant)
            before = after = 0;
        if (extent == 0 && mode != pv::PadMode::constant) before = after = 0;
        if (extent + std::min(before, index_t{0}) + std::min(after, index_t{0}) < 0)
            before = after = 0;
        widths.push_back({before, after});
        extent += before + after;
    }
    const Oracle<T> naive = Oracle<T>::make(shape, [&](Coordinates g) {
        for (std::size_t a = 0; a < g.size(); ++a) {
            // What is cropped is gone before anything is repeated.
            const index_t front = std::max(index_t{0}, -widths[a].before);
            const index_t back = std::max(index_t{0}, -widths[a].after);
            const index_t n = x.naive.shape[a] - front - back;
            const index_t place = place_of(mode, g[a] - std::max(index_t{0}, widths[a].before), n);
            if (place < 0) return value;
            g[a] = place + front;
        }
        return T(x.naive.at(g));
    });
    INFO(x.name << " mode " << static_cast<int>(mode));
    expect_same(random, pv::pad(x.real, widths, mode, value), naive);
}

} // namespace

TEST_CASE("pad agrees with nested loops in every mode") {
    for (unsigned seed = 0; seed < oracle::rounds(525U); ++seed) {
        check_pad<double>(seed);
        check_pad<std::int16_t>(10'000 + seed);
        check_pad<float>(20'000 + seed);
        check_pad<std::string>(30'000 + seed);
    }
}

TEST_CASE("pad takes one width for all axes, as a stage too") {
    const auto x = pv::tensor({1, 2, 3});
    CHECK(pv::to_vector(x | pv::pad(1)) == Numbers{0, 1, 2, 3, 0});
    CHECK(pv::to_vector(x | pv::pad({{0, 2}}, pv::PadMode::edge)) == Numbers{1, 2, 3, 3, 3});
    CHECK(pv::to_vector(pv::pad(x, {{-1, 1}}, pv::PadMode::constant, 7)) == Numbers{2, 3, 7});
    CHECK(pv::to_vector(pv::pad(x, 2, pv::PadMode::reflect)) == Numbers{3, 2, 1, 2, 3, 2, 1});
    CHECK(pv::to_vector(pv::pad(x, 2, pv::PadMode::symmetric)) == Numbers{2, 1, 1, 2, 3, 3, 2});
    CHECK(pv::to_vector(pv::pad(x, 2, pv::PadMode::wrap)) == Numbers{2, 3, 1, 2, 3, 1, 2});
    CHECK((pv::ones({2, 3}) | pv::pad(1)).shape() == pv::Shape{4, 5});
    CHECK_THROWS_WITH(pv::pad(pv::ones({2, 3}), {{1, 1}, {0, 0}, {0, 0}}),
                      ContainsSubstring("pad: 3 widths are given for rank 2"));
    CHECK_THROWS_WITH(pv::pad(x, {{-2, -2}}),
                      ContainsSubstring("an axis of size 3 cannot lose 2 and 2 elements"));
    CHECK_THROWS_AS(pv::pad(x, {{-3, 1}}, pv::PadMode::edge), pv::ShapeError);
    CHECK_THROWS_AS(pv::pad(pv::tensor(std::vector<std::int8_t>{1}), 1, pv::PadMode::constant, 300),
                    pv::CastError);
    CHECK_THROWS_AS(pv::pad(x, {{INT64_MAX, INT64_MAX}}), pv::ShapeError);
}

TEST_CASE("tile, repeat and roll are NumPy's") {
    const auto x = pv::tensor({{1, 2}, {3, 4}});
    CHECK(pv::to_vector(x | pv::tile({2})) == Numbers{1, 2, 1, 2, 3, 4, 3, 4});
    CHECK((x | pv::tile({3, 1, 2})).shape() == pv::Shape{3, 2, 4});
    CHECK((x | pv::tile({0, 2})).shape() == pv::Shape{0, 4});
    CHECK(pv::to_vector(pv::repeat(x, 2, 1)) == Numbers{1, 1, 2, 2, 3, 3, 4, 4});
    CHECK(pv::to_vector(pv::repeat(x, 2, 0)) == Numbers{1, 2, 1, 2, 3, 4, 3, 4});
    CHECK((x | pv::repeat(0, 0)).shape() == pv::Shape{0, 2});
    CHECK(pv::to_vector(x | pv::roll(1, 1)) == Numbers{2, 1, 4, 3});
    CHECK(pv::to_vector(pv::roll(x, -1, 0)) == Numbers{3, 4, 1, 2});
    CHECK_THROWS_AS(pv::repeat(x, -1, 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::repeat(x, 2, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::tile(x, {-1}), pv::ShapeError);
}

TEST_CASE("triangles and diagonals agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed) {
        Random random(seed);
        Twin<double> x = random_source<double>(random, random.shape());
        random_view(random, x.real, x.naive, x.name);
        const index_t offset = random.between(-4, 4);
        const std::size_t rank = x.naive.rank();
        if (rank >= 2 && rank < 6) {
            const auto part = [&](bool upper) {
                return Oracle<double>::make(x.naive.shape, [&](const Coordinates& g) {
                    const index_t row = g[rank - 2], column = g[rank - 1];
                    const bool kept = upper ? row + offset <= column : row + offset >= column;
                    return kept ? double(x.naive.at(g)) : 0.0;
                });
            };
            expect_same(random, pv::triu(x.real, offset), part(true));
            expect_same(random, x.real | pv::tril(offset), part(false));
        }
        if (rank == 1) {
            const index_t side = x.naive.size() + std::abs(offset);
            expect_same(random, pv::diag(x.real, offset),
                        Oracle<double>::make({side, side}, [&](const Coordinates& g) {
                            const index_t at = offset < 0 ? g[1] : g[0];
                            return g[0] + offset == g[1] ? double(x.naive.at({at})) : 0.0;
                        }));
        }
    }
    CHECK(pv::to_vector(pv::diag(pv::tensor({{1, 2}, {3, 4}}))) == Numbers{1, 4});
    CHECK_THROWS_AS(pv::triu(pv::ones({3})), pv::ShapeError);
    CHECK_THROWS_AS(pv::diag(pv::ones({1, 1, 1})), pv::ShapeError);
}

TEST_CASE("a complex view is concat, stack and where in one") {
    const auto x = pv::tensor({1., 2., 3.});
    const auto y = pv::tensor({10., 20.});
    const auto interleaved = pv::complex_view(
        {5}, [](index_t i) { return i % 2; },
        std::pair(pv::Tensor<double>(x), [](index_t i) { return pv::Shape{i / 2}; }),
        std::pair(pv::Tensor<double>(y + 0.5), [](index_t i) { return pv::Shape{i / 2}; }));
    CHECK(pv::to_vector(interleaved) == std::vector{1., 10.5, 2., 20.5, 3.});
    y(0) = 0;
    CHECK(interleaved(1) == 0.5);
    const auto wrong = pv::complex_view(
        {2}, [](index_t i) { return i; },
        std::pair(pv::Tensor<double>(x), [](index_t) { return pv::Shape{3}; }));
    CHECK_THROWS_AS(pv::to_vector(wrong), pv::IndexError);
    CHECK_THROWS_WITH(wrong(1),
                      ContainsSubstring("complex_view: the selector names tensor 1 of 1"));
}

} // namespace pad_test
