#include "functional/applied/saved/element_text.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstring>
#include <limits>

namespace purview::inline v0_1::saved {
namespace {

constexpr std::array kOthers{float16, bfloat16, kDType<std::complex<float>>,
                             kDType<std::complex<double>>};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
constexpr BitsOf<T> kUsualNan = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::quiet_NaN());

template <typename T>
void append(std::string& out, T value) {
    if constexpr (std::same_as<T, bool>) {
        out += value ? "true" : "false";
    } else {
        if constexpr (std::floating_point<T>) {
            if (std::isnan(value) && std::bit_cast<BitsOf<T>>(value) != kUsualNan<T>) {
                out += fmt::format("nan:{:x}", std::bit_cast<BitsOf<T>>(value));
                return;
            }
            if (std::isnan(value)) {
                out += "nan";
                return;
            }
        }
        std::array<char, 40> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        out.append(digits.data(), end);
    }
}

template <typename T>
bool parse(std::string_view text, T& value) {
    if constexpr (std::same_as<T, bool>) {
        value = text == "true";
        return value || text == "false";
    } else {
        if constexpr (std::floating_point<T>) {
            if (text == "nan") {
                value = std::numeric_limits<T>::quiet_NaN();
                return true;
            }
            if (text.starts_with("nan:")) {
                BitsOf<T> bits = 0;
                const auto [end, error] =
                    std::from_chars(text.data() + 4, text.data() + text.size(), bits, 16);
                value = std::bit_cast<T>(bits);
                return error == std::errc() && end == text.data() + text.size() &&
                       std::isnan(value) && bits != kUsualNan<T>;
            }
        }
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc() && end == text.data() + text.size();
    }
}

/// Calls `f` with the type of the numbers that an element is, and how many it is.
template <typename F>
auto with_numbers(DType dtype, F f) {
    if (dtype == kDType<std::complex<float>>) return f(std::type_identity<float>{}, 2);
    if (dtype == kDType<std::complex<double>>) return f(std::type_identity<double>{}, 2);
    return visit_dtype(dtype, "save",
                       [&]<typename T>(std::type_identity<T> type) { return f(type, 1); });
}

} // namespace

bool has_text(DType dtype) noexcept {
    return dtype.is_builtin() || std::ranges::find(kOthers, dtype) != kOthers.end();
}

DType saved_dtype(std::string_view name) {
    for (const DType dtype : kOthers)
        if (dtype.name() == name) return dtype;
    try {
        return dtype_from_name(name);
    } catch (const DtypeError&) {
        throw FormatError(
            fmt::format("computation: '{}' is no type of elements", name.substr(0, 40)));
    }
}

void append_element(std::string& out, DType dtype, const std::byte* element) {
    if (is_float16(dtype)) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, element, sizeof(bits));
        out += fmt::format("{:04x}", bits);
        return;
    }
    with_numbers(dtype, [&]<typename T>(std::type_identity<T>, int count) {
        for (int i = 0; i < count; ++i, element += sizeof(T)) {
            if (i > 0) out += ',';
            if constexpr (std::same_as<T, bool>) { // of other libraries: any byte but 0 is true
                append(out, *element != std::byte{0});
            } else {
                T value;
                std::memcpy(&value, element, sizeof(T));
                append(out, value);
            }
        }
        return true;
    });
}

bool parse_element(std::string_view text, DType dtype, std::byte* element) {
    if (is_float16(dtype)) {
        std::uint16_t bits = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
        std::memcpy(element, &bits, sizeof(bits));
        return error == std::errc() && end == text.data() + text.size() && text.size() == 4;
    }
    return with_numbers(dtype, [&]<typename T>(std::type_identity<T>, int count) {
        for (int i = 0; i < count; ++i, element += sizeof(T)) {
            const std::size_t comma = i + 1 < count ? text.find(',') : text.size();
            if (comma == std::string_view::npos) return false;
            T value{};
            if (!parse(text.substr(0, comma), value)) return false;
            std::memcpy(element, &value, sizeof(T));
            text.remove_prefix(std::min(text.size(), comma + 1));
        }
        return true;
    });
}

} // namespace purview::saved
