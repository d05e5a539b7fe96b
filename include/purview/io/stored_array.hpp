#pragma once

#include <purview/io/attributes.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// An array in a file or store, with what is told about it. Opening one reads no elements.
struct StoredArray {
    AnyTensor values;
    std::vector<std::string>
        dimension_names; ///< of each axis, empty for one without; none at all: an empty list
    Attributes attributes;
    Shape chunk_shape;  ///< of what is read at once
    Shape shard_shape;  ///< of what is written at once
    std::string codecs; ///< how a chunk is encoded: `bytes, zstd`
    /// What a missing element is, where `_FillValue` is no number: the fill value of Zarr's format 2, and
    /// what xarray writes as a text.
    std::optional<Attributes::Number> missing;
};

} // namespace purview
