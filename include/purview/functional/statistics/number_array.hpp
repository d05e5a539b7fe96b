#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <type_traits>

namespace purview {

/// What statistics are of: arrays of numbers, whose type may be known only at run time, and whose
/// elements exist, as those of symbols do not.
template <typename X>
concept number_array = array_like<X> && !kDefersReductions<std::remove_cvref_t<X>> &&
                       kIsReducedByLibrary<ElementOrVoid<std::remove_cvref_t<X>>>;
/// The same without dims that are bound.
template <typename X>
concept plain_number_array =
    number_array<X> && PlainOrOrdered<AsTensorArgument<std::remove_cvref_t<X>>>;

/// An array whose elements have quantiles: numbers, and times that are counted.
template <typename X>
concept has_quantiles = number_array<X> ||
    (array_like<X>&& CountedTime<ElementOrVoid<std::remove_cvref_t<X>>>);

/// The operand of an array for the length of a call: over the array's own memory where possible.
template <array_like X>
Operand operand_for_call(const X& x) {
    const auto& tensor = tensor_argument<true>(x);
    return tensor.operand();
}

#define PURVIEW_NO_STATISTIC                                                                    \
 "statistics are of tensors and arrays of numbers, not of symbols or texts; what follows them " \
 "is in docs/catalogue.md"
/// The base of the function objects of statistics: what none of their calls takes is refused.
struct StatisticalFunction {
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    template <typename X>
        requires((array_like<X> || TextLike<X>)&&!has_quantiles<X>)
    PURVIEW_REFUSED(PURVIEW_NO_STATISTIC, operator()(const X&) const);
    PURVIEW_REFUSED(PURVIEW_NO_STATISTIC, operator()(AnyArgument, AnyArgument, AnyArgument = {},
                                                     AnyArgument = {}, AnyArgument = {}) const);
};
#undef PURVIEW_NO_STATISTIC

} // namespace purview
