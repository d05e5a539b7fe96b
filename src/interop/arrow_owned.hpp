#pragma once

#include <purview/interop/arrow.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace purview::inline v0_1::arrow {

/// Elements as Arrow lays them out: their format, the buffers behind the bitmap, and what keeps those.
struct Layout {
    std::string format;
    std::vector<const void*> buffers{};
    std::vector<Owner> owners{};
};

/// An array with a schema, of a layout whose first buffer, if any, is the bitmap (null: no gaps). It owns
/// what it points to, and each child by itself, so that consumers may move children out. purview::arrow makes some, too.
PURVIEW_EXPORT Export owned_array(Layout layout, const std::string& name, std::int64_t length,
                                  std::int64_t null_count, std::vector<Export> children);

/// Another schema that says the same, of one that `owned_array` made.
Schema copied_schema(const Schema& schema);

} // namespace purview::arrow
