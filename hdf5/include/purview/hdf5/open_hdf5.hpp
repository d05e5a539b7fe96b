#pragma once

#include <purview/hdf5/export.hpp>
#include <purview/io/stored_array.hpp>
#include <purview/io/stored_group.hpp>

#include <string>

namespace purview::inline v0_1 {

/// The root group of an HDF5 or NetCDF-4 file: arrays and groups by name, read only. Opening an array reads none of
/// its elements. Chunks are read when elements are wanted, decoded on all threads, and kept within `memory_limit()`;
/// those that were never written have the fill value. Arrays in one piece in this machine's byte order are mapped;
/// what else libhdf5 can read (compact, virtual and external arrays, filters of plugins) it reads on one thread.
/// External links are followed, to arrays of either kind. Raw elements of external arrays lie below what was
/// the working directory when the file was opened (or where HDF5_EXTFILE_PREFIX says).
///
/// Element types: integers and floats of both byte orders, float16, enumerations as their integers, h5py's bools
/// and complex numbers, `datetime64` and `timedelta64` of NumPy, texts (of a length or of any). `dimension_names`
/// are those of dimension scales, else labels. NetCDF-4's own attributes, and its dimensions without values, are
/// not listed. What libhdf5 cannot open is listed among the arrays, but for a name that stands for another one in the
/// file that there is not.
///
/// Throws `FormatError` naming the file, the array and what is wrong, in libhdf5's words where it is what fails, also
/// when a damaged chunk is read, or one by a filter that neither Purview nor libhdf5 has;
/// `DtypeError` for compound types, references and others that Purview does not have. libhdf5 is called under one
/// lock of the process; it prints nothing.
PURVIEW_HDF5_EXPORT StoredGroup open_hdf5(const std::string& path);

} // namespace purview
