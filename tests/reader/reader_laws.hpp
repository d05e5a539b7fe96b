#pragma once

// What every reader and writer has to obey, checked against a plain vector with nested loops.

#include "support/catch.hpp"

#include <purview/reader/read_writer.hpp>

#include <algorithm>
#include <compare>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

namespace reader_laws {

using purview::index_t;

/// A regular class without arithmetic or output.
struct Point {
    int x = 0;
    std::string name;
    friend bool operator==(const Point&, const Point&) = default;
    friend auto operator<=>(const Point&, const Point&) = default;
};

/// Values that differ from their neighbours, and fit every type.
template <typename T>
T sample(index_t i) {
    if constexpr (std::same_as<T, std::string>)
        return "a string that does not fit inside the object, number " + std::to_string(i % 97);
    else if constexpr (std::same_as<T, Point>)
        return {static_cast<int>(i % 97), sample<std::string>(i)};
    else if constexpr (std::same_as<T, bool>)
        return i % 3 == 0;
    else
        return static_cast<T>((i * 37 + 11) % 97);
}

/// `std::vector` without the exception for bool.
template <typename T>
class Values {
public:
    Values() = default;
    explicit Values(index_t n) : data_(new T[static_cast<std::size_t>(n)]{}), size_(n) {}
    Values(const Values& other) : Values(other.size_) {
        for (index_t i = 0; i < size_; ++i) data_[i] = other[i];
    }
    Values(Values&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Values& operator=(Values other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Values() { delete[] data_; }

    static Values samples(index_t n, index_t first = 0) {
        Values values(n);
        for (index_t i = 0; i < n; ++i) values[i] = sample<T>(first + i);
        return values;
    }

    index_t size() const { return size_; }
    T* data() { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](index_t i) { return data_[i]; }
    const T& operator[](index_t i) const { return data_[i]; }
    std::span<T> span() { return {data_, static_cast<std::size_t>(size_)}; }
    std::span<const T> span() const { return {data_, static_cast<std::size_t>(size_)}; }
    friend bool operator==(const Values& a, const Values& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    T* data_ = nullptr;
    index_t size_ = 0;
};

/// Calls `visit(begin, step, count)` for blocks of every kind within n elements.
template <typename Visit>
void for_blocks(index_t n, const Visit& visit) {
    visit(0, 1, 0);
    for (const index_t step : {1, -1, 2, -3, 0, 7}) {
        for (index_t begin = 0; begin < n; begin += 1 + n / 7) {
            index_t most = 3;
            if (step > 0) most = (n - 1 - begin) / step + 1;
            if (step < 0) most = begin / -step + 1;
            visit(begin, step, most);
            visit(begin, step, most / 2);
            visit(begin, step, 1);
        }
    }
    constexpr index_t kHuge = std::numeric_limits<index_t>::max();
    if (n > 0) visit(n - 1, kHuge, 1);
    if (n > 0) visit(n - 1, -kHuge - 1, 1);
}

inline std::vector<index_t> scrambled_indexes(index_t n) {
    std::vector<index_t> indexes;
    for (index_t i = 0; i < n; ++i) indexes.push_back((i * 31 + 5) % n);
    for (index_t i = n - 1; i >= 0; i -= 2) indexes.push_back(i);
    return indexes;
}

/// Everything that can be asked of a reader gives what `expected` has.
template <typename T>
void check_reads(const purview::Reader<T>& reader, const Values<T>& expected) {
    const index_t n = expected.size();
    REQUIRE(reader.size() == n);
    CHECK(reader.empty() == (n == 0));
    CHECK(reader.dtype() == purview::kDType<T>);

    bool same = true;
    for (index_t i = 0; i < n; ++i) {
        same = same && reader.read(i) == expected[i] && reader[i] == expected[i];
        same = same && reader.at(i) == expected[i] && reader.at(i - n) == expected[i];
    }
    CHECK(same);
    CHECK_THROWS_AS(reader.at(n), purview::IndexError);
    CHECK_THROWS_AS(reader.at(-n - 1), purview::IndexError);
    CHECK(std::ranges::equal(reader, expected));
    CHECK(reader.end() - reader.begin() == n);

    for_blocks(n, [&](index_t begin, index_t step, index_t count) {
        Values<T> out(count);
        Values<T> erased(count);
        reader.read_block(begin, step, out.span());
        reader.read_into(begin, step, count, erased.data());
        bool block = out == erased;
        for (index_t i = 0; i < count; ++i) block = block && out[i] == expected[begin + i * step];
        INFO("begin " << begin << " step " << step << " count " << count);
        CHECK(block);
    });

    const std::vector<index_t> indexes = n == 0 ? std::vector<index_t>{} : scrambled_indexes(n);
    Values<T> out(static_cast<index_t>(indexes.size()));
    Values<T> erased(out.size());
    reader.gather(indexes, out.span());
    reader.gather_into(indexes, erased.data());
    bool gathered = out == erased;
    for (index_t i = 0; i < out.size(); ++i)
        gathered = gathered && out[i] == expected[indexes[static_cast<std::size_t>(i)]];
    CHECK(gathered);

    if (const purview::MemoryView memory = reader.memory()) {
        bool agrees = true;
        for (index_t i = 0; i < n; ++i)
            agrees = agrees && purview::load_element<T>(static_cast<const std::byte*>(memory.data) +
                                                        i * memory.stride_bytes) == expected[i];
        CHECK(agrees);
        CHECK(reader.kind() != purview::Kind::computed);
    } else {
        CHECK(reader.kind() != purview::Kind::dense);
    }
}

/// Everything that can be written is what is read afterwards, and nothing else changes. The places
/// written must be distinct memory.
template <typename B>
void check_writes(B& buffer) {
    using T = typename B::value_type;
    const index_t n = buffer.size();
    CHECK(buffer.written_dtype() == purview::kDType<T>);
    Values<T> expected(n);
    buffer.read_block(0, 1, expected.span());

    index_t next = 3;
    for (index_t i = 0; i < n; i += 2) {
        expected[i] = sample<T>(++next);
        buffer.write(i, expected[i]);
    }
    check_reads<T>(buffer, expected);

    bool blocks = true;
    bool erased_once = false;
    for_blocks(n, [&](index_t begin, index_t step, index_t count) {
        const Values<T> values = Values<T>::samples(count, ++next);
        for (index_t i = 0; i < count; ++i) expected[begin + i * step] = values[i];
        erased_once = !erased_once;
        if (erased_once)
            buffer.write_from(begin, step, count, values.begin());
        else
            buffer.write_block(begin, step, values.span());
        Values<T> now(n);
        buffer.read_block(0, 1, now.span());
        blocks = blocks && now == expected;
    });
    CHECK(blocks);

    if (n > 0) {
        const std::vector<index_t> indexes = scrambled_indexes(n);
        const auto count = static_cast<index_t>(indexes.size());
        for (const bool erased : {true, false}) {
            const Values<T> values = Values<T>::samples(count, ++next);
            for (index_t i = 0; i < count; ++i)
                expected[indexes[static_cast<std::size_t>(i)]] = values[i];
            if (erased)
                buffer.scatter_from(indexes, values.begin());
            else
                buffer.scatter(indexes, values.span());
            check_reads<T>(buffer, expected);
        }
    }

    if (const purview::MutableMemoryView memory = buffer.writable_memory()) {
        for (index_t i = 0; i < n; ++i) {
            expected[i] = sample<T>(i + 50);
            purview::store_element<T>(
                static_cast<std::byte*>(memory.data) + i * memory.stride_bytes, expected[i]);
        }
        check_reads<T>(buffer, expected);
    }
}

/// A reader and writer of one's own, with nothing but what deriving needs.
template <typename T>
class Plain : public purview::Reader<T>, public purview::Writer<T> {
public:
    explicit Plain(index_t n) : values_(Values<T>::samples(n)) {}
    index_t size() const override { return values_.size(); }
    T read(index_t i) const override {
        if (i < 0 || i >= size()) throw std::logic_error("read out of range");
        return values_[i];
    }
    void write(index_t i, const T& value) override {
        if (i < 0 || i >= size()) throw std::logic_error("written out of range");
        values_[i] = value;
    }
    bool is_thread_safe() const noexcept override { return false; }

private:
    Values<T> values_;
};

} // namespace reader_laws

namespace Catch {
template <>
struct StringMaker<reader_laws::Point> {
    static std::string convert(const reader_laws::Point& point) {
        return "Point{" + std::to_string(point.x) + ", " + point.name + "}";
    }
};
} // namespace Catch

// NOLINTNEXTLINE: Catch's macro takes types only as a list.
#define READER_TYPES \
 bool, std::int8_t, std::uint16_t, std::int64_t, float, double, std::string, reader_laws::Point
