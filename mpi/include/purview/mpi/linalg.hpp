#pragma once

// Linear algebra of distributed matrices and vectors, for programs that link purview::linalg, too.
#include <purview/mpi/linalg/eigenvalues.hpp>
#include <purview/mpi/linalg/factors.hpp>
#include <purview/mpi/linalg/iterative.hpp>
