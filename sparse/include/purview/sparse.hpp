#pragma once

/// Everything of purview::sparse but the headers that need another library
/// (purview/sparse/eigen.hpp).

#include <purview/sparse/add.hpp>
#include <purview/sparse/compressed_matrix.hpp>
#include <purview/sparse/convert.hpp>
#include <purview/sparse/coo_matrix.hpp>
#include <purview/sparse/matrix_market.hpp>
#include <purview/sparse/mtx_header.hpp>
#include <purview/sparse/multiply.hpp>
#include <purview/sparse/npz.hpp>
#include <purview/sparse/npz_arrays.hpp>
#include <purview/sparse/tensor_forms.hpp>
