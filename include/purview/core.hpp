#pragma once

// Tensors, views, arithmetic and reductions, for files that have to compile fast: this header takes
// two thirds of the time of purview/purview.hpp. Any other header can be added. Tensors can be
// indexed with dims, computed and reduced over dims; the other functions of dims are in
// purview/named: `order`, `split`, `stack`.

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/lookup.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/named/index_dims.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/compute.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>
