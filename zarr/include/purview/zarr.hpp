#pragma once

// Chunked arrays in stores, formats 2 and 3 of Zarr (https://zarr-specs.readthedocs.io).
#include <purview/io/cf_decoded.hpp>
#include <purview/zarr/create_zarr_group.hpp>
#include <purview/zarr/open_zarr.hpp>
#include <purview/zarr/save_zarr.hpp>
#include <purview/zarr/store.hpp>
#include <purview/zarr/zarr_options.hpp>
