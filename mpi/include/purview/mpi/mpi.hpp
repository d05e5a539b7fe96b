#pragma once

// Tensors whose parts lie on the ranks of an MPI program.
#include <purview/mpi/collective.hpp>
#include <purview/mpi/communicator.hpp>
#include <purview/mpi/distributed.hpp>
#include <purview/mpi/distribution.hpp>
#include <purview/mpi/errors.hpp>
#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/files.hpp>
#include <purview/mpi/iterate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/mpi/order.hpp>
#include <purview/mpi/own_values.hpp>
#include <purview/mpi/products.hpp>
#include <purview/mpi/reductions.hpp>
#include <purview/mpi/run.hpp>
