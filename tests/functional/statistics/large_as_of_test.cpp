#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace large_as_of_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::Twins;
using pv::AsOf;
using pv::AsOfOptions;
using pv::index_t;

constexpr AsOf kDirections[] = {AsOf::backward, AsOf::forward, AsOf::nearest};

template <typename T>
T key_of(index_t n) {
    if constexpr (std::is_same_v<T, sys_seconds>)
        return sys_seconds(seconds(n));
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(n) / T{4};
    else
        return static_cast<T>(n);
}

/// Ascending keys, at most so many apart; equal ones follow each other.
template <typename T>
Twins<T> keys(Random& random, index_t rows, index_t chunk, index_t apart) {
    index_t key = std::is_unsigned_v<T> ? 0 : random.between(-100, 100);
    return Twins<T>({rows}, {chunk}, [&](index_t) {
        if (random.between(0, 2) > 0) key += random.between(0, apart);
        return key_of<T>(key);
    });
}

/// Checks the call beside that on memory for each direction, and that each chunk is read once, or twice for the nearest.
template <typename L, typename R>
void check(const Twins<L>& left, const Twins<R>& right, index_t bytes, AsOfOptions options = {},
           AsOfOptions options_memory = {}) {
    const auto chunks = [](const auto& side) { return static_cast<int>(side.stored->count()); };
    for (const AsOf direction : kDirections)
        for (const bool exact : {true, false}) {
            options.direction = options_memory.direction = direction;
            options.allow_exact_matches = options_memory.allow_exact_matches = exact;
            INFO("direction " << static_cast<int>(direction) << ", exact " << exact << ", " << bytes
                              << " bytes");
            const auto expected =
                pv::to_vector(pv::as_of(left.memory, right.memory, options_memory));
            const MemoryLimit limit(bytes);
            left.forget();
            right.forget();
            const auto made = pv::as_of(left.chunks, right.chunks, options);
            const int walks = direction == AsOf::nearest ? 2 : 1;
            CHECK(left.stored->reads <= walks * chunks(left));
            CHECK(right.stored->reads <= walks * chunks(right));
            CHECK(pv::chunk_statistics().peak_bytes <= bytes);
            CHECK(made.operand().node->reads(pv::Below::blocks) ==
                  (8 * left.memory.size() > bytes));
            CHECK((pv::to_vector(made) == expected));
        }
}

template <typename L, typename R>
void check_types(Random& random, AsOfOptions options = {}) {
    for (const index_t bytes : {1 << 15, 1 << 17}) {
        const auto left = keys<L>(random, random.between(9'000, 20'000), 300, 4);
        const auto right = keys<R>(random, random.between(9'000, 20'000), 250, 5);
        check(left, right, bytes, options, options);
    }
}

} // namespace

