#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/named/expand.hpp>

#include <fmt/format.h>

#include <span>

namespace purview::inline v0_1 {
namespace {

DimOperand expanded(const DimOperand& x, const DimVector& dims) {
    Shape shape;
    for (const Dim& dim : dims) shape.push_back(dim.size());
    const ShapeSpan old = x.operand.dims.max_shape();
    shape.insert(shape.end(), old.begin(), old.end());
    DimOperand result;
    result.operand = {x.operand.node, dimensions::expand(x.operand.dims, shape)};
    result.dims = dims;
    result.dims.insert(result.dims.end(), x.dims.begin(), x.dims.end());
    return result;
}

} // namespace

DimOperand expand_operand(const DimOperand& x, DimVector dims) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (position_of(dims[i], x.dims) >= 0)
            throw DimError(fmt::format("expand: the tensor has Dim '{}', its dims are {}",
                                       dims[i].name(), to_string(x.dims)));
        if (position_of(dims[i], std::span<const Dim>(dims).first(i)) >= 0)
            throw DimError(fmt::format("expand: Dim '{}' is given twice", dims[i].name()));
    }
    DimVector needs = needs_of({&x, 1});
    for (const Dim& dim : dims)
        if (!dim.has_size()) needs.push_back(dim);
    if (needs.empty()) return expanded(settled(x), dims);
    DimVector joined = dims;
    joined.insert(joined.end(), x.dims.begin(), x.dims.end());
    const DType dtype = x.is_deferred() ? x.deferred->dtype() : x.operand.dtype();
    return defer(dtype, std::move(joined), rank_of(x), {x}, std::move(needs),
                 [dims = std::move(dims)](std::span<DimOperand> operands) {
                     return expanded(operands[0], dims);
                 });
}

} // namespace purview
