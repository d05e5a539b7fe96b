#pragma once

#include <purview/base/index.hpp>
#include <purview/dtype/half.hpp>
#include <purview/io/attributes.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/zarr/export.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

/// What Blosc does with elements before it compresses them: nothing, or all first bytes (or bits) of
/// them together, then all second ones.
enum class Shuffle : std::uint8_t { none, bytes, bits };

/// How bytes of a chunk are made smaller, or checked. Higher levels give fewer bytes and take longer.
/// Throw `FormatError` naming the level and the range for one outside of it.
class PURVIEW_ZARR_EXPORT ZarrCodec {
public:
    /// Levels up to 22; negative ones are faster. 0: the library's own choice, 3.
    static ZarrCodec zstd(int level = 3);
    /// Levels [0, 9].
    static ZarrCodec gzip(int level = 5);
    /// Levels [0, 9]. In format 3 as `numcodecs.zlib`, which zarr-python reads.
    static ZarrCodec zlib(int level = 5);
    /// A higher acceleration, up to 65537, is faster and gives more bytes. In format 3 as
    /// `numcodecs.lz4`. Chunks of at most 2 GiB.
    static ZarrCodec lz4(int acceleration = 1);
    /// `name`: `blosclz`, `lz4`, `lz4hc`, `zlib`, `zstd`; levels [0, 9]. Throws `FormatError` for
    /// other names. Chunks of at most 2 GiB.
    static ZarrCodec blosc(std::string name = "zstd", int level = 5,
                           Shuffle shuffle = Shuffle::bytes);
    /// A checksum behind the bytes, by which damaged ones are refused when they are read.
    static ZarrCodec crc32c();

    /// `zstd`, `blosc`, …
    const std::string& name() const noexcept { return name_; }
    int level() const noexcept { return level_; }
    /// Of Blosc: what it compresses by.
    const std::string& compressor() const noexcept { return compressor_; }
    Shuffle shuffle() const noexcept { return shuffle_; }

private:
    ZarrCodec(std::string name, int level, int least, int most);

    std::string name_;
    int level_;
    std::string compressor_;
    Shuffle shuffle_ = Shuffle::none;
};

/// The value of elements that no chunk has: a number, a text, a time, or a tensor of one element.
class ZarrFill {
public:
    template <typename V>
        requires(std::is_arithmetic_v<V> || WrittenValue<V> || ComplexElement<V> || kIsFloat16<V>)
    ZarrFill(const V& value) : value_(operand_of(value)) {}
    template <std::derived_from<TensorHandle> X>
    ZarrFill(const X& value) noexcept : value_(value) {}

    const AnyTensor& value() const noexcept { return value_; }

private:
    template <typename V>
    static Operand operand_of(const V& value) {
        if constexpr (std::is_arithmetic_v<V>)
            return number_operand(value);
        else if constexpr (WrittenValue<V>)
            return written_operand(value);
        else
            return constant_operand(value);
    }

    AnyTensor value_;
};

/// How an array is stored: `save_zarr(path, x, {.chunks = {64, 64, 64}})`.
struct ZarrOptions {
    /// The shape of a chunk, which may reach beyond the array; empty: about 2 MiB, as cubic as the
    /// shape allows.
    Shape chunks{};
    /// The shape of a shard: a key of the store with many chunks, each of which can be read by
    /// itself; a multiple of `chunks`. Empty: each chunk has a key. Format 3 only.
    Shape shards{};
    /// One after the other. Format 2 has one at most.
    std::vector<ZarrCodec> codecs = {ZarrCodec::zstd()};
    /// What elements are that no chunk has, converted with checks; nothing: zeros, empty texts. In format
    /// 2 xarray and `cf_decoded` take a fill for missing values; nothing is `null` there, which says of none.
    std::optional<ZarrFill> fill{};
    std::vector<std::string> dimension_names{}; ///< of each axis, or none
    /// Values by name; `Attributes({}, json)` for what is neither numbers nor text. Throws
    /// `FormatError` where `json` is no object.
    Attributes attributes{};
    int format = 3; ///< or 2
    /// Replaces an array that is there. Refused where folders of its chunks hold other files.
    bool overwrite = false;
};

} // namespace purview
