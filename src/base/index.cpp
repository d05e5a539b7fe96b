#include <purview/base/errors.hpp>
#include <purview/base/index.hpp>

#include <ostream>

namespace purview {

Shape::Shape(const Shape& other) = default;
Shape::Shape(Shape&& other) noexcept = default;
Shape& Shape::operator=(const Shape& other) = default;
Shape& Shape::operator=(Shape&& other) noexcept = default;

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

} // namespace purview
