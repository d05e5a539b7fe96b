#include "sparse_support.hpp"

#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sparse_writes_test {

// A write to a sparse buffer does all or nothing, whatever throws; it moves no more than it has to, reads what it writes before
// it changes, and keeps little room.

namespace {

namespace pv = purview;
using pv::index_t;
using pv::SparseBuffer;
using Indexes = std::vector<index_t>;

/// Throws when it is copied or compared for the n-th time. One that `Moves` does so without throwing.
template <bool Moves>
struct Fragile {
    int value = 0;
    static inline int left = -1; ///< copies and comparisons before one throws; below 0: none does
    static inline int copies = 0;

    Fragile() = default;
    Fragile(int v) : value(v) {}
    Fragile(const Fragile& other) : value(other.value) { count(); }
    Fragile& operator=(const Fragile& other) {
        count();
        value = other.value;
        return *this;
    }
    Fragile(Fragile&& other) noexcept(Moves) : value(other.value) {
        if (!Moves) count();
    }
    Fragile& operator=(Fragile&& other) noexcept(Moves) {
        if (!Moves) count();
        value = std::exchange(other.value, -1); // it shows where it is read afterwards
        return *this;
    }
    ~Fragile() {}
    friend bool operator==(const Fragile& a, const Fragile& b) {
        count();
        return a.value == b.value;
    }

private:
    static void count() {
        ++copies;
        if (left == 0) throw std::runtime_error("fragile");
        if (left > 0) --left;
    }
};

template <typename T>
using BufferPtr = std::shared_ptr<SparseBuffer<T>>;

/// Pairs at 10, 20, … 200, some of them fills.
constexpr index_t kSize = 1000;
template <typename T>
BufferPtr<T> twenty() {
    Indexes indexes;
    std::vector<T> values;
    for (int i = 1; i <= 20; ++i) {
        indexes.push_back(10 * i);
        values.emplace_back(i % 5);
    }
    return std::make_shared<SparseBuffer<T>>(kSize, indexes, values);
}

/// The same pairs, held in other ways: alone and with room, by others too, in packed indexes.
template <typename T>
std::vector<BufferPtr<T>> held_in_all_ways(std::vector<std::shared_ptr<const void>>& others) {
    const auto roomy = twenty<T>();
    roomy->write(kSize - 1, 5);
    roomy->write(kSize - 1, 0);
    const auto shared = twenty<T>();
    others.push_back(shared->value_memory());
    const auto packed = twenty<T>();
    return {twenty<T>(), roomy, shared,
            std::make_shared<SparseBuffer<T>>(
                kSize, std::make_shared<pv::PackedIndexes>(pv::IndexSet(packed->indexes())),
                packed->value_memory())};
}

struct Contents {
    Indexes indexes;
    std::vector<int> values;
    bool is_packed = false;
    friend bool operator==(const Contents&, const Contents&) = default;
};

template <typename T>
Contents contents_of(const SparseBuffer<T>& buffer) {
    Contents contents;
    contents.is_packed = buffer.is_packed();
    for (index_t p = 0; p < buffer.stored(); ++p) {
        contents.indexes.push_back(buffer.index_memory()->read(p));
        contents.values.push_back(buffer.values()[static_cast<std::size_t>(p)].value);
    }
    return contents;
}

template <typename T>
struct Write {
    const char* name;
    std::function<void(SparseBuffer<T>&)> run;
};

template <typename T>
std::vector<Write<T>> all_writes() {
    const auto block = [](std::vector<int> values) {
        return std::vector<T>(values.begin(), values.end());
    };
    return {
        {"write of a new element", [](auto& x) { x.write(55, 7); }},
        {"write over an element", [](auto& x) { x.write(50, 7); }},
        {"write of the fill", [](auto& x) { x.write(50, 0); }},
        {"write_block",
         [=](auto& x) {
             x.write_block(29, 1, block({1, 2, 3, 0, 5, 6}));
         }},
        {"write_block of fills",
         [=](auto& x) {
             x.write_block(29, 1, block({0, 0, 0}));
         }},
        {"write_block of less",
         [=](auto& x) {
             std::vector<int> values(101);
             values[50] = 7;
             x.write_block(30, 1, block(values));
         }},
        {"write_block backwards",
         [=](auto& x) {
             x.write_block(61, -1, block({1, 2, 3, 0}));
         }},
        {"write_indexes",
         [=](auto& x) {
             x.write_indexes(Indexes{20, 5, 999, 60, 120, 130}, block({2, 3, 4, 0, 7, 0}));
         }},
        {"write_indexes of more",
         [=](auto& x) {
             x.write_indexes(Indexes{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16},
                             block(std::vector<int>(15, 4)));
         }},
        {"write_sorted_indexes",
         [=](auto& x) {
             x.write_sorted_indexes(Indexes{5, 20, 25, 30}, block({2, 3, 4, 0}));
         }},
        {"set_constant", [](auto& x) { x.set_constant(18, 41, 3); }},
        {"set_constant of fills", [](auto& x) { x.set_constant(0, 500, 0); }},
        {"prune", [](auto& x) { x.prune(); }},
    };
}

/// Lets each write throw at each of its steps.
template <typename T>
void expect_all_or_nothing() {
    for (const Write<T>& write : all_writes<T>()) {
        INFO(write.name);
        for (std::size_t way = 0; way < 4; ++way) {
            INFO("held in way " << way);
            bool throws = true;
            for (int steps = 0; throws; ++steps) {
                std::vector<std::shared_ptr<const void>> others;
                const BufferPtr<T> buffer = held_in_all_ways<T>(others)[way];
                const Contents before = contents_of(*buffer);
                T::left = steps;
                try {
                    write.run(*buffer);
                    throws = false;
                } catch (const std::runtime_error&) {}
                T::left = -1;
                REQUIRE((contents_of(*buffer) == before) == throws);
                REQUIRE(steps < 1000);
            }
        }
    }
}

} // namespace

