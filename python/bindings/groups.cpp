// Rows grouped by equal keys.

#include "groups.hpp"

#include "casts.hpp"
#include "computing.hpp"
#include "interpreter_lock.hpp"
#include "options.hpp"
#include "own_reducers.hpp"
#include "time_units.hpp"
#include "truth.hpp"
#include "windows.hpp"

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/statistics/as_of.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/join.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace purview_python {
namespace {

/// Rows grouped by one array of keys, or by several together.
class Keys {
public:
    Keys(const std::vector<Array>& arrays, bool ordered) {
        for (const Array& each : arrays)
            columns_.push_back(pv::keyed_rows(each.operand(), ordered || arrays.size() > 1));
        for (const pv::KeyedRows& each : columns_) pv::check_rows(columns_[0].given, each.given);
        if (columns_.size() > 1) together_ = pv::rows_by_all(columns_, ordered);
    }

    const pv::RowGroups& groups() const { return together_ ? *together_ : columns_[0].groups; }
    const pv::Operand& given() const { return columns_[0].given; }
    std::vector<Array> keys() const {
        const std::vector<pv::Operand> of_groups =
            together_ ? pv::keys_of(columns_, *together_)
                      : std::vector<pv::Operand>{pv::keys_of(columns_[0])};
        std::vector<Array> keys;
        for (const pv::Operand& each : of_groups)
            keys.push_back(pv::dense_clone_tensor(Array(each)));
        return keys;
    }

private:
    std::vector<pv::KeyedRows> columns_;
    std::optional<pv::RowGroups> together_;
};

/// A reduction of groups: of the library, one's own, a Python function, or the number of rows.
struct GroupReduction {
    NamedReduction named{};
    bool counts = false;
    nb::object function{};
    std::shared_ptr<const pv::FunctionReducer> own{};
};

/// Values, and what reduces them.
struct Column {
    Array values;
    std::vector<GroupReduction> reductions;
};

void reduce_column(const char* what, const pv::RowGroups& groups, const Column& column,
                   pv::NanRule nan, std::vector<Array>& results) {
    if (nan == pv::NanRule::refuse) pv::require_no_nan(what, column.values.operand(), {});
    pv::GroupedValues grouped;
    for (const GroupReduction& each : column.reductions) {
        const pv::Operand values = column.values.operand();
        const pv::ChosenReducer by{each.named.get(), each.own.get(), nan};
        if (each.counts) {
            results.push_back(Array::writable(groups.counts()));
        } else if (each.own) {
            results.push_back(Array::writable(pv::own_groups(groups, values, by)));
        } else if (each.named) {
            results.push_back(Array::writable(pv::reduce_rows(groups, values, grouped, by)));
        } else {
            if (grouped.begins.empty()) {
                const Array memory = pv::dense_clone_tensor(column.values);
                grouped.values =
                    pv::dense_clone_tensor(
                        Array(pv::arranged_values(groups, memory.operand(), grouped.begins)))
                        .operand();
            }
            const std::span<const pv::index_t> begins = grouped.begins;
            const std::size_t count = begins.size() - 1;
            const Locked locked;
            nb::list made;
            append_results(each.function, grouped.values, begins.first(count), begins.last(count),
                           made);
            results.push_back(array_of_results(what, made));
        }
    }
}

std::vector<Array> arrays_of(nb::handle keys) {
    std::vector<Array> arrays;
    for (nb::handle each : keys) arrays.push_back(number_array(each));
    return arrays;
}

/// Times in the finer of two units.
void bring_to_one_unit(Array& left, Array& right) {
    const TimeKind a = kind_of(left.dtype());
    const TimeKind b = kind_of(right.dtype());
    if (a.unit == nullptr || b.unit == nullptr || a.unit == b.unit || a.is_point != b.is_point)
        return;
    const pv::DType finer = (a.unit < b.unit ? a : b).dtype();
    left = converted_times(left, finer).value_or(left);
    right = converted_times(right, finer).value_or(right);
}

nb::list list_of(const std::vector<Array>& arrays) {
    nb::list list;
    for (const Array& each : arrays) list.append(each);
    return list;
}

} // namespace

void bind_groups(nb::module_& module) {
    // Keys: a tuple of arrays; columns: a list of (values, reductions).
    module.def("_group_by_reduce", [](nb::handle given, nb::handle columns, Truth ordered,
                                      std::string_view nan) {
        const char* const name = ordered ? "group_by_reduce" : "unordered_group_by_reduce";
        const std::vector<Array> arrays = arrays_of(given);
        const pv::NanRule rule = nan_rule(name, nan);
        std::vector<Column> reduced;
        for (nb::handle each : columns) {
            Column column{number_array(each[0]), {}};
            for (nb::handle by : each[1]) {
                if (const OwnReducer* const own = own_reducer_in(by)) {
                    column.reductions.push_back({{}, false, {}, own->functions});
                    continue;
                }
                const auto is_called = [&](std::string_view what) {
                    return nb::isinstance<nb::str>(by) && nb::cast<std::string_view>(by) == what;
                };
                const bool counts = is_called("group_size") || is_called("count");
                const bool is_own = is_own_function(name, by, rule);
                column.reductions.push_back(
                    {counts || is_own ? NamedReduction() : named_reduction(name, by), counts,
                     is_own ? nb::borrow(by) : nb::object()});
            }
            reduced.push_back(std::move(column));
        }
        std::vector<Array> results;
        std::vector<Array> keys;
        computing(steps(arrays[0].size(), 4), [&] {
            const Keys keyed(arrays, ordered);
            for (const Column& each : reduced) {
                pv::check_rows(keyed.given(), each.values.operand());
                reduce_column(name, keyed.groups(), each, rule, results);
            }
            keys = keyed.keys();
        });
        return nb::make_tuple(list_of(keys), list_of(results));
    });
    module.def("_arggroup", [](nb::handle given) {
        const std::vector<Array> arrays = arrays_of(given);
        std::vector<Array> keys;
        std::vector<Array> indexes;
        computing(steps(arrays[0].size(), 4), [&] {
            const Keys keyed(arrays, false);
            const pv::Shape shape = {keyed.groups().rows()};
            const pv::MutableTensor<std::int64_t> rows =
                pv::empty<std::int64_t>(pv::AxisValues(shape));
            std::vector<pv::index_t> begins;
            keyed.groups().sort(rows.empty() ? nullptr : rows.data(), begins);
            for (std::size_t g = 0; g + 1 < begins.size(); ++g)
                indexes.push_back(Array::writable(
                    pv::elements_between(rows.operand(), begins[g], begins[g + 1])));
            keys = keyed.keys();
        });
        return nb::make_tuple(list_of(keys), list_of(indexes));
    });
    module.def("_as_of", [](nb::handle left, nb::handle right, int direction, nb::handle tolerance,
                            Truth in_nanoseconds, Truth exact, nb::handle left_by,
                            nb::handle right_by) {
        Array from = number_array(left);
        Array to = number_array(right);
        bring_to_one_unit(from, to);
        pv::AsOfOptions options{.direction = static_cast<pv::AsOf>(direction),
                                .allow_exact_matches = exact,
                                .left_by = arrays_of(left_by),
                                .right_by = arrays_of(right_by)};
        for (nb::handle limit : tolerance) { // at most one
            if (in_nanoseconds)
                options.tolerance = std::chrono::nanoseconds(nb::cast<std::int64_t>(limit));
            else if (nb::isinstance<nb::int_>(limit))
                options.tolerance = nb::cast<std::int64_t>(limit);
            else
                options.tolerance = nb::cast<double>(limit);
        }
        return computing(steps(from.size() + to.size(), 4), [&]() -> Array {
            return pv::as_of_rows(from.operand(), to.operand(), options);
        });
    });
    // Keys: tuples of arrays; the kind: its number.
    module.def("_join", [](nb::handle left, nb::handle right, int kind) {
        std::vector<Array> from = arrays_of(left);
        std::vector<Array> to = arrays_of(right);
        for (std::size_t c = 0; c < std::min(from.size(), to.size()); ++c)
            bring_to_one_unit(from[c], to[c]);
        const pv::index_t rows = from.empty() || to.empty() ? 0 : from[0].size() + to[0].size();
        const pv::JoinedRows joined = computing(
            steps(rows, 4), [&] { return pv::join(from, to, static_cast<pv::JoinKind>(kind)); });
        return nb::make_tuple(Array::writable(joined.left.operand()),
                              Array::writable(joined.right.operand()));
    });
}

} // namespace purview_python
