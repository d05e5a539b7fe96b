#pragma once

/// Linear algebra: `purview::linalg`, a component.

#include <purview/linalg/decompositions.hpp>
#include <purview/linalg/eigenvalues.hpp>
#include <purview/linalg/incomplete.hpp>
#include <purview/linalg/iterative.hpp>
#include <purview/linalg/least_squares.hpp>
#include <purview/linalg/linear_operator.hpp>
#include <purview/linalg/matrix_function.hpp>
#include <purview/linalg/products.hpp>
#include <purview/linalg/singular_values.hpp>
#include <purview/linalg/solve.hpp>
