#pragma once

namespace purview {

/// False: what a `static_assert` says in a template that answers a call people write by mistake.
template <typename... X>
inline constexpr bool kRefused = false;

} // namespace purview