TEST_CASE("a write to a sparse buffer that throws leaves it as it was") {
    expect_all_or_nothing<Fragile<true>>();
    expect_all_or_nothing<Fragile<false>>();
}

TEST_CASE("there being no memory for a write leaves a sparse buffer as it was") {
    SparseBuffer<double> buffer(pv::kLargestSparse, {3, 5}, {1., 2.});
    const auto before = buffer.index_memory();
    CHECK_THROWS(buffer.set_constant(4, pv::kLargestSparse, 7.));
    CHECK_THROWS(buffer.set_constant(4, index_t{1} << 46, 7.));
    CHECK(buffer.stored() == 2);
    CHECK(buffer.read(5) == 2.);
    CHECK(buffer.index_memory() == before);
    buffer.set_constant(4, pv::kLargestSparse, 0.);
    CHECK(buffer.stored() == 1);
}

TEST_CASE("few indexes are written in place") {
    using T = Fragile<true>;
    const auto buffer = std::make_shared<SparseBuffer<T>>(index_t{1} << 40);
    for (index_t i = 0; i < 20'000; ++i) buffer->write(i * 1000, 1);
    const void* const place = buffer->index_memory()->memory().data;
    T::copies = 0;
    const std::vector<T> values{2, 3, 4, 0};
    buffer->write_indexes(Indexes{19'999'500, 5'000, 30'000'000, 19'000'000}, values);
    CHECK(T::copies < 20);
    CHECK(buffer->index_memory()->memory().data == place);
    CHECK(buffer->stored() == 20'001);
    CHECK(buffer->read(5'000).value == 3);
    CHECK(buffer->read(19'000'000).value == 0);
    CHECK(buffer->read(19'001'000).value == 1);
    CHECK(buffer->read(19'999'500).value == 2);
    CHECK(buffer->read(30'000'000).value == 4);
    pv::check_sparse_indexes("test", buffer->indexes(), buffer->size());
}

TEST_CASE("writes and results keep little room") {
    const auto fits = [](const SparseBuffer<double>& x) {
        return x.index_memory() == nullptr || (x.index_memory()->size() <= 2 * x.stored() + 64 &&
                                               x.value_memory()->size() <= 2 * x.stored() + 64);
    };
    SparseBuffer<double> buffer(100'000);
    buffer.set_constant(0, 50'000, 1.);
    CHECK(fits(buffer));
    buffer.set_constant(10, 49'990, 0.);
    CHECK(buffer.stored() == 20);
    CHECK(fits(buffer));
    buffer.set_constant(0, 50'000, 1.);
    Indexes indexes(49'000);
    std::iota(indexes.begin(), indexes.end(), index_t{500});
    buffer.write_indexes(indexes, std::vector<double>(49'000));
    CHECK(buffer.stored() == 1000);
    CHECK(fits(buffer));
    for (index_t i = 0; i < 5000; ++i) {
        buffer.write(i, 1.);
        REQUIRE(fits(buffer));
    }
    for (index_t i = 5000; i-- > 0;) {
        buffer.write(i, 0.);
        REQUIRE(fits(buffer));
    }
    Indexes same(50'000, 7);
    same[0] = 3;
    CHECK(fits(
        SparseBuffer<double>(10, same, std::vector<double>(50'000, 1.), 0., pv::Duplicates::sum)));

    const auto spread = [](index_t first) {
        Indexes places;
        for (index_t i = first; i < 100'000; i += 2) places.push_back(i);
        std::vector<double> values(places.size(), 2.);
        return pv::sparse_tensor<double>({100'000}, std::move(places), std::move(values));
    };
    const auto even = spread(0);
    const auto odd = spread(1);
    odd(10) = 3.;
    for (const auto& x : {pv::clone(even * odd), pv::clone(even - even), pv::clone(even + odd),
                          pv::clone(pv::where(even == odd, even, 0.)), pv::prune(even - 2.)})
        CHECK(fits(*pv::sparse_pairs(x)));
}

TEST_CASE("what a sparse buffer stored is let go of when it is removed") {
    using T = std::shared_ptr<int>;
    SparseBuffer<T> buffer(100);
    std::vector<std::weak_ptr<int>> seen;
    for (index_t i = 0; i < 100; ++i) {
        const auto element = std::make_shared<int>(static_cast<int>(i));
        seen.push_back(element);
        buffer.write(i, element);
    }
    buffer.write(99, nullptr);
    buffer.write_indexes(Indexes{3, 98, 50}, std::vector<T>(3));
    buffer.set_constant(96, 98, nullptr);
    for (const std::size_t gone : {99U, 3U, 98U, 50U, 96U, 97U}) CHECK(seen[gone].expired());
    CHECK(buffer.stored() == 94);
    for (index_t i = 0; i < 100; ++i) {
        const auto& element = seen[static_cast<std::size_t>(i)];
        CHECK((buffer.read(i) == nullptr) == element.expired());
        if (!element.expired()) CHECK(*buffer.read(i) == i);
    }
}

TEST_CASE("elements of a sparse buffer are written to it") {
    const auto strings = [] {
        Indexes indexes{1, 3, 5, 20, 30};
        std::vector<std::string> values;
        for (const char* const each : {"first", "second", "third", "fourth", "fifth"})
            values.push_back(each + std::string(40, '.')); // none is stored in place
        return SparseBuffer<std::string>(40, indexes, values, "");
    };
    const auto numbers = [] { return SparseBuffer<int>(40, {1, 3, 5, 20, 30}, {1, 2, 3, 4, 5}); };
    const auto check = [](const auto& make) {
        auto x = make();
        const auto before = make();
        const auto was = [&](index_t i) { return before.values()[static_cast<std::size_t>(i)]; };
        x.write(2, x.values()[3]);
        CHECK(x.read(2) == was(3));
        CHECK(x.read(20) == was(3));
        auto y = make();
        for (index_t room = 31; room < 36; ++room) y.write(room, was(0));
        y.set_constant(31, 36, y.fill());
        y.write_block(2, 1, y.values());
        for (index_t i = 0; i < 5; ++i) CHECK(y.read(i + 2) == was(i));
        CHECK(y.read(1) == was(0));
        CHECK(y.read(30) == was(4));
        auto z = make();
        for (index_t room = 31; room < 36; ++room) z.write(room, was(0));
        z.set_constant(31, 36, z.fill());
        z.write_indexes(Indexes{20, 0, 6, 1, 2}, z.values());
        CHECK(z.read(20) == was(0));
        CHECK(z.read(0) == was(1));
        CHECK(z.read(6) == was(2));
        CHECK(z.read(1) == was(3));
        CHECK(z.read(2) == was(4));
        CHECK(z.read(30) == was(4));
        z.write_indexes(z.indexes(), std::vector(static_cast<std::size_t>(z.stored()), was(1)));
        for (const index_t i : z.indexes()) CHECK(z.read(i) == was(1));
    };
    check(strings);
    check(numbers);
}

} // namespace sparse_writes_test
