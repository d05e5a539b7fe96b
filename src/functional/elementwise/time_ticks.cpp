#include <purview/base/errors.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/elementwise/strings.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>

#include "functional/elementwise/time_counts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

Operand tick_counts(const Operand& times) {
    const DType counted = times.dtype().counted_in();
    if (counted == times.dtype()) return times;
    return visit_dtype(counted, "ticks", [&]<typename C>(std::type_identity<C>) {
        if (times.node->kind() == NodeKind::constant)
            return Operand{make_node<ConstantOf<C>>(
                               load_element<C>(static_cast<const Constant&>(*times.node).value())),
                           times.dims};
        std::optional<Operand> view = part_of_memory<C>(times, 0);
        return view ? *std::move(view) : with_same_bytes("ticks", times, counted);
    });
}

Operand map_counts(const Operand& times, DType result,
                   std::shared_ptr<const BlockFunction> function) {
    return elementwise<1>(Op::map, result, {integer_counts(times)}, std::move(function));
}

Operand parsed_times(const Operand& texts, TextPlacesPtr places, TickLength tick, DType dtype,
                     bool are_local) {
    auto seen = std::make_shared<strings::OffsetsSeen>();
    seen->of_local_times = are_local;
    // Among the counts of the type the lowest is NaT, which no time is to become.
    const std::int64_t lowest =
        visit_dtype(dtype.counted_in(), "parse_times", []<typename C>(std::type_identity<C>) {
            if constexpr (std::is_integral_v<C> && std::is_signed_v<C>)
                return std::int64_t{kNatCount<C>};
            else
                return kNatCount<std::int64_t>;
        });
    const Operand counts =
        map_elements(
            FunctionName("parse_times", tick.numerator, tick.denominator, lowest, are_local),
            [places = std::move(places), seen = std::move(seen), tick,
             lowest](const std::string& text) {
                const std::int64_t count = strings::parse_time_element(
                    text, tick.numerator, tick.denominator, *places, *seen);
                if (count == lowest && !is_nat_count(count))
                    throw CastError(fmt::format("parse_times: '{}' does not fit the type", text));
                return count;
            },
            Tensor<std::string>(texts))
            .operand();
    return times_of(counts_cast_back(counts, dtype.counted_in(), Op::cast), dtype);
}

} // namespace purview
