#pragma once

#include "metadata/array_metadata.hpp"

#include <purview/zarr/zarr_options.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::zarr {

/// Keys below an array, and the texts that belong there: `zarr.json`; or `.zarray` and `.zattrs`.
using MetadataTexts = std::vector<std::pair<std::string, std::string>>;

/// The metadata of a new array. Throws `ShapeError` for chunks, shards or names of another rank than
/// the shape, extents below 1, shards that are no multiple of chunks; `DtypeError` for types that the
/// format has no name for; `CastError` for a fill that is not of the type; `FormatError` for what
/// format 2 lacks: shards, a second codec. All begin with `where`.
MetadataTexts metadata_texts(ShapeSpan shape, DType dtype, const ZarrOptions& options,
                             const std::string& where);
/// What `texts` say, as a reader understands them: what chunks are encoded by.
ArrayMetadata metadata_of(const MetadataTexts& texts, const std::string& where);

/// About 2 MiB, as cubic as the shape allows; an axis without elements counts as one that will have
/// many.
Shape default_chunks(ShapeSpan shape, index_t element_bytes);

/// The metadata of an array (`zarr.json`, `.zarray`) with another shape; the rest of the text as it is.
std::string with_shape(std::span<const std::byte> text, ShapeSpan shape, const std::string& where);

} // namespace purview::zarr
