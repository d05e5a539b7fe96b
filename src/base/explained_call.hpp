#pragma once

#include <purview/base/explained_call.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// Ends that call.
[[noreturn]] void end_explained(std::string how);

/// For what is about to read arrays of chunks, in the thread of the call: if it is explained, `how()`, a line of text,
/// says what would be done, and nothing is.
template <typename How>
void explained_as(How&& how) {
    if (is_explained()) [[unlikely]]
        end_explained(std::forward<How>(how)());
}

} // namespace purview
