#include "engine/machine_code/register_plan.hpp"

#include "dtype/type_ids.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {

bool keeps_y(const SegmentValues::Value& value) noexcept {
    return value.kind == SegmentValues::Kind::binary && is_floating(value.lane) &&
           (value.op == TileOp::minimum || value.op == TileOp::maximum);
}

namespace {

class RegisterPlanner {
    using Kind = SegmentValues::Kind;
    using Value = SegmentValues::Value;

public:
    RegisterPlanner(const SegmentValues& program, const RegisterNeeds& needs)
        : values_(program.values),
          needs_(needs),
          free_(needs.of_partial_vector),
          result_(program.result) {
        const std::size_t count = values_.size();
        plan_.registers.resize(count, RegisterPlan::kNone);
        plan_.deferred.resize(count, false);
        plan_.used.resize(count, false);
        uses_.resize(count, 0);
        in_operations_.resize(count, 0);
        last_use_.resize(count, 0);
    }

    std::optional<RegisterPlan> run() {
        find_uses();
        const std::uint32_t groups = assign_groups();
        constexpr std::uint32_t kAll = UINT32_MAX;
        const bool fits = fit(groups, 4, kAll) || fit(groups, 2, 8) || fit(groups, 1, 0) ||
                          (std::exchange(free_, 0) > 0 && fit(groups, 1, 0));
        if (!fits) return std::nullopt;
        return std::move(plan_);
    }

private:
    void find_uses() {
        plan_.used[result_] = true;
        last_use_[result_] = static_cast<std::uint32_t>(values_.size());
        ++uses_[result_];
        for (auto i = static_cast<std::uint32_t>(values_.size()); i-- > 0;) {
            const Value& value = values_[i];
            if (!plan_.used[i]) continue;
            // All users of this value come after it, so that its uses are known.
            plan_.deferred[i] = uses_[i] == 1 && i != result_ &&
                                ((value.kind == Kind::array && in_operations_[i] == 1) ||
                                 (needs_.compares_into_choices && value.kind == Kind::binary &&
                                  is_comparison(value.op) && masks(i)));
            const std::uint32_t place = plan_.deferred[i] ? last_use_[i] : i;
            value.for_each_operand([&](std::uint32_t operand) {
                plan_.used[operand] = true;
                ++uses_[operand];
                last_use_[operand] = std::max(last_use_[operand], place);
            });
            if (value.kind == Kind::binary && value.x != value.y && !keeps_y(value))
                ++in_operations_[value.y];
        }
    }
    /// Whether the only use of the value is as the mask of a choice.
    bool masks(std::uint32_t id) const {
        const Value& user = values_[last_use_[id]];
        return user.kind == Kind::choose && user.mask == id;
    }

    bool has_group(std::uint32_t id) const {
        return plan_.used[id] && !plan_.deferred[id] && !values_[id].is_constant();
    }

    /// Gives each value a group; those that do not live at the same time share one.
    std::uint32_t assign_groups() {
        std::vector<bool> taken;
        std::vector<bool> released(values_.size(), false);
        for (std::uint32_t i = 0; i < values_.size(); ++i) {
            if (!has_group(i)) continue;
            const Value& value = values_[i];
            std::uint32_t later = RegisterPlan::kNone;
            const auto release = [&](std::uint32_t operand) {
                if (!has_group(operand) || last_use_[operand] != i || released[operand]) return;
                if (keeps_y(value) && operand == value.y) {
                    later = operand;
                    return;
                }
                released[operand] = true;
                taken[plan_.registers[operand]] = false;
            };
            value.for_each_operand([&](std::uint32_t operand) {
                release(operand);
                if (plan_.deferred[operand]) values_[operand].for_each_operand(release);
            });
            const auto free = std::ranges::find(taken, false);
            plan_.registers[i] = static_cast<std::uint32_t>(free - taken.begin());
            if (free == taken.end())
                taken.push_back(true);
            else
                *free = true;
            if (later != RegisterPlan::kNone) {
                released[later] = true;
                taken[plan_.registers[later]] = false;
            }
        }
        return static_cast<std::uint32_t>(taken.size());
    }

    /// Whether groups of `vectors` registers fit, with at least `constants` of the constants (or
    /// all, if these are fewer). The others are read from memory by the operations that use them.
    bool fit(std::uint32_t groups, std::uint32_t vectors, std::uint32_t constants) {
        std::uint32_t all = 0;
        std::uint32_t required = 0;
        for (std::uint32_t i = 0; i < values_.size(); ++i) {
            if (!plan_.used[i] || !values_[i].is_constant()) continue;
            ++all;
            required += static_cast<std::uint32_t>(!can_stay_in_memory(i));
        }
        const std::uint32_t others_of_groups = groups * (vectors - 1);
        const std::uint32_t registers =
            needs_.registers - (free_ > others_of_groups ? free_ - others_of_groups : 0);
        if (groups * vectors + std::max(required, std::min(all, constants)) > registers)
            return false;
        std::uint32_t next = groups * vectors;
        std::uint32_t others = registers - next - required;
        plan_.vectors = vectors;
        for (std::uint32_t i = 0; i < values_.size(); ++i) {
            if (has_group(i)) plan_.registers[i] *= vectors;
            if (!plan_.used[i] || !values_[i].is_constant()) continue;
            if (can_stay_in_memory(i)) {
                if (others == 0) continue;
                --others;
            }
            plan_.registers[i] = next++;
        }
        return true;
    }
    bool can_stay_in_memory(std::uint32_t id) const {
        return values_[id].is_constant() && values_[id].kind != Kind::literal &&
               in_operations_[id] == uses_[id];
    }

    const std::vector<Value>& values_;
    const RegisterNeeds& needs_;
    std::uint32_t free_; ///< as `of_partial_vector`; 0 once that does not fit
    std::uint32_t result_;
    RegisterPlan plan_;
    std::vector<std::uint32_t> uses_;
    std::vector<std::uint32_t> in_operations_; ///< uses as the y of a binary operation in one step
    std::vector<std::uint32_t> last_use_;
};

} // namespace

std::optional<RegisterPlan> plan_registers(const SegmentValues& program,
                                           const RegisterNeeds& needs) {
    return RegisterPlanner(program, needs).run();
}

} // namespace purview::engine
