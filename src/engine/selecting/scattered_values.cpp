#include "engine/selecting/scattered_values.hpp"

#include <purview/evaluation/evaluate.hpp>

#include "engine/places/line_in_memory.hpp"
#include "engine/realise/realised_operand.hpp"

#include <algorithm>
#include <cstdint>

namespace purview::inline v0_1::engine {
namespace {

/// Whether a plan is arithmetic on memory, which cannot throw: it has no conversion that checks, no
/// function of the user's, no reader and no index that is looked up.
bool cannot_fail(const Plan& plan, const Values& values) {
    if (plan.divides_integers || plan.panel_rows > 0 || !plan.dtype.is_builtin()) return false;
    for (const Value& value : values)
        if (value.is_block_source() || (value.leaf() != nullptr && !value.leaf()->memory()))
            return false;
    return std::ranges::all_of(plan.steps, [](const Step& step) {
        const auto* const cast = std::get_if<CastStep>(&step);
        return !std::holds_alternative<MapStep>(step) && (cast == nullptr || !cast->checked);
    });
}

} // namespace

ScatteredValues::ScatteredValues(const Operand& source, const Operand& written, index_t block)
    : source_(source), size_(source.dtype().size_bytes()) {
    const bool overlaps = may_overlap(source, written);
    if (!overlaps) memory_ = line_in_memory(source, BoolBytes::rejected, Alignment::natural);
    if (memory_ != nullptr) return;
    if (!overlaps && !may_repeat_work(source) && !source.node->reads(Below::sparse) &&
        block < source.dims.size()) {
        compute_.emplace(source);
        if (cannot_fail(compute_->plan(), compute_->values())) {
            elements_.emplace(source.dtype(), block);
        }
    }
}

void ScatteredValues::make_ready() {
    if (is_ready()) return;
    const index_t count = source_.dims.size();
    elements_.emplace(source_.dtype(), count);
    Evaluation(source_).read(0, count, elements_->data());
    memory_ = elements_->at(0);
}

const std::byte* ScatteredValues::read(index_t begin, index_t count) {
    if (memory_ != nullptr) return memory_ + begin * size_;
    (*compute_)(begin, count, elements_->data());
    return elements_->at(0);
}

} // namespace purview::engine
