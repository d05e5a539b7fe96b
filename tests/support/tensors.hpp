#pragma once

/// What a test of tensors needs, without the whole house.

#include <purview/functional/arithmetic.hpp>
#include <purview/functional/cast.hpp>
#include <purview/functional/comparison.hpp>
#include <purview/functional/emap.hpp>
#include <purview/functional/maths.hpp>
#include <purview/functional/reduce.hpp>
#include <purview/functional/where.hpp>
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
