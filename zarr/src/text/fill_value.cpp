// Defines text/stored_type.hpp.
#include "text/stored_type.hpp"

#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::zarr {
namespace {

/// NumPy's time that is none.
constexpr auto kNaT = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void throw_no_fill(const Json::Value& value, const StoredType& type,
                                const std::string& where) {
    throw FormatError(fmt::format("{}: fill_value {} is no {}", where,
                                  npy::quoted(json_text(value)), type.dtype.name()));
}

/// The bits of `"0x…"`, which are as many as the type has.
bool bits_of(const std::string& text, index_t bytes, std::uint64_t& bits) {
    if (!text.starts_with("0x") || std::ssize(text) != 2 + 2 * bytes) return false;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 2, end, bits, 16);
    return error == std::errc{} && stop == end;
}

/// A floating-point number of any width. `of_bits` makes one of its bits.
template <typename T, typename Bits>
bool read_float(const Json::Value& value, T& out) {
    if (value.isNumeric() && !value.isBool()) {
        out = static_cast<T>(value.asDouble());
        return true;
    }
    if (!value.isString()) return false;
    const std::string text = value.asString();
    std::uint64_t bits = 0;
    if (text == "NaN")
        out = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    else if (text == "Infinity")
        out = static_cast<T>(std::numeric_limits<float>::infinity());
    else if (text == "-Infinity")
        out = static_cast<T>(-std::numeric_limits<float>::infinity());
    else if (bits_of(text, sizeof(T), bits))
        out = std::bit_cast<T>(static_cast<Bits>(bits));
    else
        return false;
    return true;
}

template <typename T>
bool read_integer(const Json::Value& value, T& out) {
    if (value.isBool()) return false;
    if (value.isInt64()) { // also 3.0, which format 2 has of arrays that were floats once
        const std::int64_t number = value.asInt64();
        if (!std::in_range<T>(number)) return false;
        out = static_cast<T>(number);
        return true;
    }
    if (!value.isUInt64() || !std::in_range<T>(value.asUInt64())) return false;
    out = static_cast<T>(value.asUInt64());
    return true;
}

template <typename T>
bool read_complex(const Json::Value& value, std::complex<T>& out) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    T parts[2] = {};
    if (!value.isArray()) {
        if (!read_float<T, Bits>(value, parts[0])) return false;
    } else if (value.size() != 2 || !read_float<T, Bits>(value[0], parts[0]) ||
               !read_float<T, Bits>(value[1], parts[1])) {
        return false;
    }
    out = {parts[0], parts[1]};
    return true;
}

template <typename T>
bool read_number(const Json::Value& value, T& out) {
    if constexpr (std::is_same_v<T, bool>) {
        if (value.isBool())
            out = value.asBool();
        else if (value.isInt64() && (value.asInt64() == 0 || value.asInt64() == 1))
            out = value.asInt64() == 1;
        else
            return false;
        return true;
    } else if constexpr (std::is_same_v<T, float>) {
        return read_float<T, std::uint32_t>(value, out);
    } else if constexpr (std::is_same_v<T, double>) {
        return read_float<T, std::uint64_t>(value, out);
    } else if constexpr (std::is_integral_v<T>) {
        return read_integer(value, out);
    } else if constexpr (kIsFloat16<T>) {
        return read_float<T, std::uint16_t>(value, out);
    } else {
        return read_complex(value, out);
    }
}

/// `visit(std::type_identity<T>)` with the type of numbers.
template <typename Visit>
void visit_number(DType dtype, Visit visit) {
    if (dtype == float16)
        visit(std::type_identity<Half>{});
    else if (dtype == bfloat16)
        visit(std::type_identity<BFloat16>{});
    else if (dtype == kDType<std::complex<float>>)
        visit(std::type_identity<std::complex<float>>{});
    else if (dtype == kDType<std::complex<double>>)
        visit(std::type_identity<std::complex<double>>{});
    else
        visit_dtype(dtype, "open_zarr", visit);
}

