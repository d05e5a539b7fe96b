#include <purview/base/checked.hpp>
#include <purview/tensor/shape_check.hpp>

#include <fmt/format.h>

#include <cmath>

namespace purview::inline v0_1 {

void check_element_count(const char* what, ShapeSpan shape, index_t count) {
    if (checked_size(shape, what) != count)
        throw ShapeError(fmt::format("{}: shape {} has {} elements, not {}", what, to_string(shape),
                                     checked_size(shape, what), count));
}

void check_address_range(const char* what, const Dimensions& dims, index_t size) {
    const AddressRange range = dims.address_range();
    if (!range.empty && (range.lowest < 0 || range.highest >= size))
        throw ShapeError(fmt::format(
            "{}: shape {} with strides {} and base {} reaches addresses {} to {} of a reader of size {}",
            what, to_string(dims.max_shape()), to_string(dims.strides()), dims.base(), range.lowest,
            range.highest, size));
}

void check_rank(const char* what, int actual, int expected) {
    if (actual != expected)
        throw ShapeError(fmt::format("{}: the rank is {}, not {}", what, actual, expected));
}

void throw_ragged(std::size_t depth, index_t expected, index_t actual) {
    throw ShapeError(
        fmt::format("tensor: ragged rows: along axis {} one has {} entries and another {}", depth,
                    expected, actual));
}

void throw_negative_count(const char* what, index_t count) {
    throw ShapeError(fmt::format("{}: the count {} is negative", what, count));
}

index_t arange_count(long double begin, long double end, long double step) {
    if (step == 0) throw ShapeError("arange: the step is 0");
    // Of steps that lead far beyond the end, as infinite ones, the first is taken; as NumPy does.
    const long double quotient = (end - begin) / step;
    if (quotient == 0 && begin != end) return std::signbit(quotient) ? 0 : 1;
    const long double count = std::ceil(quotient);
    if (!(count < 9.2e18L))
        throw ShapeError(fmt::format("arange: from {} to {} by {} is not a countable progression",
                                     begin, end, step));
    return count > 0 ? static_cast<index_t>(count) : 0;
}

} // namespace purview
