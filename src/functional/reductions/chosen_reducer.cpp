#include <purview/functional/reductions/chosen_reducer.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "expression/stored_leaf.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

bool is_signed_integer(DType dtype) {
    return dtype == int8 || dtype == int16 || dtype == int32 || dtype == int64;
}
/// Bits of the integers, and of the fractions of floats, that a type holds exactly.
int exact_bits(DType dtype) {
    if (dtype == float64) return 53;
    if (dtype == float32) return 24;
    return static_cast<int>(8 * dtype.size_bytes()) - (is_signed_integer(dtype) ? 1 : 0);
}

bool converts_exactly(DType from, DType to) {
    if (from == to) return true;
    if (!from.is_builtin() || !to.is_builtin() || to == boolean) return false;
    if (from == boolean) return true;
    if (from.is_floating() || to.is_floating())
        return to.is_floating() && (!from.is_floating() || from.size_bytes() <= to.size_bytes()) &&
               exact_bits(from) <= exact_bits(to);
    return exact_bits(from) <= exact_bits(to) &&
           (!is_signed_integer(from) || is_signed_integer(to));
}

/// The one that takes elements of a type. Throws `DtypeError`.
const FunctionReducer& taking(const FunctionReducer& reducer, DType element) {
    if (const FunctionReducer* const found = reducer.of(element)) return *found;
    throw DtypeError(fmt::format("{}: elements of {} do not convert to {} without loss",
                                 reducer.name(), element.name(), reducer.element().name()));
}

/// Whether there may be NaN, which is to be skipped. Throws `DtypeError`, and `Error` where places are taken.
bool skips_nan_of(const FunctionReducer& own, DType element, bool skips_nan) {
    if (!skips_nan) return false;
    if (is_complex(element)) throw_nan_rule(own.name(), element);
    if (element.counted_in() != element)
        throw DtypeError(fmt::format("{}: a reducer of one's own does not skip NaT, which is in {}",
                                     own.name(), element.name()));
    if (element.is_floating() && own.takes_places())
        throw Error(fmt::format("{}: a fold that takes the places of blocks does not skip NaN",
                                own.name()));
    return element.is_floating();
}

} // namespace

std::shared_ptr<const Reducer> ChosenReducer::reducer(DType element) const {
    const bool skips = nan == NanRule::skip;
    if (built_in != nullptr) return built_in->reducer(element, skips && element.is_floating());
    const FunctionReducer& found = taking(*own, element);
    if (skips_nan_of(found, element, skips)) return numbers_only(found);
    return {std::shared_ptr<const void>(), &found};
}

Operand ChosenReducer::new_results(const Reducer& reducer, Shape shape) const {
    if (reducer.width() > 0) shape.push_back(reducer.width());
    if (own != nullptr) return own->new_results(shape);
    return new_stored_memory(reducer.name(), reducer.result(), Dimensions::row_major(shape),
                             /*initialized=*/false);
}

Operand with_lists_at(index_t lead, const Reducer& reducer, Operand results) {
    if (reducer.width() > 0) results.dims = dimensions::move_axis(results.dims, -1, lead);
    return results;
}

const FunctionReducer* FunctionReducer::of(DType element) const {
    return converts_exactly(element, this->element()) ? this : nullptr;
}

ReducedElements elements_for(const FunctionReducer& reducer, const Operand& given, bool skips_nan) {
    const Operand x = widened_operand(given);
    if (!x.node->reads(Below::symbol)) require_host_reads(reducer.name(), x);
    const FunctionReducer& by = taking(reducer, x.dtype());
    const bool skips = skips_nan_of(by, x.dtype(), skips_nan);
    if (x.dtype() == by.element()) return {by, x, skips};
    return {by, cast_operand(times_as_counts(x), by.element(), Op::cast), skips};
}

} // namespace purview
