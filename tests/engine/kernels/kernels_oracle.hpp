#pragma once

// What the tests of the kernels share: hard values of every type, comparison bit by bit, programs.

#include "engine/kernels/table/selection.hpp"

#include <purview/dtype/dtype.hpp>

#include <support/catch.hpp>
#include <support/sanitizers.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1::engine::test {

/// All kernels that this machine runs; under a sanitizer, which does not instrument them, one: the widest.
inline std::span<const KernelTable* const> tested_kernels() {
    return UNDER_A_SANITIZER ? available_kernels().last(1) : available_kernels();
}

/// Calls `f(T{})` for each type.
template <typename... Ts, typename F>
void for_types(F f) {
    (f(Ts{}), ...);
}
template <typename F>
void for_integers(F f) {
    for_types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
              std::uint32_t, std::uint64_t>(f);
}
template <typename F>
void for_floats(F f) {
    for_types<float, double>(f);
}
template <typename F>
void for_numbers(F f) {
    for_integers(f);
    for_floats(f);
}

/// Equal bits, or both NaN.
template <typename T>
bool same(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <typename T>
std::vector<T> hard_values() {
    using L = std::numeric_limits<T>;
    std::vector<T> values;
    values.reserve(200);
    const auto add = [&](std::initializer_list<T> more) {
        for (const T x : more) values.push_back(x);
    };
    add({T{0}, T{1}, T{2}, T{3}, T{100}, L::max(), L::lowest()});
    if constexpr (std::is_floating_point_v<T>) {
        for (const T x : {T{-0.0}, T{-1}, T{0.5}, T{-0.5}, T{1.5}, T{-7.25}, L::infinity(),
                          -L::infinity(), L::quiet_NaN(), L::denorm_min(), -L::denorm_min(),
                          L::min(), L::epsilon(), static_cast<T>(0.1), static_cast<T>(-0.999)})
            values.push_back(x);
        for (const int power : {7, 8, 15, 16, 24, 31, 32, 33, 52, 53, 62, 63, 64, 65, 127})
            for (const T sign : {T{1}, T{-1}}) {
                const T x = std::ldexp(sign, power);
                add({x, std::nextafter(x, T{0}), x - T{1}, x + T{0.5},
                     std::nextafter(x, L::infinity())});
            }
        if constexpr (sizeof(T) == 8)
            for (const double x : {0x1.ffffffp127, 0x1.fffffefffffffp127, 0x1.fffffep127, 1e300})
                add({x, -x});
    } else {
        add({static_cast<T>(L::max() - 1), static_cast<T>(L::lowest() + 1), static_cast<T>(-1),
             static_cast<T>(-2), static_cast<T>(-128), static_cast<T>(L::max() / 2 + 1)});
        for (const int power : {7, 8, 15, 16, 24, 31, 32, 53})
            if (power < L::digits) {
                const auto x = static_cast<T>(T{1} << power);
                add({x, static_cast<T>(x - 1), static_cast<T>(x + 1), static_cast<T>(-x),
                     static_cast<T>(-x - 1)});
            }
    }
    return values;
}

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t bits() { return engine_(); }
    index_t below(index_t n) {
        return static_cast<index_t>(engine_() % static_cast<std::uint64_t>(n));
    }

    /// A hard value, any bits, or something small.
    template <typename T>
    T value(const std::vector<T>& hard) {
        const std::uint64_t draw = bits();
        switch (draw % 4) {
        case 0: return hard[draw / 4 % hard.size()];
        case 1: {
            T x;
            std::memcpy(&x, &draw, sizeof(T)); // low bits, which include those that chose
            return x;
        }
        default: {
            const double x = static_cast<double>(draw / 4 % 4001) / 16;
            return std::is_floating_point_v<T> ? static_cast<T>(x - 100)
                                               : static_cast<T>(static_cast<int>(x) % 120);
        }
        }
    }
    template <typename T>
    std::vector<T> values(std::size_t count) {
        const std::vector<T> hard = hard_values<T>();
        std::vector<T> result(count);
        for (T& x : result) x = value(hard);
        return result;
    }

private:
    std::mt19937_64 engine_;
};

