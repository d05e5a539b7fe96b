#pragma once

#include <purview/mpi/errors.hpp>

#include <string>

namespace purview::inline v0_1::mpi {

// For `save_zarr`: what is done with folders of arrays by one rank.

/// Where an array is stored that replaces the one at `path`, until it is complete.
PURVIEW_MPI_EXPORT std::string folder_beside(const std::string& path);
PURVIEW_MPI_EXPORT void remove_folder(const std::string& path) noexcept;
/// Removes the metadata of an array, without which it is none.
PURVIEW_MPI_EXPORT void remove_array_metadata(const std::string& path) noexcept;
/// Moves the chunks of an array to where one without chunks is, and its metadata last. Throws `Error`
/// naming the file that cannot be moved.
PURVIEW_MPI_EXPORT void move_array(const std::string& from, const std::string& to);

} // namespace purview
