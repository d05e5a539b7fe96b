#include "named_support.hpp"

#include <support/rounds.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace scatter_dims_test {

namespace {

using pv::index_t;

template <typename T>
std::vector<T> random_values(std::mt19937& random, index_t count, int least, int greatest) {
    std::vector<T> values;
    std::uniform_int_distribution<int> value(least, greatest);
    for (index_t i = 0; i < count; ++i) values.push_back(static_cast<T>(value(random)));
    return values;
}

/// E[r[i, k], c[k], f] = or += v[i, k, f], with random sizes.
template <typename T, typename I>
void check_scatter(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto size = [&](index_t least) {
        return std::uniform_int_distribution<index_t>(least, 5)(random);
    };
    const index_t rows = size(1), columns = size(1), width = size(0), is = size(0), ks = size(0);
    const auto r =
        random_values<I>(random, is * ks, -static_cast<int>(rows), static_cast<int>(rows) - 1);
    const auto c = random_values<I>(random, ks, 0, static_cast<int>(columns) - 1);
    const auto v = random_values<T>(random, is * ks * width, 0, 100);
    auto E = pv::tensor(random_values<T>(random, rows * columns * width, 0, 100),
                        {rows, columns, width});
    const bool adds = seed % 2 == 0;
    std::vector<T> loops = pv::to_vector(E);
    const auto [i, k, f] = pv::dims("i", "k", "f");
    const auto at = [](const auto& list, index_t n) { return list[static_cast<std::size_t>(n)]; };
    for (index_t a = 0; a < is; ++a)
        for (index_t b = 0; b < ks; ++b)
            for (index_t x = 0; x < width; ++x) {
                const index_t row = (at(r, a * ks + b) + rows) % rows;
                const auto to = static_cast<std::size_t>(
                    (row * columns + static_cast<index_t>(at(c, b))) * width + x);
                const T value = at(v, (a * ks + b) * width + x);
                loops[to] = adds ? static_cast<T>(loops[to] + value) : value;
            }
    const auto place = E(pv::tensor(r, {is, ks})(i, k), pv::tensor(c)(k), f);
    const auto values = pv::tensor(v, {is, ks, width})(i, k, f);
    if (adds)
        pv::add_to(place, values);
    else
        pv::assign(place, values);
    CHECK(pv::to_vector(E) == loops);
}

} // namespace

TEST_CASE("scatters over dims agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(600U); ++seed) {
        check_scatter<double, std::int64_t>(seed);
        check_scatter<float, std::int32_t>(1000 + seed);
        check_scatter<std::int32_t, std::int8_t>(2000 + seed);
        check_scatter<std::uint8_t, std::int16_t>(3000 + seed);
        check_scatter<bool, std::int32_t>(4001 + 2 * seed);
    }
}

TEST_CASE("the gradient of an embedding bag") {
    const auto ids = pv::tensor({{0, 2, 2}, {-1, 0, 1}});
    const auto gradient = counted({2, 4}) + 1.0;
    const auto [batch, sequence, features] = pv::dims("batch", "sequence", "features");
    auto table = pv::zeros({3, 4});
    // The values have no sequence: each bag's is added for all of its rows.
    pv::add_to(table(ids(batch, sequence), features), gradient(batch, features));
    auto loops = pv::zeros({3, 4});
    for (index_t b = 0; b < 2; ++b)
        for (index_t s = 0; s < 3; ++s)
            for (index_t f = 0; f < 4; ++f)
                loops((ids(b, s) + 3) % 3, f) = loops((ids(b, s) + 3) % 3, f) + gradient(b, f);
    CHECK(equal<double>(table, loops));
}

TEST_CASE("loops come to an element as often as they say") {
    const auto [i, k] = pv::dims("i", "k");
    i.set_size(4);
    const auto v = counted({4, 3}) + 1.0;
    auto a = pv::zeros({6});
    auto loops = pv::zeros({6});
    for (index_t x = 0; x < 4; ++x)
        for (index_t y = 0; y < 3; ++y) loops(x + y) = loops(x + y) + v(x, y);
    const auto values = v(i, k);
    pv::add_to(a(i + k), values); // windows
    CHECK(equal<double>(a, loops));
    pv::assign(a(i + k), values);
    CHECK(equal<double>(a, pv::tensor({1., 4., 7., 10., 11., 12.})));

    auto sums = pv::zeros({4});
    pv::add_to(sums(i), values); // a dim that only the values have
    CHECK(equal<double>(sums, pv::sum(v, 1)));
    pv::assign(sums(i), values);
    CHECK(equal<double>(sums, v(pv::all, 2)));
    auto total = pv::zeros({});
    pv::add_to(total, values);
    CHECK(total.item() == pv::sum(v));
    auto wide = pv::zeros({4, 3});
    pv::add_to(wide(i, k), counted({4})(i));
    pv::add_to(wide(i, k), 1);
    pv::add_to(wide(i, k), i * 2);
    for (index_t x = 0; x < 4; ++x)
        for (index_t y = 0; y < 3; ++y) CHECK(wide(x, y) == static_cast<double>(3 * x + 1));
    pv::assign(wide(i, pv::all), pv::tensor({1., 2., 3.})); // positional axes broadcast
    CHECK(wide(2, 1) == 2);
}

