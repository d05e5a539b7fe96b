#include "codecs/filters.hpp"

#include "io/chunk_decoders.hpp"
#include "io/npy_descr.hpp"
#include "reader/byte_swapped.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace purview::inline v0_1::zarr {
namespace {

void require_multiple(std::span<const std::byte> bytes, index_t width, const char* name,
                      const std::string& where) {
    if (std::ssize(bytes) % width != 0)
        throw FormatError(fmt::format("{}: {}: {} bytes are no elements of {}", where, name,
                                      bytes.size(), width));
}

/// The first bytes of all elements, then the second ones, …
class ShuffleFilter final : public BytesCodec {
public:
    explicit ShuffleFilter(index_t width) : width_(width) {}
    std::string name() const override { return "shuffle"; }
    bool is_fixed() const noexcept override { return true; }
    index_t most_encoded(index_t decoded) const override { return decoded; }
    index_t claimed(std::span<const std::byte> in, const std::string&) const override {
        return std::ssize(in);
    }
    index_t decode(std::span<const std::byte> in, std::span<std::byte> out,
                   const std::string& where) const override {
        require_multiple(in, width_, "shuffle", where);
        return chunks::unshuffle(in, width_, out);
    }
    std::vector<std::byte> encode(std::span<const std::byte> in,
                                  const std::string& where) const override {
        require_multiple(in, width_, "shuffle", where);
        std::vector<std::byte> out(in.size());
        const index_t count = std::ssize(in) / width_;
        for (index_t k = 0; k < width_; ++k)
            for (index_t i = 0; i < count; ++i)
                out[static_cast<std::size_t>(k * count + i)] =
                    in[static_cast<std::size_t>(i * width_ + k)];
        return out;
    }

private:
    index_t width_;
};

/// Numbers of one type that are made of as many of another one: the first number, then differences;
/// or, with a scale, `(x - offset) * scale`, rounded.
class NumberFilter final : public BytesCodec {
public:
    NumberFilter(npy::Descr decoded, npy::Descr encoded, double scale, double offset)
        : decoded_(decoded), encoded_(encoded), scale_(scale), offset_(offset) {}
    std::string name() const override { return scales() ? "fixedscaleoffset" : "delta"; }
    bool is_fixed() const noexcept override { return true; }
    index_t most_encoded(index_t decoded) const override {
        return decoded / decoded_.dtype.size_bytes() * encoded_.dtype.size_bytes();
    }
    index_t claimed(std::span<const std::byte> in, const std::string&) const override {
        return std::ssize(in) / encoded_.dtype.size_bytes() * decoded_.dtype.size_bytes();
    }
    index_t decode(std::span<const std::byte> in, std::span<std::byte> out,
                   const std::string& where) const override {
        require_multiple(in, encoded_.dtype.size_bytes(), name().c_str(), where);
        const index_t bytes = claimed(in, where);
        if (bytes > std::ssize(out)) return -1;
        visit_dtype(decoded_.dtype, "open_zarr", [&]<typename T>(std::type_identity<T>) {
            visit_dtype(encoded_.dtype, "open_zarr", [&]<typename E>(std::type_identity<E>) {
                if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<E, bool>)
                    decode_numbers<T, E>(in, out.data());
            });
        });
        return bytes;
    }
    /// Differences of integers: sums of floating-point ones, and what is scaled, are others than were
    /// written.
    bool can_encode() const noexcept override {
        return !scales() && decoded_.dtype.is_integer() && encoded_.dtype.is_integer();
    }
    std::vector<std::byte> encode(std::span<const std::byte> in,
                                  const std::string& where) const override {
        require_multiple(in, decoded_.dtype.size_bytes(), "delta", where);
        std::vector<std::byte> out(static_cast<std::size_t>(most_encoded(std::ssize(in))));
        visit_dtype(decoded_.dtype, "save_zarr", [&]<typename T>(std::type_identity<T>) {
            visit_dtype(encoded_.dtype, "save_zarr", [&]<typename E>(std::type_identity<E>) {
                if constexpr (std::is_integral_v<T> && std::is_integral_v<E> &&
                              !std::is_same_v<T, bool> && !std::is_same_v<E, bool>)
                    encode_differences<T, E>(in, out.data(), where);
            });
        });
        return out;
    }

private:
    /// 0: differences.
    bool scales() const noexcept { return scale_ != 0; }

