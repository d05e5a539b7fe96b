#pragma once

#include <support/oracle.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace oracle {

/// Seeded choices: shapes, lists and elements small enough for nested loops.
class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}

    index_t between(index_t least, index_t greatest) {
        return std::uniform_int_distribution<index_t>(least, greatest)(engine_);
    }
    bool one_in(index_t n) { return between(1, n) == 1; }
    std::size_t axis_of(const Coordinates& shape) {
        return static_cast<std::size_t>(between(0, std::ssize(shape) - 1));
    }
    template <typename Range>
    void shuffle(Range& range) {
        std::shuffle(range.begin(), range.end(), engine_);
    }

    /// How many elements the views of a chain may have, about.
    index_t limit() const { return limit_; }

    /// Rank 0 to 6, now and then with an extent of 0, or of more elements than one block.
    Coordinates shape() {
        const bool large = one_in(25);
        limit_ = large ? 6000 : 600;
        Coordinates shape(static_cast<std::size_t>(between(large ? 1 : 0, 6)));
        const index_t rank = std::ssize(shape);
        const index_t most = large ? (rank == 1   ? 5000
                                      : rank == 2 ? 70
                                      : rank == 3 ? 16
                                                  : 5)
                                   : (rank <= 2   ? 12
                                      : rank <= 4 ? 5
                                                  : 3);
        for (index_t& extent : shape)
            extent = one_in(150) ? 0 : large ? between(most / 2, most) : between(1, most);
        return shape;
    }

    Coordinates permutation(std::size_t rank) {
        Coordinates axes(rank);
        std::iota(axes.begin(), axes.end(), index_t{0});
        shuffle(axes);
        return axes;
    }

    /// Indexes of an axis, with duplicates.
    Coordinates list(index_t extent) {
        Coordinates list(
            static_cast<std::size_t>(extent == 0 || one_in(30) ? 0 : between(1, extent + 1)));
        for (index_t& index : list) index = between(0, extent - 1);
        return list;
    }

    std::vector<bool> mask(index_t count) {
        std::vector<bool> mask(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = !one_in(4);
        return mask;
    }

    /// A shape that broadcasts to another one: axes missing on the left, or of size 1.
    Coordinates broadcastable(Coordinates shape) {
        while (!shape.empty() && one_in(6)) shape.erase(shape.begin());
        for (index_t& extent : shape)
            if (one_in(5)) extent = 1;
        return shape;
    }

    template <typename T>
    T element() {
        if constexpr (std::same_as<T, std::string>) {
            std::string text = std::to_string(between(0, 99));
            if (one_in(3)) text += ", too long to be kept inside a string";
            return text;
        } else if constexpr (std::same_as<T, bool>) {
            return one_in(2);
        } else if constexpr (std::floating_point<T>) {
            return static_cast<T>(between(-100, 100)) / T{4};
        } else if constexpr (std::is_unsigned_v<T>) {
            return static_cast<T>(between(0, 200));
        } else {
            return static_cast<T>(between(-100, 100));
        }
    }

    template <typename T>
    std::vector<T> elements(index_t count) {
        std::vector<T> values;
        for (index_t i = 0; i < count; ++i) values.push_back(element<T>());
        return values;
    }

private:
    std::mt19937 engine_;
    index_t limit_ = 600;
};

/// Equal, or both NaN.
template <typename T>
bool same(const T& a, const T& b) {
    if constexpr (std::floating_point<T>)
        return a == b || (std::isnan(a) && std::isnan(b));
    else
        return a == b;
}

inline std::string text(const Coordinates& values) {
    std::string text = "[";
    for (const index_t value : values) text += (text.size() > 1 ? " " : "") + std::to_string(value);
    return text + "]";
}

} // namespace oracle