TEST_CASE("a scatter that fails writes nothing") {
    auto E = counted({4, 3});
    const auto before = pv::clone(E);
    const auto [i, f] = pv::dims("i", "f");
    const auto ids = pv::tensor({1, 0, 4});
    const auto values = pv::ones({3, 3});
    CHECK(message_of<pv::IndexError>([&] { pv::assign(E(ids(i), f), values(i, f)); }) ==
          "indexing: index 4 is out of range for axis 0, indexed over (i,), of size 4");
    CHECK(message_of<pv::CastError>([&] {
              auto small = pv::zeros<std::int8_t>({4});
              pv::assign(small(ids(i) - 1), 300.0 * i);
          }) != "nothing was thrown");
    const pv::MutableTensor<double> computed((E + 1.0).operand()); // which no function makes
    CHECK(message_of<pv::ReadOnlyError>([&] { pv::add_to(computed(ids(i) - 1, f), 1); }) ==
          "add_to: the destination is computed");
    CHECK(message_of<pv::ReadOnlyError>([&] { pv::assign(computed(i, f), 1); }) !=
          "nothing was thrown");
    CHECK(message_of<pv::ShapeError>([&] { pv::assign(E(ids(i) - 1, f), pv::ones({3})); }) ==
          "assign: shape [3] does not broadcast to shape []");
    const pv::Dim late("late");
    CHECK(message_of<pv::DimError>([&] { pv::assign(E(0, f), late); }) != "nothing was thrown");
    auto flags = pv::tensor({true, false});
    CHECK(message_of<pv::DtypeError>([&] {
              pv::add_to(flags(pv::tensor({0, 1})(pv::Dim())), true);
          }) != "nothing was thrown");
    CHECK(equal<double>(E, before));
}

TEST_CASE("scatters of more than a block agree with loops") {
    std::mt19937 random(3);
    constexpr index_t kCount = 10'000, kPlaces = 37;
    const auto ids = pv::tensor(random_values<index_t>(random, kCount, 0, kPlaces - 1));
    const auto signed_ids =
        pv::tensor(random_values<index_t>(random, kCount, -kPlaces, kPlaces - 1));
    const auto values = pv::tensor(random_values<double>(random, kCount, 0, 9));
    const pv::Dim i("i");
    for (const auto& at : {ids, signed_ids, pv::clone(ids + 0)}) {
        std::vector<double> counts(kPlaces), sums(kPlaces), squares(kPlaces), last(kPlaces, -1);
        for (index_t n = 0; n < kCount; ++n) {
            const index_t id = at(n);
            const auto to = static_cast<std::size_t>(id < 0 ? id + kPlaces : id);
            counts[to] += 1;
            sums[to] += values(n);
            squares[to] += values(n) * values(n);
            last[to] = values(n);
        }
        const auto made = [&](auto write) {
            auto result = pv::zeros(pv::Shape{kPlaces});
            write(result);
            return pv::to_vector(result);
        };
        CHECK(made([&](auto& x) { x(at(i)) += 1.0; }) == counts);
        CHECK(made([&](auto& x) { x(at(i)) += values(i); }) == sums);
        CHECK(made([&](auto& x) { x(at(i)) += values(i) * values(i); }) == squares);
        CHECK(made([&](auto& x) {
                  pv::fill(x, -1.0);
                  x(at(i)) = values(i) + 0.0;
              }) == last);
        // Every second element of memory, from the end.
        CHECK(made([&](auto& x) {
                  auto wide = pv::zeros(pv::Shape{2 * kPlaces});
                  auto view = pv::flip(wide(pv::range(0, 2 * kPlaces, 2)), 0);
                  view(at(i)) += values(i);
                  pv::copy(view, x);
              }) == sums);
    }
}

