#pragma once

#include <purview/io/load_npy.hpp>
#include <purview/mpi/distributed.hpp>

#include <string>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same paths: see moving.hpp. All ranks see the same folder.

PURVIEW_MPI_EXPORT AnyDistributed load_npy_any(const std::string& path, const Grid& grid,
                                               const DType* dtype);

/// The array in an `.npy` file, in blocks on a grid: each rank maps the file, and reads its part. Throws what `purview::load_npy` throws,
/// and `DistributionError` for a grid of more axes than the array.
inline AnyDistributed load_npy(const std::string& path, const Grid& grid) {
    return load_npy_any(path, grid, nullptr);
}
template <NpyLoaded T>
Distributed<T> load_npy(const std::string& path, const Grid& grid) {
    return Distributed<T>(load_npy_any(path, grid, &kDType<T>));
}

/// Writes a distributed tensor to an `.npy` file, row-major, byte for byte what `purview::save_npy` writes of the whole. Parts are brought to
/// blocks of rows, which each rank writes into a temporary file in the same directory; when all is on disk, that
/// replaces `path`. Whatever happens, `path` is the old file or the complete new one; where a rank throws, the temporary file is removed.
/// Takes the memory of a second part. Throws what `purview::save_npy` throws.
PURVIEW_MPI_EXPORT void save_npy(const std::string& path, const AnyDistributed& x);

} // namespace purview
