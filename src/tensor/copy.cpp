#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/replace.hpp>
#include <purview/tensor/copy.hpp>

#include "base/same_extents.hpp"
#include "dtype/stored_types.hpp"

#include <fmt/format.h>

#include <string>

namespace purview::inline v0_1 {
namespace {

/// The Dimensions of the source, seen in the shape of the destination.
Dimensions fit(const Operand& source, ShapeSpan shape) {
    const ShapeSpan own = source.dims.max_shape();
    if (same_extents(own, shape)) return source.dims;
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
    return convert_operand(fitting, destination.dtype(), Op::cast);
}

void copy_operand(const Operand& source, const Operand& destination, const char* what) {
    if (source.dtype() == destination.dtype() &&
        same_extents(source.dims.max_shape(), destination.dims.max_shape())) {
        if (!is_writable(destination)) throw_read_only(what, destination);
        return replace_elements(source, destination);
    }
    replace_elements(copied_operand(source, destination, what), destination);
}

namespace {

/// A dense copy of elements of a built-in type, of strings or of times.
AnyTensor dense_clone(const char* what, const AnyTensor& source) {
    check_dense_of_sparse(what, source.operand());
    const auto copied = [&]<typename T>(std::type_identity<T>) {
        const MutableTensor<T> result = empty<T>(source.shape());
        assign(source.operand(), result.operand());
        return AnyTensor(result);
    };
    if (source.dtype() == kDType<std::string>) return copied(std::type_identity<std::string>{});
    return visit_stored_dtype(source.dtype(), what, copied);
}

} // namespace

AnyTensor dense_clone_tensor(const AnyTensor& source) { return dense_clone("contiguous", source); }

AnyTensor clone_tensor(const AnyTensor& source) {
    if (!source.dtype().is_builtin()) return dense_clone("clone", source);
    return visit_dtype(source.dtype(), "clone", [&]<typename T>(std::type_identity<T>) {
        return AnyTensor(tensor(Tensor<T>(source.operand())));
    });
}

} // namespace purview
