// Elements of other types, times among them.

#include "casts.hpp"

#include "texts.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/elementwise/emap.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace purview_python {
namespace {

std::string text_of_count(std::int64_t count, TimeKind kind) {
    const auto [num, den] = kind.unit->tick;
    if (count == kNaT) return "NaT";
    return kind.is_point ? pv::time_point_text(count, num, den)
                         : pv::duration_text(count, num, den);
}

pv::FunctionName name_for(const char* word, TimeKind kind) {
    return pv::FunctionName(word, kind.unit->nanoseconds, kind.is_point);
}

} // namespace

using pv::Operand;

Array times_as_texts(const Operand& times, TimeKind kind) {
    return Array(pv::map_elements(
        name_for("format_times", kind),
        [kind](std::int64_t count) { return text_of_count(count, kind); },
        pv::Tensor<std::int64_t>(pv::integer_counts(times))));
}

Array times_of_texts(const Operand& texts, TimeKind kind) {
    const pv::Tensor<std::string> strings(texts);
    const auto parse = [kind, places = pv::strings::places_of(strings),
                        seen =
                            std::make_shared<pv::strings::OffsetsSeen>()](const std::string& text) {
        if (text.empty() || text == "NaT") return kNaT;
        const auto [num, den] = kind.unit->tick;
        return pv::strings::parse_time_element(text, num, den, *places, *seen);
    };
    return times_from(pv::map_elements(name_for("parse_times", kind), parse, strings).operand(),
                      kind.dtype());
}

Array cast_to(const Array& x, pv::DType dtype) {
    if (x.dtype() == dtype) return x;
    if (!x.dtype().is_builtin() || !dtype.is_builtin())
        if (std::optional<Array> converted = converted_times(x, dtype)) return *converted;
    return Array(pv::convert_operand(x.operand(), dtype, pv::Op::wrapping_cast));
}

std::optional<Array> converted_times(const Array& x, pv::DType dtype) {
    const TimeKind from = kind_of(x.dtype());
    const TimeKind to = kind_of(dtype);
    if (from.unit == nullptr && to.unit == nullptr) return {};
    if (to.unit == nullptr && dtype.is_integer())
        return cast_to(Array(pv::integer_counts(x.operand())), dtype);
    if (to.unit == nullptr && is_text(dtype)) return times_as_texts(x.operand(), from);
    if (from.unit == nullptr && x.dtype().is_integer())
        return times_from(cast_to(x, pv::int64).operand(), dtype);
    if (from.unit == nullptr && is_text(x.dtype()) && to.is_point)
        return times_of_texts(x.operand(), to);
    if (from.unit == nullptr || to.unit == nullptr || from.is_point != to.is_point)
        throw pv::DtypeError("astype: " + std::string(x.dtype().name()) + " is not converted to " +
                             std::string(dtype.name()));
    return times_from(counts_in(x.operand(), from, *to.unit, pv::Quotient::down), dtype);
}

} // namespace purview_python
