#include "element_type.hpp"

#include "io/npy_descr.hpp"
#include "reader/byte_swapped.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::hdf5 {
namespace {

/// The longest text of as many bytes for each: more cannot be meant.
constexpr index_t kMaxTextBytes = index_t{1} << 24;

/// A name that libhdf5 has allocated.
std::string taken(char* text) {
    const std::string result = text == nullptr ? "" : text;
    ::H5free_memory(text);
    return result;
}

bool is_swapped(hid_t type) {
    const H5T_order_t native =
        std::endian::native == std::endian::little ? H5T_ORDER_LE : H5T_ORDER_BE;
    const H5T_order_t order = ::H5Tget_order(type);
    return order != native && (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
}

[[noreturn]] void throw_unknown(const std::string& what, const std::string& where) {
    throw DtypeError(
        fmt::format("{}: has {}, an element type that Purview does not have", where, what));
}

/// Bytes of numbers, as they are but for their order, or through libhdf5 as `memory`.
ElementType number_type(DType dtype, hid_t file, hid_t memory, const std::string& where) {
    ElementType type;
    type.dtype = dtype;
    type.bytes = static_cast<index_t>(::H5Tget_size(file));
    type.ordered = type.bytes;
    type.swapped = is_swapped(file);
    type.memory = opened(::H5Tcopy(memory), where);
    return type;
}

ElementType integer_type(hid_t file, const std::string& where) {
    const std::size_t bytes = ::H5Tget_size(file);
    const std::size_t precision = ::H5Tget_precision(file);
    if (bytes < 1 || precision < 1 || precision > 64)
        throw_unknown(fmt::format("integers of {} bits", precision), where);
    const bool is_signed = ::H5Tget_sign(file) == H5T_SGN_2;
    struct Integer {
        DType dtype;
        hid_t memory;
    };
    const std::array<Integer, 8> integers{{{int8, H5T_NATIVE_INT8},
                                           {int16, H5T_NATIVE_INT16},
                                           {int32, H5T_NATIVE_INT32},
                                           {int64, H5T_NATIVE_INT64},
                                           {uint8, H5T_NATIVE_UINT8},
                                           {uint16, H5T_NATIVE_UINT16},
                                           {uint32, H5T_NATIVE_UINT32},
                                           {uint64, H5T_NATIVE_UINT64}}};
    const auto width = std::bit_ceil((precision + 7) / 8); // in memory
    const Integer& integer =
        integers[static_cast<std::size_t>(std::countr_zero(width)) + (is_signed ? 0 : 4)];
    ElementType type = number_type(integer.dtype, file, integer.memory, where);
    const H5T_order_t order = ::H5Tget_order(file);
    type.is_plain = bytes == width && precision == 8 * width && ::H5Tget_offset(file) == 0 &&
                    (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
    return type;
}

/// A type of floats in this machine's byte order.
Handle float_type(std::size_t bytes, std::size_t exponent, std::size_t mantissa,
                  const std::string& where) {
    Handle type = opened(::H5Tcopy(H5T_NATIVE_FLOAT), where);
    checked(::H5Tset_fields(type.id(), exponent + mantissa, mantissa, exponent, 0, mantissa),
            where);
    checked(::H5Tset_precision(type.id(), 8 * bytes), where);
    checked(::H5Tset_size(type.id(), bytes), where);
    checked(::H5Tset_ebias(type.id(), (std::size_t{1} << (exponent - 1)) - 1), where);
    return type;
}

ElementType floating_type(hid_t file, const std::string& where) {
    const bool swapped = is_swapped(file);
    const auto is = [&](hid_t native) {
        const Handle same = opened(::H5Tcopy(native), where);
        if (swapped) checked(::H5Tset_order(same.id(), ::H5Tget_order(file)), where);
        return ::H5Tequal(same.id(), file) > 0;
    };
    if (is(H5T_NATIVE_FLOAT)) return number_type(float32, file, H5T_NATIVE_FLOAT, where);
    if (is(H5T_NATIVE_DOUBLE)) return number_type(float64, file, H5T_NATIVE_DOUBLE, where);
    if (::H5Tget_size(file) == 2) {
        const Handle half = float_type(2, 5, 10, where);
        if (is(half.id())) return number_type(float16, file, half.id(), where);
        const Handle brain = float_type(2, 8, 7, where);
        if (is(brain.id())) return number_type(bfloat16, file, brain.id(), where);
    }
    std::size_t sign = 0, exponent_at = 0, exponent = 0, mantissa_at = 0, mantissa = 0;
    checked(::H5Tget_fields(file, &sign, &exponent_at, &exponent, &mantissa_at, &mantissa), where);
    if (exponent > 11 || mantissa > 52)
        throw_unknown(fmt::format("floats of {} bits", ::H5Tget_precision(file)), where);
    const bool is_small = exponent <= 8 && mantissa <= 23;
    ElementType type = number_type(is_small ? float32 : float64, file,
                                   is_small ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, where);
    type.is_plain = false;
    return type;
}

ElementType bits_type(hid_t file, const std::string& where) {
    const std::size_t bytes = ::H5Tget_size(file);
    if (!std::has_single_bit(bytes) || bytes > 8)
        throw_unknown(fmt::format("bit fields of {} bytes", bytes), where);
    const std::array<DType, 4> types{uint8, uint16, uint32, uint64};
    ElementType type =
        number_type(types[static_cast<std::size_t>(std::countr_zero(bytes))], file, file, where);
    type.memory_swapped = type.swapped;
    return type;
}

/// h5py's bools, or the integers that values of an enumeration are.
ElementType enumeration_type(hid_t file, const std::string& where) {
    const Handle base = opened(::H5Tget_super(file), where);
    ElementType type = element_type(base.id(), where);
    const int members = ::H5Tget_nmembers(file);
    type.memory = opened(::H5Tcopy(file), where);
    type.memory_swapped = type.swapped;
    if (!type.is_plain) throw_unknown("an enumeration of padded integers", where);
    if (members != 2 || type.bytes != 1) return type;
    for (unsigned i = 0; i < 2; ++i) {
        unsigned char value = 0;
        const std::string name = taken(::H5Tget_member_name(file, i));
        checked(::H5Tget_member_value(file, i, &value), where);
        if (value > 1 || name != (value == 0 ? "FALSE" : "TRUE")) return type;
    }
    type.dtype = boolean;
    type.encoding = Encoding::booleans;
    return type;
}

/// h5py's complex numbers.
ElementType compound_type(hid_t file, const std::string& where) {
    const int count = ::H5Tget_nmembers(file);
    std::string names;
    for (int i = 0; i < count && names.size() < 60; ++i)
        names += (i == 0 ? "" : ", ") +
                 npy::quoted(taken(::H5Tget_member_name(file, static_cast<unsigned>(i))));
    if (names == "'r', 'i'" || names == "'real', 'imag'") {
        const Handle real = opened(::H5Tget_member_type(file, 0), where);
        const Handle imaginary = opened(::H5Tget_member_type(file, 1), where);
        if (::H5Tget_class(real.id()) == H5T_FLOAT && ::H5Tequal(real.id(), imaginary.id()) > 0) {
            ElementType part = element_type(real.id(), where);
            const auto bytes = static_cast<std::size_t>(part.bytes);
            const bool is_dense = ::H5Tget_size(file) == 2 * bytes &&
                                  ::H5Tget_member_offset(file, 0) == 0 &&
                                  ::H5Tget_member_offset(file, 1) == bytes;
            if (is_dense && part.is_plain && (part.dtype == float32 || part.dtype == float64)) {
                part.dtype = part.dtype == float32 ? kDType<std::complex<float>>
                                                   : kDType<std::complex<double>>;
                part.bytes *= 2;
                part.memory = opened(::H5Tcopy(file), where);
                part.memory_swapped = part.swapped;
                return part;
            }
        }
    }
    throw_unknown(fmt::format("a compound type of {} members ({})", count, names), where);
}

ElementType text_type(hid_t file, const std::string& where) {
    ElementType type;
    type.dtype = kDType<std::string>;
    type.ordered = 1;
    type.padding = ::H5Tget_strpad(file);
    type.memory = opened(::H5Tcopy(file), where);
    type.is_plain = checked(::H5Tis_variable_str(file), where) == 0;
    type.encoding = type.is_plain ? Encoding::texts : Encoding::variable_texts;
    type.bytes = type.is_plain ? static_cast<index_t>(::H5Tget_size(file)) : index_t{sizeof(char*)};
    if (type.bytes < 1 || type.bytes > kMaxTextBytes)
        throw_unknown(fmt::format("texts of {} bytes", type.bytes), where);
    return type;
}

/// Times, as h5py writes those of NumPy.
ElementType opaque_type(hid_t file, const std::string& where) {
    const std::string tag = taken(::H5Tget_tag(file));
    if (!tag.starts_with("NUMPY:"))
        throw_unknown(fmt::format("opaque elements called {}", npy::quoted(tag)), where);
    const npy::Descr descr = npy::parse_descr(std::string_view(tag).substr(6), where);
    ElementType type = number_type(descr.dtype, file, file, where);
    if (descr.dtype == boolean || descr.dtype.size_bytes() != type.bytes || type.bytes != 8)
        throw_unknown(fmt::format("opaque elements called {}", npy::quoted(tag)), where);
    type.swapped = type.memory_swapped = descr.byte_swapped;
    return type;
}

} // namespace

ElementType element_type(hid_t type, const std::string& where) {
    switch (checked(::H5Tget_class(type), where)) {
    case H5T_INTEGER: return integer_type(type, where);
    case H5T_FLOAT: return floating_type(type, where);
    case H5T_BITFIELD: return bits_type(type, where);
    case H5T_ENUM: return enumeration_type(type, where);
    case H5T_COMPOUND: return compound_type(type, where);
    case H5T_STRING: return text_type(type, where);
    case H5T_OPAQUE: return opaque_type(type, where);
    case H5T_REFERENCE: throw_unknown("references", where);
    case H5T_VLEN: throw_unknown("lists of any length", where);
    case H5T_ARRAY: throw_unknown("an array in each element", where);
    case H5T_TIME: throw_unknown("HDF5's own times", where);
    default: throw_unknown("elements of another class", where);
    }
}

void require_memory(const ElementType& type, index_t count, const std::string& where) {
    const index_t most = std::max(memory_limit(), index_t{1} << 20);
    if (type.encoding == Encoding::texts && count > most / type.bytes)
        throw MemoryLimitError(fmt::format("{}: {} texts of {} bytes are more than the memory "
                                           "limit, {} bytes",
                                           where, count, type.bytes, memory_limit()));
}

void elements_of_bytes(const ElementType& type, bool swapped, std::span<std::byte> raw,
                       index_t count, void* out) {
    if (type.encoding == Encoding::texts) {
        auto* const texts = static_cast<std::string*>(out);
        const char* first = reinterpret_cast<const char*>(raw.data());
        for (index_t i = 0; i < count; ++i, first += type.bytes) {
            std::string_view text(first, static_cast<std::size_t>(type.bytes));
            if (type.padding == H5T_STR_NULLTERM) text = text.substr(0, text.find('\0'));
            const char filler = type.padding == H5T_STR_SPACEPAD ? ' ' : '\0';
            texts[i].assign(text.substr(0, text.find_last_not_of(filler) + 1));
        }
        return;
    }
    if (type.encoding == Encoding::booleans) // in C++ true is 1, in a file any byte but 0
        for (std::byte& value : raw) value = std::byte{value != std::byte{}};
    if (swapped && type.ordered > 1)
        swap_bytes(raw.data(), std::ssize(raw) / type.ordered, type.ordered);
    if (raw.data() != out) std::copy(raw.begin(), raw.end(), static_cast<std::byte*>(out));
}

void read_converted(const ElementType& type, index_t count, void* out, const std::string& where,
                    FunctionRef<herr_t(void* place)> read) {
    const auto room = static_cast<std::size_t>(count);
    if (type.encoding == Encoding::variable_texts) {
        std::vector<char*> places(room, nullptr);
        const herr_t error = read(places.data());
        const std::string reason = error < 0 ? error_message() : std::string();
        auto* const texts = static_cast<std::string*>(out);
        for (std::size_t i = 0; i < room; ++i) {
            if (error >= 0) texts[i].assign(places[i] == nullptr ? "" : places[i]);
            ::H5free_memory(places[i]);
        }
        if (error < 0) throw FormatError(fmt::format("{}: {}", where, reason));
        return;
    }
    if (type.encoding == Encoding::texts) {
        require_memory(type, count, where);
        std::vector<std::byte> raw(room * static_cast<std::size_t>(type.bytes));
        checked(read(raw.data()), where);
        return elements_of_bytes(type, false, raw, count, out);
    }
    const std::span<std::byte> raw{static_cast<std::byte*>(out),
                                   room * static_cast<std::size_t>(type.dtype.size_bytes())};
    std::fill(raw.begin(), raw.end(), std::byte{});
    checked(read(out), where);
    elements_of_bytes(type, type.memory_swapped, raw, count, out);
}

} // namespace purview::hdf5
