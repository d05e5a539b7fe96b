#pragma once

/// The namespace in which argument-dependent lookup finds the functions of tensors without a
/// prefix: `sqrt(x)`, also beside `using std::sqrt`. Every tensor derives from a class in it. See
/// functional/elementwise/lookup.hpp.
namespace purview::inline v0_1::lookup {

struct Tensors {};

} // namespace purview::lookup