    template <typename T, typename E>
    void decode_numbers(std::span<const std::byte> in, std::byte* out) const {
        T sum{};
        for (; !in.empty(); in = in.subspan(sizeof(E)), out += sizeof(T)) {
            std::byte bytes[sizeof(E)];
            std::memcpy(bytes, in.data(), sizeof(E));
            if (encoded_.byte_swapped) swap_bytes(bytes, 1, sizeof(E));
            const E encoded = std::bit_cast<E>(bytes);
            sum = scales() ? number_of<T>(static_cast<double>(encoded) / scale_ + offset_)
                           : added(sum, difference_of<T>(encoded));
            std::memcpy(out, &sum, sizeof(T));
            if (decoded_.byte_swapped) swap_bytes(out, 1, sizeof(T));
        }
    }
    template <typename T, typename E>
    void encode_differences(std::span<const std::byte> in, std::byte* out,
                            const std::string& where) const {
        T before{};
        for (; !in.empty(); in = in.subspan(sizeof(T)), out += sizeof(E)) {
            std::byte bytes[sizeof(T)];
            std::memcpy(bytes, in.data(), sizeof(T));
            if (decoded_.byte_swapped) swap_bytes(bytes, 1, sizeof(T));
            const T number = std::bit_cast<T>(bytes);
            const E difference = static_cast<E>(static_cast<std::uint64_t>(number) -
                                                static_cast<std::uint64_t>(before));
            if (added(before, static_cast<T>(difference)) != number)
                throw CastError(fmt::format("{}: delta: {} behind {} is no difference of {}", where,
                                            number, before, encoded_.dtype.name()));
            before = number;
            std::memcpy(out, &difference, sizeof(E));
            if (encoded_.byte_swapped) swap_bytes(out, 1, sizeof(E));
        }
    }
    template <typename T, typename E>
    static T difference_of(E encoded) {
        if constexpr (std::is_floating_point_v<E>)
            return number_of<T>(encoded);
        else
            return static_cast<T>(encoded);
    }
    /// Whatever the number: where the type has none near it, some other one.
    template <typename T>
    static T number_of(double value) {
        if constexpr (std::is_integral_v<T>) {
            constexpr double kEnd = 18446744073709551616.0;
            if (!(std::abs(value) < kEnd)) return T{};
            const auto whole = static_cast<std::uint64_t>(std::abs(value));
            return static_cast<T>(value < 0 ? -whole : whole);
        } else {
            return static_cast<T>(value);
        }
    }
    /// Sums wrap round, as NumPy's do.
    template <typename T>
    static T added(T sum, T difference) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(difference));
        else
            return sum + difference;
    }

    npy::Descr decoded_;
    npy::Descr encoded_;
    double scale_;
    double offset_;
};

npy::Descr number_descr(const Json::Value& text, const std::string& where) {
    const npy::Descr descr = npy::parse_descr(text_of(text, "dtype of a filter", where), where);
    if (!descr.dtype.is_integer() && !descr.dtype.is_floating())
        throw DtypeError(
            fmt::format("{}: filters of {} are not understood", where, descr.dtype.name()));
    return descr;
}

double number_in(const Json::Value& filter, const char* name, const std::string& where) {
    const Json::Value& value = member(filter, name, where);
    if (!value.isNumeric())
        throw FormatError(fmt::format("{}: {} of fixedscaleoffset is no number", where, name));
    return value.asDouble();
}

} // namespace

std::shared_ptr<const BytesCodec> filter_of_format_2(const Json::Value& filter,
                                                     const std::string& id, const StoredType& type,
                                                     const std::string& where) {
    if (id == "shuffle") {
        const Json::Value& width = filter["elementsize"];
        return std::make_shared<ShuffleFilter>(
            width.isNull() ? 4 : integer_of(width, "elementsize", 1, 256, where));
    }
    // kerchunk says so of what HDF5 has compressed.
    if (id == "zlib" || id == "gzip" || id == "zstd" || id == "blosc" || id == "lz4")
        return compressor(id, filter, std::max<index_t>(1, type.bytes), where);
    if (id != "delta" && id != "fixedscaleoffset")
        throw FormatError(fmt::format("{}: filter {} is not understood", where, npy::quoted(id)));
    const npy::Descr decoded = number_descr(member(filter, "dtype", where), where);
    if (decoded.dtype.size_bytes() != type.bytes && id == "fixedscaleoffset")
        throw FormatError(fmt::format("{}: filter '{}' is of {}, and the array of {}", where, id,
                                      decoded.dtype.name(), type.dtype.name()));
    const Json::Value& astype = filter["astype"];
    const npy::Descr encoded = astype.isNull() ? decoded : number_descr(astype, where);
    if (id == "delta") return std::make_shared<NumberFilter>(decoded, encoded, 0, 0);
    const double scale = number_in(filter, "scale", where);
    if (scale == 0) throw FormatError(fmt::format("{}: scale of fixedscaleoffset is 0", where));
    return std::make_shared<NumberFilter>(decoded, encoded, scale,
                                          number_in(filter, "offset", where));
}

} // namespace purview::zarr