template <typename T>
Json::Value json_of(const T& number) {
    if constexpr (std::is_same_v<T, bool>) {
        return number;
    } else if constexpr (std::is_integral_v<T>) {
        using Wide = std::conditional_t<std::is_signed_v<T>, Json::Int64, Json::UInt64>;
        return Json::Value(static_cast<Wide>(number));
    } else if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(number)) return "NaN";
        if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
        return static_cast<double>(number);
    } else if constexpr (kIsFloat16<T>) {
        return json_of(static_cast<float>(number));
    } else {
        Json::Value parts(Json::arrayValue);
        parts.append(json_of(number.real()));
        parts.append(json_of(number.imag()));
        return parts;
    }
}

template <typename T>
bool read_fill(const Json::Value& value, std::vector<std::byte>& bytes) {
    T number{};
    if (!read_number(value, number)) return false;
    std::memcpy(bytes.data(), &number, sizeof(T));
    return true;
}

} // namespace

bool read_base64(const std::string& text, std::string& out) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (text.size() % 4 != 0) return false;
    unsigned bits = 0;
    int known = 0;
    for (const char c : std::string_view(text).substr(0, text.find('='))) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos) return false;
        bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xffffU;
        known += 6;
        if (known >= 8) {
            known -= 8;
            out += static_cast<char>(bits >> known & 0xffU);
        }
    }
    return true;
}

namespace {

FillValue fill_text(const Json::Value& value, const StoredType& type, const std::string& where) {
    FillValue fill;
    if (value.isInt64() && value.asInt64() == 0) return fill;
    if (!value.isString()) throw_no_fill(value, type, where);
    if (type.encoding != Encoding::byte_texts)
        fill.text = value.asString();
    else if (!read_base64(value.asString(), fill.text))
        throw_no_fill(value, type, where);
    if (type.encoding != Encoding::lengths) // the zeros behind a text are none of it
        fill.text.erase(fill.text.find_last_not_of('\0') + 1);
    return fill;
}

} // namespace

FillValue fill_of(const Json::Value& value, const StoredType& type, int format,
                  const std::string& where) {
    if (value.isNull() && format == 3) throw_no_fill(value, type, where);
    FillValue fill;
    fill.is_defined = !value.isNull();
    if (type.dtype == kDType<std::string>) {
        if (fill.is_defined) fill = fill_text(value, type, where);
        return fill;
    }
    fill.bytes.resize(static_cast<std::size_t>(type.dtype.size_bytes()));
    if (value.isNull()) return fill;
    const DType counted = type.dtype.counted_in();
    bool known = false;
    if (counted != type.dtype && value.isString() && value.asString() == "NaT") {
        std::memcpy(fill.bytes.data(), &kNaT, sizeof kNaT);
        known = true;
    } else {
        visit_number(counted, [&]<typename T>(std::type_identity<T>) {
            known = read_fill<T>(value, fill.bytes);
        });
    }
    if (!known) throw_no_fill(value, type, where);
    return fill;
}

Json::Value json_of_fill(const FillValue& fill, const StoredType& type) {
    if (!fill.is_defined) return {};
    if (type.dtype == kDType<std::string>) return fill.text;
    const DType counted = type.dtype.counted_in();
    if (counted != type.dtype && std::memcmp(fill.bytes.data(), &kNaT, sizeof kNaT) == 0)
        return "NaT";
    Json::Value result;
    visit_number(counted, [&]<typename T>(std::type_identity<T>) {
        T number{};
        std::memcpy(static_cast<void*>(&number), fill.bytes.data(), sizeof(T));
        result = json_of(number);
    });
    return result;
}

bool are_fill(const FillValue& fill, const void* elements, index_t count, DType dtype) {
    if (count == 0) return true;
    if (dtype == kDType<std::string>) {
        const auto* const texts = static_cast<const std::string*>(elements);
        return std::all_of(texts, texts + count,
                           [&](const std::string& text) { return text == fill.text; });
    }
    // The first is the fill, and each the one before it.
    const auto* const first = static_cast<const std::byte*>(elements);
    const std::size_t width = fill.bytes.size();
    return std::memcmp(first, fill.bytes.data(), width) == 0 &&
           std::memcmp(first + width, first, static_cast<std::size_t>(count - 1) * width) == 0;
}

} // namespace purview::zarr
