#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/tensor/copy.hpp>

#include "dtype/known_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace purview {
namespace {

/// The Dimensions of the source, seen in the shape of the destination.
Dimensions fit(const Operand& source, ShapeSpan shape) {
    const ShapeSpan own = source.dims.max_shape();
    if (std::ranges::equal(own, shape)) return source.dims;
    const Dimensions target = Dimensions::row_major(shape);
    if ((own.size() == 1 || shape.size() == 1) && source.dims.size() == target.size())
        return dimensions::reshape(source.dims, shape);
    try {
        return dimensions::expand(source.dims, shape);
    } catch (const ShapeError&) {
        throw ShapeError(fmt::format("copy: shape {} cannot be copied to shape {}", to_string(own),
                                     to_string(shape)));
    }
}

} // namespace

Operand copied_operand(const Operand& source, const Operand& destination, const char* what) {
    if (!is_writable(destination)) throw_read_only(what, destination);
    const Operand fitting{source.node, fit(source, destination.dims.max_shape())};
    return cast_operand(fitting, destination.dtype(), Op::cast);
}

void copy_operand(const Operand& source, const Operand& destination, const char* what) {
    if (source.dtype() == destination.dtype() &&
        std::ranges::equal(source.dims.max_shape(), destination.dims.max_shape())) {
        if (!is_writable(destination)) throw_read_only(what, destination);
        return assign(source, destination);
    }
    assign(copied_operand(source, destination, what), destination);
}

namespace {

/// Calls `work(std::type_identity<T>)` with a type whose tensors the library can make by itself.
template <typename Work>
AnyTensor made_of_known_type(DType dtype, const char* what, Work work) {
    if (dtype == kDType<std::string>) return work(std::type_identity<std::string>{});
    return visit_number_or_time(dtype, what, work);
}

} // namespace

AnyTensor dense_clone_tensor(const AnyTensor& source) {
    check_dense_of_sparse("contiguous", source.operand());
    return made_of_known_type(source.dtype(), "contiguous", [&]<typename T>(std::type_identity<T>) {
        const MutableTensor<T> result = empty<T>(source.shape());
        assign(source.operand(), result.operand());
        return AnyTensor(result);
    });
}

AnyTensor clone_tensor(const AnyTensor& source) {
    return made_of_known_type(source.dtype(), "clone", [&]<typename T>(std::type_identity<T>) {
        return AnyTensor(tensor(Tensor<T>(source.operand())));
    });
}

} // namespace purview
