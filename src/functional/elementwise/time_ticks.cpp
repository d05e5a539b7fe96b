#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/elementwise/strings.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>

#include "functional/elementwise/time_counts.hpp"

#include <optional>
#include <string>
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
        return view ? *std::move(view) : with_same_bytes(times, counted);
    });
}

Operand map_counts(const Operand& times, DType result,
                   std::shared_ptr<const BlockFunction> function) {
    return elementwise<1>(Op::map, result, {integer_counts(times)}, std::move(function));
}

Operand parsed_times(const Operand& texts, TextPlacesPtr places, TickLength tick, DType dtype) {
    const Operand counts =
        map_operands(
            [places = std::move(places), tick](const std::string& text) {
                return strings::parse_time_element(text, tick.numerator, tick.denominator, *places);
            },
            Tensor<std::string>(texts))
            .operand();
    return times_of(counts_cast_back(counts, dtype.counted_in(), Op::cast), dtype);
}

} // namespace purview