TEST_CASE("scatters read what they are about to write first") {
    // Places that are themselves the indexes, and values that are the places.
    auto ids = pv::tensor(std::vector<index_t>{1, 2, 3, 0, 1});
    const pv::Dim i("i");
    ids(ids(i)) = pv::tensor(std::vector<index_t>{4, 3, 2, 1, 0})(i);
    CHECK(pv::to_vector(ids) == std::vector<index_t>{1, 0, 3, 2, 1});
    auto x = counted({5000});
    const auto reversed = pv::clone(4999 - pv::arange(5000));
    const pv::Dim n("n");
    x(reversed(n)) += x(n) * 2.0;
    for (const index_t at : {0, 1, 2499, 2500, 4999})
        CHECK(x(at) == static_cast<double>(at + 2 * (4999 - at)));
}

TEST_CASE("a large scatter that fails writes nothing") {
    constexpr index_t kCount = 9'000;
    auto ids = pv::clone(pv::arange(kCount) % 10);
    const pv::Dim i("i");
    auto x = counted({10});
    const auto before = pv::to_vector(x);
    for (const index_t wrong : {index_t{10}, index_t{-11}, std::numeric_limits<index_t>::max(),
                                std::numeric_limits<index_t>::min()}) {
        ids(kCount - 1) = wrong;
        CHECK_THROWS_AS(x(ids(i)) += 1.0, pv::IndexError);
        CHECK_THROWS_AS(x(ids(i)) = pv::cast<double>(ids(i)), pv::IndexError);
        CHECK(pv::to_vector(x) == before);
    }
    ids(kCount - 1) = 0;
    auto whole = pv::zeros<std::int64_t>({10});
    const auto divisors = pv::clone(kCount - 1 - pv::arange(kCount)); // the last is 0
    CHECK_THROWS_AS(whole(ids(i)) += 7 / divisors(i), pv::ArithmeticError);
    auto bytes = pv::zeros<std::uint8_t>({10});
    CHECK_THROWS_AS(bytes(ids(i)) += pv::arange(kCount)(i), pv::CastError);
    CHECK(pv::to_vector(whole) == std::vector<std::int64_t>(10));
    CHECK(pv::to_vector(bytes) == std::vector<std::uint8_t>(10));
}

TEST_CASE("a late index out of range leaves the destination as it was, and what lies beside it") {
    std::mt19937 random(5);
    constexpr index_t kCount = 12'000, kPlaces = 40;
    const pv::Dim i("i"), f("f");
    const auto values = pv::tensor(random_values<double>(random, kCount, -9, 9));
    const auto rows = pv::tensor(random_values<double>(random, 3 * kCount, -9, 9), {kCount, 3});
    for (const index_t least : {index_t{0}, -kPlaces}) {
        auto ids = pv::tensor(random_values<index_t>(random, kCount, static_cast<int>(least),
                                                     static_cast<int>(kPlaces) - 1));
        for (const index_t wrong_at : {kCount - 1, kCount / 2, index_t{0}}) {
            const index_t right = ids(wrong_at);
            ids(wrong_at) = kPlaces;
            auto memory = counted({kPlaces + 2});
            auto table = counted({kPlaces + 2, 3});
            const auto part = memory(pv::range(1, kPlaces + 1));
            const auto lines = table(pv::range(1, kPlaces + 1));
            auto none = pv::zeros(pv::Shape{0});
            CHECK_THROWS_AS(pv::add_to(part(ids(i)), values(i)), pv::IndexError);
            CHECK_THROWS_AS(pv::add_to(part(ids(i)), values(i) * 2.0 + 1.0), pv::IndexError);
            CHECK_THROWS_AS(pv::assign(part(ids(i)), values(i)), pv::IndexError);
            CHECK_THROWS_AS(pv::minimum_at(pv::take(part, ids), values), pv::IndexError);
            CHECK_THROWS_AS(pv::add_to(pv::take(lines, ids, 0), rows), pv::IndexError);
            CHECK_THROWS_AS(pv::assign(lines(ids(i), f), rows(i, f)), pv::IndexError);
            CHECK_THROWS_AS(pv::add_to(none(ids(i)), values(i)), pv::IndexError);
            CHECK(equal<double>(memory, counted({kPlaces + 2})));
            CHECK(equal<double>(table, counted({kPlaces + 2, 3})));
            ids(wrong_at) = right;
        }
        auto table = pv::zeros({kPlaces, 3});
        std::vector<double> loops(3 * kPlaces);
        for (index_t n = 0; n < kCount; ++n)
            for (index_t c = 0; c < 3; ++c)
                loops[static_cast<std::size_t>((ids(n) + kPlaces) % kPlaces * 3 + c)] += rows(n, c);
        pv::add_to(pv::take(table, ids, 0), rows);
        CHECK(pv::to_vector(table) == loops);
    }
}

} // namespace scatter_dims_test
