#pragma once

#include <purview/dtype/half.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace purview::inline v0_1::gpu::detail {

/// The types that elements have in memory: those of `TypeId`, in its order, and floats of 16 bits.
enum class Stored : std::uint8_t {
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    float16,
    bfloat16
};

inline std::optional<Stored> stored_type(DType type) noexcept {
    if (type.is_builtin()) return static_cast<Stored>(type.id());
    if (type == float16) return Stored::float16;
    if (type == bfloat16) return Stored::bfloat16;
    return std::nullopt;
}

constexpr bool is_half(Stored t) noexcept { return t >= Stored::float16; }
constexpr bool is_float(Stored t) noexcept { return t >= Stored::float32; }
constexpr bool is_integer(Stored t) noexcept { return t >= Stored::int8 && t <= Stored::uint64; }
constexpr bool is_signed(Stored t) noexcept { return t >= Stored::int8 && t <= Stored::int64; }

constexpr std::uint32_t bytes_of(Stored t) noexcept {
    constexpr std::uint8_t kBytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 2, 2};
    return kBytes[static_cast<std::size_t>(t)];
}
/// A number as the bits of an argument.
template <typename T>
std::uint64_t bits_of(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}
/// What a value of that type is called in a kernel: floats of 16 bits are computed with as float32.
constexpr const char* value_name(Stored t) noexcept {
    constexpr const char* kNames[] = {"bool", "i8",  "i16", "i32", "i64", "u8", "u16",
                                      "u32",  "u64", "f32", "f64", "f32", "f32"};
    return kNames[static_cast<std::size_t>(t)];
}
/// What an element in memory is called. Bools are bytes, which may be other numbers than 0 and 1.
constexpr const char* element_name(Stored t) noexcept {
    return t == Stored::boolean ? "u8" : is_half(t) ? "u16" : value_name(t);
}

/// Whether a checked conversion can meet a value that does not fit.
constexpr bool can_misfit(Stored from, Stored to) noexcept {
    if (is_half(from) || is_half(to)) return false;
    if (to == Stored::boolean || from == Stored::boolean) return false;
    if (is_float(to)) return from == Stored::float64 && to == Stored::float32;
    if (is_float(from)) return true;
    if (is_signed(from)) return !is_signed(to) || bytes_of(to) < bytes_of(from);
    return is_signed(to) ? bytes_of(to) <= bytes_of(from) : bytes_of(to) < bytes_of(from);
}

} // namespace purview::gpu::detail
