#pragma once

/// The namespace of functions that are found without a prefix for tensors: `sqrt(x)`, also beside `using std::sqrt`. It is
/// associated with every tensor, as a base is in it. See functional/elementwise/lookup.hpp.
namespace purview::lookup {

struct Tensors {};

} // namespace purview::lookup
