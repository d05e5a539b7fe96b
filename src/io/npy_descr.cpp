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

template <typename T>
constexpr DType of_same_size(DType of_4_bytes, DType of_8_bytes) {
    return sizeof(T) == 8 ? of_8_bytes : of_4_bytes;
}
constexpr DType kLong = of_same_size<long>(int32, int64);
constexpr DType kUnsignedLong = of_same_size<unsigned long>(uint32, uint64);
constexpr DType kPointer = of_same_size<void*>(int32, int64);
constexpr DType kUnsignedPointer = of_same_size<void*>(uint32, uint64);

/// NumPy's letters for C's types, which take a byte order as the types above do.
constexpr std::array<std::pair<char, DType>, 19> kLetters{{
    {'b', int8},
    {'B', uint8},
    {'h', int16},
    {'H', uint16},
    {'i', int32},
    {'I', uint32},
    {'l', kLong},
    {'L', kUnsignedLong},
    {'q', int64},
    {'Q', uint64},
    {'p', kPointer},
    {'P', kUnsignedPointer},
    {'n', kPointer},
    {'N', kUnsignedPointer},
    {'e', float16},
    {'f', float32},
    {'d', float64},
    {'F', kDType<std::complex<float>>},
    {'D', kDType<std::complex<double>>},
}};

/// NumPy's names, in this machine's byte order, which `np.dtype` knows beside those that Purview
/// gives its own types.
constexpr std::array<std::pair<std::string_view, DType>, 25> kNames{{
    {"bool", boolean},
    {"bool_", boolean},
    {"byte", int8},
    {"ubyte", uint8},
    {"short", int16},
    {"ushort", uint16},
    {"intc", int32},
    {"uintc", uint32},
    {"int", kPointer},
    {"uint", kUnsignedPointer},
    {"int_", kPointer},
    {"intp", kPointer},
    {"uintp", kUnsignedPointer},
    {"long", kLong},
    {"ulong", kUnsignedLong},
    {"longlong", int64},
    {"ulonglong", uint64},
    {"half", float16},
    {"single", float32},
    {"double", float64},
    {"float", float64},
    {"csingle", kDType<std::complex<float>>},
    {"cdouble", kDType<std::complex<double>>},
    {"complex", kDType<std::complex<double>>},
    {"complex64", kDType<std::complex<float>>},
}};

/// NumPy's short name of a time type, `M8[ns]`, from the long one.
std::string short_name(std::string_view name) {
    constexpr std::string_view kPoint = "datetime64";
    constexpr std::string_view kDuration = "timedelta64";
    if (name.starts_with(kPoint)) return fmt::format("M8{}", name.substr(kPoint.size()));
    if (name.starts_with(kDuration)) return fmt::format("m8{}", name.substr(kDuration.size()));
    return {};
}

/// The type of a name without a byte order.
std::optional<DType> named(std::string_view name) {
    for (const auto& [known, dtype] : kNames)
        if (name == known) return dtype;
    for (const auto& [spelling, dtype] : kTypes)
        if (name == dtype.name()) return dtype;
    std::optional<DType> found;
    for_each_time([&]<typename T>(std::type_identity<T>) {
        if (!found && name == kDType<T>.name() && !short_name(name).empty()) found = kDType<T>;
    });
    return found;
}

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
    case 'g':
    case 'G': return "floating-point number of another width";
    case 'f': return "floating-point number of another width";
    default: return {};
    }
}

std::optional<DType> time_of_descr(std::string_view type) {
    std::optional<DType> found;
    for_each_time([&]<typename T>(std::type_identity<T>) {
        if (!found && type == short_name(kDType<T>.name())) found = kDType<T>;
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
    for (const auto& [letter, dtype] : kLetters)
        if (type.size() == 1 && type.front() == letter) {
            const bool ordered = order == '<' || order == '>';
            return {dtype, ordered && order != kNative && dtype.size_bytes() > 1};
        }
    if (const std::optional<DType> dtype = has_order ? std::nullopt : named(type))
        return {*dtype, false};
    const std::string_view kind = type.empty() ? std::string_view{} : name_of_kind(type.front());
    if (!kind.empty())
        throw DtypeError(fmt::format("{}: descr {} ({}) is an element type that Purview does not "
                                     "have",
                                     where, quoted(text), kind));
    throw FormatError(fmt::format("{}: descr {} is no element type", where, quoted(text)));
}

std::string format_descr(DType dtype, const std::string& where) {
    for (const auto& [spelling, candidate] : kTypes)
        if (candidate == dtype)
            return fmt::format("{}{}", dtype.size_bytes() > 1 ? kNative : '|', spelling);
    const std::string time = short_name(dtype.name());
    if (!time.empty() && dtype.size_bytes() == 8 && dtype.descriptor().trivial)
        return fmt::format("{}{}", kNative, time);
    throw_dtype_unsupported(where.c_str(), dtype);
}

} // namespace purview::npy
