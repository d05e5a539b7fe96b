#include <purview/zarr/zarr_options.hpp>

#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <blosc.h>
#include <zstd.h>

namespace purview::inline v0_1 {

ZarrCodec::ZarrCodec(std::string name, int level, int least, int most)
    : name_(std::move(name)), level_(level) {
    if (level < least || level > most)
        throw FormatError(
            fmt::format("{}: level {} is outside of [{}, {}]", name_, level, least, most));
}

ZarrCodec ZarrCodec::zstd(int level) {
    return {"zstd", level, ::ZSTD_minCLevel(), ::ZSTD_maxCLevel()};
}
ZarrCodec ZarrCodec::gzip(int level) { return {"gzip", level, 0, 9}; }
ZarrCodec ZarrCodec::zlib(int level) { return {"zlib", level, 0, 9}; }
ZarrCodec ZarrCodec::lz4(int acceleration) { return {"lz4", acceleration, 1, 65537}; }
ZarrCodec ZarrCodec::crc32c() { return {"crc32c", 0, 0, 0}; }

ZarrCodec ZarrCodec::blosc(std::string name, int level, Shuffle shuffle) {
    constexpr std::array<std::string_view, 5> kNames{"blosclz", "lz4", "lz4hc", "zlib", "zstd"};
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end() ||
        ::blosc_compname_to_compcode(name.c_str()) < 0)
        throw FormatError(fmt::format("blosc: has no compressor {}", npy::quoted(name)));
    ZarrCodec codec("blosc", level, 0, 9);
    codec.compressor_ = std::move(name);
    codec.shuffle_ = shuffle;
    return codec;
}

} // namespace purview
