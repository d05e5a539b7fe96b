#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/along/along.hpp>

#include <type_traits>

namespace purview::inline v0_1 {

/// What statistics are of: arrays of numbers, whose type may be known only at run time, and whose
/// elements exist, as those of symbols do not.
template <typename X>
concept number_array = array_like<X> && !kDefersReductions<std::remove_cvref_t<X>> &&
                       kIsNumberOrVoid<ElementOrVoid<std::remove_cvref_t<X>>>;
/// An array whose elements have quantiles: numbers, and times that are counted.
template <typename X>
concept has_quantiles = number_array<X> ||
    (array_like<X>&& CountedTime<ElementOrVoid<std::remove_cvref_t<X>>>);

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
