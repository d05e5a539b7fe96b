#pragma once

// What every reader and writer has to obey, checked against a plain vector with nested loops.

#include <support/catch.hpp>

#include <purview/reader/read_writer.hpp>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

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

// Compiled once, in reader_laws.cpp, for the types named below.

/// Everything that can be asked of a reader gives what `expected` has.
template <typename T>
void check_reads(const purview::Reader<T>& reader, const Values<T>& expected);

/// Everything that is written is what is read afterwards from the same object, and nothing else changes.
template <typename T>
void check_writes(purview::Reader<T>& reader, purview::Writer<T>& writer);

/// The same of a buffer. The places written must be distinct memory.
template <typename B>
void check_writes(B& buffer) {
    check_writes<typename B::value_type>(buffer, buffer);
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

// Each is compiled once, in reader_laws.cpp.
#define READER_LAWS_OF(WHAT, T)                                               \
 WHAT template class Values<T>;                                               \
 WHAT template class Plain<T>;                                                \
 WHAT template void check_reads(const purview::Reader<T>&, const Values<T>&); \
 WHAT template void check_writes(purview::Reader<T>&, purview::Writer<T>&);
#define READER_LAWS(WHAT)            \
 READER_LAWS_OF(WHAT, bool)          \
 READER_LAWS_OF(WHAT, std::int8_t)   \
 READER_LAWS_OF(WHAT, std::int16_t)  \
 READER_LAWS_OF(WHAT, std::int32_t)  \
 READER_LAWS_OF(WHAT, std::int64_t)  \
 READER_LAWS_OF(WHAT, std::uint8_t)  \
 READER_LAWS_OF(WHAT, std::uint16_t) \
 READER_LAWS_OF(WHAT, float)         \
 READER_LAWS_OF(WHAT, double)        \
 READER_LAWS_OF(WHAT, std::string)   \
 READER_LAWS_OF(WHAT, Point)
READER_LAWS(extern)

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