/// Two operands: all pairs of hard values, and random ones up to whole tiles of any type and target.
template <typename T>
struct Pairs {
    explicit Pairs(std::uint64_t seed) {
        const std::vector<T> hard = hard_values<T>();
        for (const T a : hard)
            for (const T b : hard) {
                x.push_back(a);
                y.push_back(b);
            }
        Random random(seed);
        const std::size_t count = (x.size() / kMaxTileBytes + 2) * kMaxTileBytes;
        while (x.size() < count) {
            x.push_back(random.value(hard));
            y.push_back(random.value(hard));
        }
    }
    std::vector<T> x;
    std::vector<T> y;
};

/// Memory of `count` elements that is not aligned to anything.
template <typename T>
class Misaligned {
public:
    explicit Misaligned(std::size_t count, std::size_t shift = 1)
        : bytes_(count * sizeof(T) + shift), shift_(shift), count_(count) {}
    explicit Misaligned(const std::vector<T>& values, std::size_t shift = 1)
        : Misaligned(values.size(), shift) {
        for (std::size_t i = 0; i < values.size(); ++i) set(i, values[i]);
    }
    void* data() { return bytes_.data() + shift_; }
    std::size_t size() const { return count_; }
    T operator[](std::size_t i) const {
        T x;
        std::memcpy(&x, bytes_.data() + shift_ + i * sizeof(T), sizeof(T));
        return x;
    }
    void set(std::size_t i, T x) {
        std::memcpy(bytes_.data() + shift_ + i * sizeof(T), &x, sizeof(T));
    }

private:
    std::vector<unsigned char> bytes_;
    std::size_t shift_;
    std::size_t count_;
};

struct alignas(64) ScratchTile {
    unsigned char bytes[kMaxTileBytes];
};

/// A program of one target and one lane type, as it is being written.
class KernelProgram {
public:
    KernelProgram(const KernelTable& table, TypeId lane) : table_(table), lane_(lane) {}

    KernelProgram& add(Form form, TileOp op, const void* operand) {
        const TileFunction function = table_.find(form, op, lane_);
        if (function == nullptr)
            FAIL(table_.name << " has no form " << static_cast<int>(form) << " of op "
                             << static_cast<int>(op) << " for type " << static_cast<int>(lane_));
        instructions_.push_back({function, operand});
        return *this;
    }
    KernelProgram& add(Form form, const void* operand = nullptr) {
        return add(form, TileOp::none, operand);
    }
    /// Runs as many tiles as `elements` lanes are.
    void run(std::size_t elements, std::size_t lane_bytes) {
        table_.run_tiles(instructions_.data(), &state, 0,
                         elements * lane_bytes / table_.tile_bytes);
    }
    /// Accumulates `pieces` times as many tiles as `elements` lanes are.
    void fold(std::size_t elements, std::size_t lane_bytes, std::size_t pieces, const void* start,
              void* accumulator, void* out) {
        table_.fold_tiles(instructions_.data(), &state, 0,
                          elements * lane_bytes / table_.tile_bytes, pieces, start, accumulator,
                          out);
    }
    /// Has sequences run as one function each, from an instruction on. Returns how many were found.
    int fuse(std::size_t begin) {
        int found = 0;
        for (std::size_t i = begin, length = 1; i < instructions_.size(); i += length)
            if (const TileFunction fused = table_.fuse(instructions_.data() + i,
                                                       instructions_.size() - i, lane_, &length)) {
                instructions_[i].function = fused;
                for (std::size_t k = 1; k < length; ++k) instructions_[i + k].function = nullptr;
                ++found;
            }
        return found;
    }
    TileState state;

private:
    const KernelTable& table_;
    TypeId lane_;
    std::vector<Instruction> instructions_;
};

/// The index of the first of `count` elements where `actual` and `expected(i)` differ, or -1.
template <typename Actual, typename F>
index_t first_difference(const Actual& actual, std::size_t count, F expected) {
    for (std::size_t i = 0; i < count; ++i)
        if (!same(actual[i], expected(i))) return static_cast<index_t>(i);
    return -1;
}

} // namespace purview::engine::test
