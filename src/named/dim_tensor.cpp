#include <purview/base/checked.hpp>
#include <purview/named/dim_tensor.hpp>

#include <fmt/format.h>

#include <ostream>

namespace purview {

Shape AnyDimTensor::shape() const {
    const DimOperand x = settled();
    return to_shape(x.operand.dims.max_shape().subspan(x.dims.size()));
}

index_t AnyDimTensor::extent(index_t axis) const {
    return shape()[static_cast<std::size_t>(checked_axis(axis, rank(), "extent"))];
}

index_t AnyDimTensor::size() const {
    index_t size = 1;
    for (const index_t extent : shape()) size *= extent;
    return size;
}

Operand AnyDimTensor::operand() const {
    if (!bound_.dims.empty())
        throw DimError(fmt::format("the dims {} of this tensor are bound: call order first",
                                   to_string(bound_.dims)));
    return settled().operand;
}

std::ostream& operator<<(std::ostream& out, const AnyDimTensor& tensor) {
    const DimOperand x = tensor.settled();
    out << AnyTensor(x.operand);
    if (x.dims.empty()) return out;
    std::string sizes;
    for (std::size_t i = 0; i < x.dims.size(); ++i)
        sizes += fmt::format("{}{}", i > 0 ? ", " : "", x.operand.dims.max_shape()[i]);
    return out << fmt::format("\nwith dims={} sizes=({}{}", to_string(x.dims), sizes,
                              x.dims.size() == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const AffineIndex& index) {
    return out << AnyDimTensor(dim_operand(index));
}

std::ostream& operator<<(std::ostream& out, const Dim& dim) { return out << AffineIndex(dim); }

} // namespace purview
