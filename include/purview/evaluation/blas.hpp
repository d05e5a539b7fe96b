#pragma once

#include <purview/base/config.hpp>

#include <string>

namespace purview::inline v0_1 {

/// The BLAS that large products of floats run on, as `explain` prints it: `OpenBLAS 0.3.21 SkylakeX (libopenblas.so.0)`. Or why there is
/// none, so that they run on Purview's own loops: `no BLAS: libopenblas.so.0: cannot open shared object file …`. The first call, or
/// the first such product, loads it (10 to 15 ms); the environment variable PURVIEW_BLAS may name another library, or say `off`.
PURVIEW_EXPORT std::string blas_library();

} // namespace purview