TEST_CASE("large as_of: types, tolerances") {
    Random random(11);
    check_types<std::int64_t, std::int64_t>(random);
    check_types<std::int64_t, std::int64_t>(random, {.tolerance = 2});
    check_types<double, double>(random, {.tolerance = 0.5});
    check_types<float, double>(random);
    check_types<std::int32_t, std::int64_t>(random, {.tolerance = 0});
    check_types<std::uint64_t, std::uint32_t>(random);
    check_types<sys_seconds, sys_seconds>(random, {.tolerance = milliseconds(1'500)});
}

TEST_CASE("large as_of: one side long, or in memory, or empty; lazy keys") {
    Random random(12);
    check(keys<std::int64_t>(random, 30'000, 500, 3), keys<std::int64_t>(random, 40, 10, 3'000),
          1 << 16);
    check(keys<std::int64_t>(random, 30, 10, 3'000), keys<std::int64_t>(random, 30'000, 500, 3),
          1 << 16);
    const auto a = keys<double>(random, 20'000, 500, 3);
    const auto b = keys<double>(random, 20'000, 400, 3);
    const auto none = pv::zeros<double>({0});
    for (const AsOf direction : kDirections) {
        const AsOfOptions options{.direction = direction};
        const auto same = [&](const auto& left, const auto& right, const auto& left_memory,
                              const auto& right_memory) {
            const auto expected = pv::to_vector(pv::as_of(left_memory, right_memory, options));
            const MemoryLimit limit(1 << 16);
            CHECK((pv::to_vector(pv::as_of(left, right, options)) == expected));
            CHECK(pv::chunk_statistics().peak_bytes <= 1 << 16);
        };
        same(a.chunks, b.memory, a.memory, b.memory);
        same(a.memory, b.chunks, a.memory, b.memory);
        same(a.chunks, none, a.memory, none);
        same(none, b.chunks, none, b.memory);
        same(a.chunks * 2 + 1, -b.chunks | pv::flip(0), a.memory * 2 + 1, -b.memory | pv::flip(0));
        same(a.chunks(pv::range(7, 15'001)), b.chunks(pv::range(0, 20'000, 3)),
             a.memory(pv::range(7, 15'001)), b.memory(pv::range(0, 20'000, 3)));
    }
}

TEST_CASE("large as_of: groups by columns in chunks, in memory, of several types") {
    Random random(13);
    const index_t rows = 15'000;
    const auto left = keys<std::int64_t>(random, rows, 300, 3);
    const auto right = keys<std::int64_t>(random, rows + 2'000, 250, 3);
    const auto number = [&](index_t distinct) {
        return [&random, distinct](index_t) { return random.between(0, distinct); };
    };
    const Twins<std::int64_t> a({rows}, {300}, number(40));
    const Twins<std::int32_t> x({rows + 2'000}, {500},
                                [&](index_t) { return static_cast<int>(random.between(0, 50)); });
    const auto real = [&](index_t) {
        const index_t n = random.between(0, 4);
        return n == 0   ? -0.0
               : n == 1 ? 0.0
               : n == 2 ? std::numeric_limits<double>::quiet_NaN()
                        : 0.5;
    };
    const Twins<double> b({rows}, {400}, real);
    const Twins<double> y({rows + 2'000}, {250}, real);
    const auto time = [&](index_t) {
        const index_t n = random.between(0, 3);
        return n == 0 ? pv::nat_value<sys_days>() : sys_days(days(n));
    };
    const Twins<sys_days> c({rows}, {400}, time);
    const Twins<sys_days> z({rows + 2'000}, {250}, time);
    const auto word = [](index_t count) {
        std::vector<std::string> words;
        for (index_t i = 0; i < count; ++i) words.push_back(std::to_string(i * i % 7));
        return pv::tensor(words);
    };
    const auto s = word(rows);
    const auto t = word(rows + 2'000);
    for (const index_t bytes : {1 << 16, 3 << 16}) {
        check(left, right, bytes, {.left_by = a.chunks, .right_by = x.chunks},
              {.left_by = a.memory, .right_by = x.memory});
        check(left, right, bytes, {.left_by = {a.memory}, .right_by = {x.chunks + 1}},
              {.left_by = {a.memory}, .right_by = {x.memory + 1}});
        check(left, right, 4 * bytes,
              {.tolerance = 9,
               .left_by = {a.chunks, b.chunks, c.chunks},
               .right_by = {x.chunks, y.chunks, z.chunks}},
              {.tolerance = 9,
               .left_by = {a.memory, b.memory, c.memory},
               .right_by = {x.memory, y.memory, z.memory}});
    }
    check(left, right, 3 << 17, {.left_by = {a.chunks, s}, .right_by = {x.chunks, t}},
          {.left_by = {a.memory, s}, .right_by = {x.memory, t}});
    // as many groups as rows
    const Twins<std::int64_t> each({rows}, {300}, [](index_t i) { return i; });
    const Twins<std::int64_t> other({rows + 2'000}, {250}, [](index_t i) { return i / 2 * 3; });
    check(left, right, 3 << 20, {.left_by = each.chunks, .right_by = other.chunks},
          {.left_by = each.memory, .right_by = other.memory});
    const MemoryLimit limit(1 << 17);
    CHECK_THROWS_AS(
        pv::as_of(left.chunks, right.chunks, {.left_by = each.chunks, .right_by = other.chunks}),
        pv::MemoryLimitError);
    CHECK_THROWS_WITH(
        pv::as_of(left.chunks, right.chunks, {.left_by = each.chunks, .right_by = other.chunks}),
        Catch::Matchers::StartsWith("as_of: ") && Catch::Matchers::ContainsSubstring("groups") &&
            Catch::Matchers::ContainsSubstring("131072 bytes"));
    CHECK(pv::chunk_statistics().peak_bytes <= 1 << 17);
}

TEST_CASE("large as_of: keys that descend, or are none, as in memory") {
    Random random(14);
    const auto with = [](index_t rows, std::vector<std::pair<index_t, double>> others) {
        return Twins<double>({rows}, {300}, [&](index_t i) {
            for (const auto& [row, value] : others)
                if (row == i) return value;
            return static_cast<double>(i);
        });
    };
    const auto good = with(12'000, {});
    const double nan = std::nan("");
    for (const AsOf direction : kDirections) {
        const auto message = [&](const auto& left, const auto& right) {
            try {
                pv::as_of(left, right, {.direction = direction});
            } catch (const pv::Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        const auto same = [&](const Twins<double>& left, const Twins<double>& right) {
            const std::string expected = message(left.memory, right.memory);
            CHECK(!expected.empty());
            const MemoryLimit limit(1 << 15);
            CHECK(message(left.chunks, right.chunks) == expected);
        };
        for (const index_t row : {index_t{1}, index_t{299}, index_t{300}, index_t{11'999}}) {
            same(with(12'000, {{row, -1}}), good);
            same(good, with(12'000, {{row, nan}, {7'000, -2}}));
        }
        for (int round = 0; round < 5; ++round)
            same(with(12'000, {{random.between(1, 11'999), -1}, {random.between(0, 11'999), nan}}),
                 with(12'000, {{random.between(1, 11'999), -1}}));
        // behind all keys on the left
        same(with(3'000, {}), with(20'000, {{19'000, nan}}));
        same(with(3'000, {}), with(20'000, {{0, nan}}));
    }
}

} // namespace large_as_of_test
