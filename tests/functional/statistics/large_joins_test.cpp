#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <chrono>
#include <complex>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace large_joins_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::Threads;
using oracle::Twins;
using pv::index_t;
using pv::JoinKind;

constexpr JoinKind kKinds[] = {JoinKind::inner, JoinKind::left, JoinKind::right,
                               JoinKind::outer, JoinKind::semi, JoinKind::anti};
constexpr index_t kAll = index_t{1} << 32;

bool same(const pv::JoinedRows& a, const pv::JoinedRows& b) {
    return pv::to_vector(a.left) == pv::to_vector(b.left) &&
           pv::to_vector(a.right) == pv::to_vector(b.right);
}

/// Checks joins beside those on memory, for several limits and numbers of threads.
void check(const pv::KeyColumns& left, const pv::KeyColumns& right,
           const pv::KeyColumns& left_memory, const pv::KeyColumns& right_memory,
           const std::vector<index_t>& limits,
           const std::vector<JoinKind>& kinds = {std::begin(kKinds), std::end(kKinds)}) {
    for (const JoinKind kind : kinds) {
        const pv::JoinedRows expected = pv::join(left_memory, right_memory, kind);
        for (const index_t bytes : limits)
            for (const int count : {1, 4}) {
                if (count == 1 && kind != JoinKind::outer) continue; // which has all rows
                INFO("kind " << static_cast<int>(kind) << ", " << bytes << " bytes, " << count
                             << " threads");
                const MemoryLimit limit(bytes);
                const Threads threads(count);
                const pv::JoinedRows made = pv::join(left, right, kind);
                CHECK(pv::chunk_statistics().peak_bytes <= bytes);
                CHECK(same(made, expected));
            }
    }
}
template <typename L, typename R>
void check(const Twins<L>& left, const Twins<R>& right, const std::vector<index_t>& limits,
           const std::vector<JoinKind>& kinds = {std::begin(kKinds), std::end(kKinds)}) {
    check(left.chunks, right.chunks, left.memory, right.memory, limits, kinds);
}

template <typename T>
T key_of(index_t n) {
    if constexpr (std::is_same_v<T, sys_seconds>)
        return n == 0 ? pv::nat_value<sys_seconds>() : sys_seconds(seconds(n * 60));
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return {static_cast<double>(n % 50), static_cast<double>(n / 50)};
    else if constexpr (std::is_floating_point_v<T>)
        return n == 0   ? -T{0}
               : n == 1 ? std::numeric_limits<T>::quiet_NaN()
                        : static_cast<T>(n - 20) / T{4};
    else
        return static_cast<T>(n);
}

/// Rows of which so many are distinct.
template <typename L, typename R>
void check_types(index_t left_rows, index_t right_rows, index_t distinct, index_t step,
                 const std::vector<index_t>& limits,
                 const std::vector<JoinKind>& kinds = {std::begin(kKinds), std::end(kKinds)}) {
    INFO(pv::kDType<L>.name() << " beside " << pv::kDType<R>.name());
    Random random(3);
    const auto number = [&] { return random.between(0, distinct) * step; };
    check(Twins<L>({left_rows}, {1500}, [&](index_t) { return key_of<L>(number()); }),
          Twins<R>({right_rows}, {1200}, [&](index_t) { return key_of<R>(number()); }), limits,
          kinds);
}

