#include <purview/base/errors.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/compound.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

template <typename Value>
[[noreturn]] void throw_cast_error(Value value, index_t index, DType to) {
    if (index < 0) throw CastError(fmt::format("value {} does not fit {}", value, to.name()));
    throw CastError(fmt::format("value {} at index {} does not fit {}", value, index, to.name()));
}

} // namespace

void throw_cast(double value, index_t index, DType to) { throw_cast_error(value, index, to); }
void throw_cast(std::int64_t value, index_t index, DType to) { throw_cast_error(value, index, to); }
void throw_cast(std::uint64_t value, index_t index, DType to) {
    throw_cast_error(value, index, to);
}

void throw_divided_by_zero() { throw ArithmeticError("division of an integer by zero"); }

} // namespace purview
