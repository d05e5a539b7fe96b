#pragma once

#include "codecs/codec_chain.hpp"

#include <purview/base/index.hpp>
#include <purview/zarr/store.hpp>

#include <string>
#include <vector>

namespace purview::inline v0_1::zarr {

/// How keys of chunks are made of their coordinates in the grid: `c/1/2`, `1.2`.
struct ChunkKeys {
    bool begins_with_c = true;
    char separator = '/';

    std::string key(ShapeSpan at) const;
};

/// What is known of an array before a chunk is read.
struct ArrayMetadata {
    Shape shape;
    Shape chunk; ///< of a chunk as it lies in the store: of a shard, where there are any
    FillValue fill;
    CodecChain codecs;
    ChunkKeys keys;
    std::vector<std::string> dimension_names; ///< empty: none is named
    Json::Value attributes;
};

/// Of the text of `zarr.json`; of `.zarray`, with the attributes of `.zattrs`. Throw `FormatError` and
/// `DtypeError` beginning with `where`.
ArrayMetadata metadata_of_format_3(const Json::Value& array, const std::string& where);
ArrayMetadata metadata_of_format_2(const Json::Value& array, const Json::Value& attributes,
                                   const std::string& where);

/// Throws unless every chunk has a place and elements that can be counted.
void require_grid(const ArrayMetadata& array, const std::string& where);

} // namespace purview::zarr