TEST_CASE("large joins: close together and far apart") {
    for (const index_t step : {index_t{1}, index_t{1'000'003}}) {
        check_types<std::int64_t, std::int64_t>(20'000, 17'000, 10'000, step,
                                                {1 << 18, 1 << 20, kAll});
        check_types<std::int64_t, std::int64_t>(24'000, 1'500, 2'500, step, {1 << 17, 1 << 19});
        check_types<std::int64_t, std::int64_t>(450, 27'000, 13'000, step, {1 << 17, 1 << 19});
    }
}

TEST_CASE("large joins: many matches for each row") {
    check_types<std::int64_t, std::int64_t>(15'000, 8'000, 300, 7, {1 << 18, 1 << 19});
}

TEST_CASE("large joins: types") {
    const std::vector<index_t> limits{1 << 18, 1 << 20};
    const std::vector<JoinKind> kinds{JoinKind::outer, JoinKind::anti};
    check_types<double, double>(20'000, 15'000, 5'000, 1, limits, kinds);
    check_types<float, double>(30'000, 15'000, 5'000, 1, limits, kinds);
    check_types<std::int64_t, double>(20'000, 15'000, 5'000, 1, limits, kinds);
    check_types<std::uint64_t, std::int64_t>(20'000, 15'000, 5'000, 1, limits, kinds);
    check_types<std::int32_t, std::int16_t>(60'000, 15'000, 5'000, 1, limits, kinds);
    check_types<sys_seconds, sys_seconds>(20'000, 15'000, 5'000, 1, limits, kinds);
    check_types<std::complex<double>, double>(15'000, 15'000, 5'000, 1, limits, kinds);
}

TEST_CASE("large joins: several columns") {
    Random random(5);
    const auto key = [&](index_t distinct, index_t step) {
        return [&random, distinct, step](index_t) { return random.between(0, distinct) * step; };
    };
    const Twins<std::int64_t> a({20'000}, {1500}, key(200, 1'000'000'007));
    const Twins<std::int64_t> b({20'000}, {1000}, key(300, 0x0123'4567'89ab));
    const Twins<double> c({20'000}, {1500},
                          [&](index_t) { return key_of<double>(random.between(0, 3)); });
    const Twins<std::int64_t> x({15'000}, {1500}, key(200, 1'000'000'007));
    const Twins<std::int64_t> y({15'000}, {1500}, key(300, 0x0123'4567'89ab));
    const Twins<double> z({15'000}, {500},
                          [&](index_t) { return key_of<double>(random.between(0, 3)); });
    check({a.chunks, b.chunks}, {x.chunks, y.chunks}, {a.memory, b.memory}, {x.memory, y.memory},
          {1 << 18, 1 << 20, kAll});
    check({a.chunks, b.chunks, c.chunks}, {x.chunks, y.chunks, z.chunks},
          {a.memory, b.memory, c.memory}, {x.memory, y.memory, z.memory}, {1 << 18, 1 << 20});
}

TEST_CASE("large joins: a side in memory, lazy, a view, or empty") {
    const Twins<std::int64_t> left({20'000}, {1000}, [](index_t i) { return i * 7919 % 7'001; });
    const Twins<std::int64_t> right({17'000}, {1000}, [](index_t i) { return i * 31 % 7'001; });
    const std::vector<index_t> limits{1 << 18, 1 << 20};
    check(left.chunks, right.memory, left.memory, right.memory, limits);
    check(left.memory, right.chunks, left.memory, right.memory, limits);
    check(left.chunks * 3 + 1, right.chunks | pv::flip(0), left.memory * 3 + 1,
          right.memory | pv::flip(0), limits);
    const auto none = pv::zeros<std::int64_t>({0});
    check(left.chunks, none, left.memory, none, limits);
    check(none, right.chunks, none, right.memory, limits);
}

TEST_CASE("large joins: rows of one key that do not fit") {
    const std::vector<index_t> limits{1 << 18, 1 << 19};
    // on the right: more than are held, among others
    const Twins<std::int64_t> few({40'000}, {3000},
                                  [](index_t i) { return i % 20'000 == 7 ? 5 : i + 10; });
    const Twins<std::int64_t> many({40'000}, {3000}, [](index_t i) { return i % 4 == 0 ? 5 : i; });
    check(few, many, limits);
    // on the left
    check(many, Twins<std::int64_t>({40'000}, {3000}, [](index_t i) { return i + 4; }), limits);
    // nothing else
    const Twins<std::int64_t> all({40'000}, {3000}, [](index_t) { return 5; });
    check(few, all, limits);
    // that no row on the left has
    check(Twins<std::int64_t>({40'000}, {3000}, [](index_t i) { return i + 10; }), all, limits);
}

/// What this process has read of files and pipes, where the system tells.
std::optional<index_t> bytes_read_of_files() {
    std::ifstream io("/proc/self/io");
    std::string name;
    index_t bytes = 0;
    if (io >> name >> bytes && name == "rchar:") return bytes;
    return std::nullopt;
}

TEST_CASE("large joins: rows of one key that do not fit are looked up once by equal rows") {
    const Twins<std::int64_t> left({30'000}, {3000}, [](index_t i) { return i / 10'000; });
    const Twins<std::int64_t> right({40'000}, {3000}, [](index_t) { return 1; });
    for (const JoinKind kind : {JoinKind::semi, JoinKind::anti}) {
        const pv::JoinedRows expected = pv::join(left.memory, right.memory, kind);
        const MemoryLimit limit(1 << 18);
        const auto before = bytes_read_of_files();
        CHECK(same(pv::join(left.chunks, right.chunks, kind), expected));
        if (before) CHECK(*bytes_read_of_files() - *before < index_t{16} << 20);
    }
}

TEST_CASE("large joins: each chunk is read once") {
    for (const index_t right_rows : {1'000, 100'000}) {
        const Twins<std::int64_t> left({100'000}, {5000},
                                       [](index_t i) { return i * 7919 % 100'003; });
        const Twins<std::int64_t> right({right_rows}, {500}, [](index_t i) { return i * 31; });
        const MemoryLimit limit(1 << 20);
        for (const JoinKind kind : kKinds) {
            left.forget();
            right.forget();
            pv::join(left.chunks, right.chunks, kind);
            CHECK(left.stored->reads == 20);
            CHECK(right.stored->reads == right_rows / 500);
        }
    }
}

TEST_CASE("large joins: results beyond the limit, and temporary files") {
    const Twins<std::int64_t> left({60'000}, {5000}, [](index_t i) { return i * 7919 % 60'000; });
    const Twins<std::int64_t> right({60'000}, {5000}, [](index_t i) { return i * 31 % 20'000; });
    const pv::JoinedRows expected = pv::join(left.memory, right.memory, JoinKind::outer);
    const MemoryLimit limit(1 << 18);
    const oracle::TemporaryLimit of_files(12 << 20); // of one call at a time
    for (int i = 0; i < 5; ++i) {
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const pv::JoinedRows made = pv::join(left.chunks, right.chunks, JoinKind::outer);
        CHECK(pv::chunk_statistics().chunks_read == 24); // and none of the results
        CHECK(made.left.operand().node->reads(pv::Below::blocks));
        CHECK(same(made, expected));
    }
    pv::set_temporary_limit(1 << 20);
    CHECK_THROWS_AS(pv::join(left.chunks, right.chunks), pv::MemoryLimitError);
    CHECK_THROWS_WITH(pv::join(left.chunks, right.chunks), Catch::Matchers::StartsWith("join: "));
}

} // namespace

} // namespace large_joins_test
