#include <purview/base/errors.hpp>
#include <purview/dimensions/axes.hpp>

#include <fmt/format.h>

namespace purview {

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
