#pragma once

#include "engine/compile/block_source.hpp"
#include "engine/compile/values.hpp"

namespace purview::inline v0_1::engine {

/// The source of a value that is a gather or pieces. Plans read such sources, and such sources make
/// plans of what they read: so it is declared here, and defined in the room `gather`.
std::shared_ptr<const BlockSource> open_block_source(const Value& value);

} // namespace purview::engine
