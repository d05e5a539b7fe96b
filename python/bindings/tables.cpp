// Tables, which Python has as dicts of arrays.

#include "tables.hpp"

#include "as_array.hpp"
#include "columns.hpp"
#include "text_caster.hpp"

#include <purview/functional/elementwise/comparison.hpp>

#include <string>
#include <utility>
#include <vector>

namespace purview_python {

nb::object table_in_python(const pv::Columns& columns) {
    nb::dict table;
    for (const pv::Column& column : columns)
        table[nb::cast(column.name)] = nb::make_tuple(values_of(column), Array(column.missing));
    return table;
}

pv::Columns table_of_python(const char* what, const nb::dict& columns) {
    std::vector<pv::Column> table;
    for (const auto& [name, object] : columns) {
        const bool is_pair = nb::isinstance<nb::tuple>(object) && nb::len(object) == 2;
        pv::Column column =
            column_of_array(nb::cast<std::string>(name), as_array(is_pair ? object[0] : object));
        if (is_pair) {
            const Array gaps = as_array(object[1]);
            if (gaps.dtype() != pv::kDType<bool>)
                throw nb::type_error((std::string(what) + ": what says where '" + column.name +
                                      "' is missing is of " + std::string(gaps.dtype().name()) +
                                      ", not bool")
                                         .c_str());
            column.missing = pv::Tensor<bool>(column.missing || gaps.as<bool>());
        }
        table.push_back(std::move(column));
    }
    return pv::Columns(std::move(table));
}

} // namespace purview_python
