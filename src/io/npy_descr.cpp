#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>

#include "dtype/known_times.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <complex>
#include <optional>
#include <utility>

namespace purview::inline v0_1::npy {
namespace {

constexpr char kNative = std::endian::native == std::endian::little ? '<' : '>';

constexpr std::array<std::pair<std::string_view, DType>, 15> kTypes{{
    {"b1", boolean},
    {"?", boolean},
    {"i1", int8},
    {"i2", int16},
    {"i4", int32},
    {"i8", int64},
    {"u1", uint8},
    {"u2", uint16},
    {"u4", uint32},
    {"u8", uint64},
    {"f2", float16},
    {"f4", float32},
    {"f8", float64},
    {"c8", kDType<std::complex<float>>},
    {"c16", kDType<std::complex<double>>},
}};

/// NumPy's name for the types of a kind that Purview lacks wholly or partly.
std::string_view name_of_kind(char kind) {
    switch (kind) {
    case 'O': return "object";
    case 'U': return "Unicode string";
    case 'S':
    case 'a': return "byte string";
    case 'V': return "void";
    case 'T': return "variable-width string";
    case 'c': return "complex number of another width";
    case 'M': return "date in another unit";
    case 'm': return "time difference in another unit";
    case 'f': return "floating-point number of another width";
    default: return {};
    }
}

/// NumPy's short name of a time type, `M8[ns]`, from the long one.
std::string short_name(std::string_view name) {
    constexpr std::string_view kPoint = "datetime64";
    constexpr std::string_view kDuration = "timedelta64";
    if (name.starts_with(kPoint)) return fmt::format("M8{}", name.substr(kPoint.size()));
    if (name.starts_with(kDuration)) return fmt::format("m8{}", name.substr(kDuration.size()));
    return {};
}

std::optional<DType> time_of_descr(std::string_view type) {
    std::optional<DType> found;
    for_each_time([&]<typename T>(std::type_identity<T>) {
        if (type == short_name(kDType<T>.name())) found = kDType<T>;
    });
    return found;
}

} // namespace

std::string quoted(std::string_view text) {
    constexpr std::size_t kShown = 60;
    std::string result = "'";
    for (const char c : text.substr(0, kShown)) {
        if (c >= ' ' && c <= '~')
            result += c;
        else
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return result += text.size() > kShown ? "…'" : "'";
}

Descr parse_descr(std::string_view text, const std::string& where) {
    const bool has_order = !text.empty() && std::string_view("<>=|").contains(text.front());
    const char order = has_order ? text.front() : '=';
    const std::string_view type = text.substr(has_order ? 1 : 0);
    for (const auto& [spelling, dtype] : kTypes) {
        if (type != spelling) continue;
        const bool ordered = order == '<' || order == '>';
        return {dtype, ordered && order != kNative && dtype.size_bytes() > 1};
    }
    if (const std::optional<DType> time = time_of_descr(type))
        return {*time, (order == '<' || order == '>') && order != kNative};
    const std::string_view kind = type.empty() ? std::string_view{} : name_of_kind(type.front());
    if (!kind.empty())
        throw DtypeError(fmt::format("{}: descr {} ({}) is an element type that Purview does not "
                                     "have",
                                     where, quoted(text), kind));
    throw FormatError(fmt::format("{}: descr {} is no element type", where, quoted(text)));
}

std::string format_descr(DType dtype) {
    for (const auto& [spelling, candidate] : kTypes)
        if (candidate == dtype)
            return fmt::format("{}{}", dtype.size_bytes() > 1 ? kNative : '|', spelling);
    const std::string time = short_name(dtype.name());
    if (!time.empty() && dtype.size_bytes() == 8 && dtype.descriptor().trivial)
        return fmt::format("{}{}", kNative, time);
    throw_dtype_unsupported("save_npy", dtype);
}

} // namespace purview::npy
