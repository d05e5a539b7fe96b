#pragma once

#include "../driver/driver.hpp"
#include "lowered.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// The function of every text.
inline constexpr const char* kEntry = "purview_kernel";

/// The text of a kernel, whole: what its dialect needs first, then the function `kEntry`.
std::string source_of(const Lowered& x, Dialect dialect);

/// The text after what its dialect needs first: names of types, and the functions that it calls.
std::string with_prelude(Dialect dialect, const std::string& kernel);

/// An operation as an expression of the variables v0, v1, …
std::string operation_text(const Lowered& x, const Value& value);

/// `text`, which is of the type that elements are stored in, as a value; and the opposite.
std::string loaded(Stored type, const std::string& text);
std::string rounded_to(Stored type, const std::string& text);

} // namespace purview::gpu::detail
