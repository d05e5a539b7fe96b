#include <purview/base/errors.hpp>
#include <purview/io/bind_dims.hpp>
#include <purview/named/index_dims.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace purview::inline v0_1 {

DimOperand bind_named_axes(const StoredArray& array, std::span<const Dim* const> dims) {
    const std::vector<std::string>& names = array.dimension_names;
    std::vector<DimIndex> indexes(static_cast<std::size_t>(array.values.rank()),
                                  DimIndex(TensorIndex(all)));
    for (const Dim* const dim : dims) {
        for (const Dim* const other : dims)
            if (other->name() == dim->name() && !same(*other, *dim))
                throw DimError(fmt::format("bind_dims: two Dims are called '{}'", dim->name()));
        index_t found = -1;
        for (std::size_t axis = 0; axis < names.size(); ++axis) {
            if (names[axis] != dim->name()) continue;
            if (found >= 0)
                throw DimError(
                    fmt::format("bind_dims: Dim '{}' has the name of axes {} and {} among '{}'",
                                dim->name(), found, axis, fmt::join(names, "', '")));
            found = static_cast<index_t>(axis);
        }
        if (found < 0)
            throw DimError(
                names.empty()
                    ? fmt::format("bind_dims: Dim '{}' names no axis: none has a name", dim->name())
                    : fmt::format("bind_dims: Dim '{}' names none of the axes '{}'", dim->name(),
                                  fmt::join(names, "', '")));
        indexes[static_cast<std::size_t>(found)] = *dim;
    }
    return index_with_dims(DimOperand(array.values.operand(), {}), indexes, names, "bind_dims");
}

} // namespace purview
