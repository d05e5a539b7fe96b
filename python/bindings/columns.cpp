#include "columns.hpp"

#include "array_interface.hpp"
#include "copies.hpp"
#include "dtypes.hpp"
#include "time_units.hpp"

#include <purview/chrono.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <chrono>
#include <utility>

namespace purview_python {
namespace {

template <typename... D>
pv::DType local_type(const TimeUnit& unit) {
    pv::DType found = unit.point;
    ((unit.duration == pv::kDType<D> ? void(found = pv::kDType<std::chrono::local_time<D>>)
                                     : void()),
     ...);
    return found;
}

} // namespace

bool has_true(const pv::Tensor<bool>& mask) {
    for (pv::index_t i = 0; i < mask.size(); ++i)
        if (mask.read(i)) return true;
    return false;
}

Array values_of(const pv::Column& column) {
    const std::string name(column.dtype().name());
    if (!name.contains("64[")) return column.values;
    return pv::counts_as_times(counts_of(column.values), dtype_named(name));
}

pv::Column column_of_array(std::string name, const Array& x) {
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr || x.rank() == 0) return {std::move(name), x};
    using namespace std::chrono;
    const pv::DType type =
        kind.is_point
            ? local_type<nanoseconds, microseconds, milliseconds, seconds, minutes, hours>(
                  *kind.unit)
            : kind.unit->duration;
    Array counts = counts_of(x);
    if (x.rank() > 1) return {std::move(name), pv::counts_as_times(counts, type)};
    const pv::Tensor<bool> missing(realised(is_nat(counts.operand())).operand());
    if (!has_true(missing)) return {std::move(name), pv::counts_as_times(counts, type)};
    counts =
        realised(pv::any_where(missing.operand(), {pv::constant_operand(std::int64_t{0}), true},
                               {counts.operand(), false}));
    return {std::move(name), pv::counts_as_times(counts, type), missing};
}

} // namespace purview_python
