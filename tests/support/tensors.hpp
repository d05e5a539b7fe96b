#pragma once

/// What a test of tensors needs, without the whole house.

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/reader/make_reader.hpp>
#include <purview/tensor/compute.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/description.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/slices.hpp>
#include <purview/tensor/tensor_reader.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>
