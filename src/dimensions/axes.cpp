#include <purview/base/errors.hpp>
#include <purview/dimensions/axes.hpp>

#include <fmt/format.h>

namespace purview {

DimVector Joint::dims() const {
    DimVector dims;
    for (const AxisOrDim& entry : axes_) {
        if (!entry.dim)
            throw DimError(
                fmt::format("joint: an axis is split into dims, and {} is none", entry.axis));
        dims.push_back(*entry.dim);
    }
    return dims;
}

Shape Axes::positional(const char* what) const {
    Shape axes;
    for (const AxisOrDim& entry : axes_) {
        if (entry.dim)
            throw DimError(fmt::format("{}: Dim '{}' is given, and the tensor has no bound dims",
                                       what, entry.dim->name()));
        axes.push_back(entry.axis);
    }
    return axes;
}

} // namespace purview
