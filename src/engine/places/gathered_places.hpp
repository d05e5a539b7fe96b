#pragma once

#include <purview/expression/gather.hpp>

namespace purview::engine {

/// The elements of a shape.
index_t element_count(ShapeSpan extents) noexcept;

/// Elements at the end of a gather's source that are read one after the other, 1 at least.
index_t gathered_run(const Gather& gather);

/// Whether neighbours are read close to each other, as far as a few places tell. Of indexes that have to be computed: no.
bool reads_near(const Gather& gather);

} // namespace purview::engine
