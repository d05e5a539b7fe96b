#include <purview/base/errors.hpp>
#include <purview/dimensions/axes.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

Joint::Joint() noexcept = default;
Joint::Joint(const Joint& other) = default;
Joint::Joint(Joint&& other) noexcept = default;
Joint& Joint::operator=(const Joint& other) = default;
Joint& Joint::operator=(Joint&& other) noexcept = default;
Joint::~Joint() = default;

void Joint::add_one(const AxisOrDim& axis) { axes_.push_back(axis); }

Axes::Axes() noexcept = default;
Axes::Axes(const Axes& other) = default;
Axes::Axes(Axes&& other) noexcept = default;
Axes& Axes::operator=(const Axes& other) = default;
Axes& Axes::operator=(Axes&& other) noexcept = default;
Axes::~Axes() = default;

Axes::Axes(std::initializer_list<AxisOrDim> axes) : axes_(axes) {}
Axes::Axes(const Shape& axes) : axes_(axes.begin(), axes.end()) {}

void Axes::add_one(const AxisOrDim& axis) { axes_.push_back(axis); }

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
