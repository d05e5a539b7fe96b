#pragma once

#include <purview/base/config.hpp>
#include <purview/base/function_ref.hpp>

#include <string>

namespace purview::inline v0_1 {

/// How a call would read arrays of chunks, as a line of text: it is made as far as to where it would read the first
/// one, or take steps of a loop, or choose one of two functions, which is described in lines. What it does before, with
/// what is in memory, is done. The text is meant for people and may change.
PURVIEW_EXPORT std::string explain_call(FunctionRef<void()> call);

/// Whether this thread makes a call to explain it.
PURVIEW_EXPORT bool is_explained() noexcept;

/// What ends such a call: no error. Code of the call that catches everything has to pass it on.
struct PURVIEW_EXPORT ExplainedCall {
    std::string how;
};

} // namespace purview
