// Tables, which Python has as dicts of arrays.

#include "columns.hpp"

#include "as_array.hpp"
#include "copies.hpp"
#include "dtypes.hpp"
#include "text_caster.hpp"
#include "time_units.hpp"

#include <purview/chrono.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <chrono>
#include <utility>
#include <vector>

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

nb::object table_in_python(const pv::Columns& columns) {
    nb::dict values;
    nb::dict missing;
    for (const pv::Column& column : columns) {
        const nb::object name = nb::cast(column.name);
        values[name] = values_of(column);
        missing[name] = Array(column.missing);
    }
    return nb::make_tuple(values, missing);
}

pv::Columns table_of_python(const char* what, const nb::dict& values, const nb::dict& missing) {
    std::vector<pv::Column> columns;
    for (const auto& [name, object] : values) {
        pv::Column column = column_of_array(nb::cast<std::string>(name), as_array(object));
        if (missing.contains(name)) {
            const Array gaps = as_array(missing[name]);
            if (gaps.dtype() != pv::kDType<bool>)
                throw nb::type_error((std::string(what) + ": what says where '" + column.name +
                                      "' is missing is of " + std::string(gaps.dtype().name()) +
                                      ", not bool")
                                         .c_str());
            column.missing = pv::Tensor<bool>(column.missing || gaps.as<bool>());
        }
        columns.push_back(std::move(column));
    }
    for (const auto& [name, object] : missing)
        if (!values.contains(name))
            throw nb::key_error((std::string(what) + ": missing has '" +
                                 nb::cast<std::string>(nb::str(name)) + "', which is no column")
                                    .c_str());
    return pv::Columns(std::move(columns));
}

} // namespace purview_python
