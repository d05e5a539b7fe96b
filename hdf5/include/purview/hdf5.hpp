#pragma once

// Arrays in HDF5 files (https://www.hdfgroup.org), of which NetCDF-4 files are some.
#include <purview/hdf5/open_hdf5.hpp>
#include <purview/io/cf_decoded.hpp>
