#pragma once

namespace purview {

/// Always false, but dependent on `X`: the condition of a `static_assert` in an overload that
/// exists only to reject a common mistake with a clear message.
template <typename... X>
inline constexpr bool kRefused = false;

} // namespace purview
