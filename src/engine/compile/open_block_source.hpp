#pragma once

#include "engine/compile/block_source.hpp"
#include "engine/compile/values.hpp"

namespace purview::engine {

/// What reads a value that is a gather or pieces. Plans read these, and these make plans of what they read: the room of gathers
/// defines it.
std::shared_ptr<const BlockSource> open_block_source(const Value& value);

} // namespace purview::engine
