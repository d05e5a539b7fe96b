#include "evaluation/loops/loop_run.hpp"

#include "evaluation/loops/compiled_graphs.hpp"
#include "evaluation/loops/placed_states.hpp"
#include "evaluation/loops/step_errors.hpp"
#include "evaluation/loops/tiled_steps.hpp"
#include "evaluation/other_backend.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// A row of an array, along its first axis.
Operand row_of(const Operand& all, index_t row) {
    return {all.node, dimensions::select(all.dims, 0, row)};
}

/// A copy in memory, where the operand lies.
Operand copied(const char* what, const Operand& x, Elements elements = Elements::computed) {
    Operand own = results_like(what, x, x.dtype(), x.dims.max_shape());
    if (own.dims.size() > 0 && elements == Elements::computed) assign(x, own);
    if (own.dims.size() == 1 && elements == Elements::imagined) // a number, which plans may look at
        visit_dtype(x.dtype(), what, [&]<typename T>(std::type_identity<T>) {
            assign(constant_operand(T{}, own.dims.max_shape()), own);
        });
    return own;
}

/// What lies elsewhere, if anything does; else the first operand.
const Operand& place_of_all(std::span<const Operand> operands) {
    for (const Operand& operand : operands)
        if (lies_elsewhere(operand)) return operand;
    return operands[0];
}

class LoopRun {
public:
    LoopRun(const CompiledLoop& loop, std::span<const Operand> operands,
            std::span<const Destination> outs, LargeStates& large, const StepWatch* watch)
        : loop_(loop),
          rule_(loop.rule),
          operands_(operands.subspan(rule_.is_counted ? 1 : 0)),
          outs_(outs),
          results_(outs.subspan(1)),
          large_(large),
          watch_(watch),
          steps_(rule_.is_counted ? count_of(operands[0]) : rule_.most),
          there_(place_of_all(operands_)),
          states_(loop.chains, operands_.first(rule_.states), results_.first(rule_.states), steps_,
                  there_, large) {
        for (std::size_t i = 0; i < rule_.outputs(); ++i)
            outputs_.push_back(rows_at(results_[rule_.states + i], output(i), rule_.most));
        for (std::size_t i = 0; i < rule_.states; ++i)
            kept_.push_back(
                rows_at(results_[rule_.states + rule_.outputs() + i], operands_[i], rule_.kept()));
        for (const Operand& operand : operands_) bindings_.push_back(&operand);
        inputs_.resize(rule_.inputs);
    }

    void run() {
        index_t taken = 0;
        std::string because;
        const bool keeps_all = rule_.keep == 1 && is_any_kept();
        if (rule_.condition == nullptr && steps_ > 1 && are_rows_in_lines()) {
            if (large_.empty() && !lies_elsewhere(there_)) tiles_ = loop_.spare.take(operands_);
            if (tiles_ == nullptr)
                tiles_ =
                    TiledSteps::make(rule_, loop_.chains, operands_, large_.in_memory(), because);
            if (tiles_ != nullptr && keeps_all && !tiles_->has_rows()) tiles_.reset();
        }
        for (std::size_t i = 0; i < rule_.states && keeps_all && tiles_ == nullptr; ++i)
            if (kept_[i] && loop_.chains.is_computed(i) && line_of(*kept_[i]) != nullptr)
                states_.put_into_rows(i, *kept_[i], steps_);
        if (tiles_ != nullptr) states_.put_into_lines();
        for (std::size_t i = 0; i < rule_.states && tiles_ != nullptr; ++i)
            if (loop_.chains.is_computed(i) && tiles_->may_overwrite(i)) states_.overwrite(i);
        if (rule_.condition == nullptr)
            watched_steps(rule_.name(), steps_, [&](index_t step) {
                if (step < taken) return true;
                tiles_ == nullptr ? take(taken) : take_several(taken);
                return true;
            });
        else
            take_while(taken);
        if (tiles_ != nullptr && tiles_->has_rows()) loop_.spare.give(std::move(tiles_));
        states_.finish(taken);
        clear_rows_behind(taken);
        if (void* const count = outs_[0].memory()) std::memcpy(count, &taken, sizeof taken);
    }

private:
    index_t count_of(const Operand& operand) const {
        index_t count = 0;
        read_all(operand, &count);
        if (count < 0 || count > rule_.most)
            throw IndexError(
                fmt::format("loop: {} steps are asked for, of at most {}", count, rule_.most));
        return count;
    }

    const Operand& output(std::size_t i) const { return rule_.step->outputs[rule_.states + i]; }
    /// Rows of the shape of `row` that were asked for.
    static std::optional<Operand> rows_at(const Destination& out, const Operand& row,
                                          index_t rows) {
        if (out.is_nowhere()) return std::nullopt;
        Shape shape = to_shape(row.dims.max_shape());
        shape.insert(shape.begin(), rows);
        return out.elements(row.dtype(), shape);
    }

    /// The row of the step that comes after `taken` steps.
    index_t row(index_t taken) const { return rule_.is_backwards ? steps_ - 1 - taken : taken; }

    /// As many steps as are taken together: up to one whose states are kept, or shown.
    void take_several(index_t& taken) {
        index_t steps = std::min(tiles_->depth(), steps_ - taken);
        if (is_any_kept() && !keeps_each())
            steps = std::min(steps, rule_.keep - taken % rule_.keep);
        if (watch_ != nullptr) steps = std::min(steps, watch_->every - taken % watch_->every);
        if (!keeps_each()) keep(taken);
        const StatePlaces places = places_of(taken, steps);
        try {
            tiles_->take(places);
        } catch (...) {
            rethrow_at_steps(taken + 1, taken + steps);
        }
        taken += steps;
        if (is_shown_after(taken)) show(taken);
    }
    StatePlaces places_of(index_t taken, index_t steps) {
        StatePlaces places{.steps = steps};
        if (tiles_->has_own_places()) {
            const index_t behind = taken + steps;
            const bool is_shown = is_shown_after(behind);
            for (std::size_t i = 0; i < rule_.states; ++i) {
                if (taken == 0) places.before.push_back(line_of(states_.after(i, 0)));
                // What is still one of the first states lies there already.
                const bool is_new = behind > static_cast<index_t>(loop_.chains.lag(i));
                const bool is_wanted =
                    is_new && (is_shown || (behind == steps_ && !results_[i].is_nowhere()) ||
                               (kept_[i] && !keeps_each() && behind % rule_.keep == 0));
                places.behind.push_back(is_wanted ? line_of(states_.after(i, behind)) : nullptr);
                places.kept.push_back(kept_[i] && keeps_each() ? rows_from(*kept_[i], taken, 1)
                                                               : StatePlaces::Rows{});
            }
            for (std::size_t i = 0; i < rule_.inputs; ++i)
                places.inputs.push_back(rows_of(operands_[rule_.states + i], taken));
            for (const std::optional<Operand>& all : outputs_)
                places.outputs.push_back(all ? rows_of(*all, taken) : StatePlaces::Rows{});
            return places;
        }
        places.after.resize(static_cast<std::size_t>(steps) + 1);
        for (index_t step = 0; step <= steps; ++step)
            for (std::size_t i = 0; i < rule_.states; ++i)
                places.after[static_cast<std::size_t>(step)].push_back(
                    line_of(states_.after(i, taken + step)));
        if (!large_.empty())
            places.rest = [this](index_t first, index_t last) { large_.rest(first, last); };
        return places;
    }
    /// Whether the steps put each state where it is kept.
    bool keeps_each() const { return rule_.keep == 1 && tiles_->has_rows(); }
    /// Rows from this one on; those of the next steps.
    static StatePlaces::Rows rows_from(const Operand& all, index_t first, index_t by) {
        const index_t bytes = all.dims.strides()[0] * all.dtype().size_bytes();
        return {line_of(row_of(all, first)), by * bytes};
    }
    StatePlaces::Rows rows_of(const Operand& all, index_t taken) const {
        return rows_from(all, row(taken), rule_.is_backwards ? -1 : 1);
    }
    /// Whether rows of inputs, and those of results that are asked for, lie in row-major order without gaps.
    bool are_rows_in_lines() const {
        const auto is_line = [](const std::optional<Operand>& all) {
            return !all || (all->dims.is_strided() && line_of(row_of(*all, 0)) != nullptr);
        };
        const std::span inputs = operands_.subspan(rule_.states, rule_.inputs);
        return std::ranges::all_of(inputs, is_line) && std::ranges::all_of(outputs_, is_line) &&
               (rule_.keep > 1 || std::ranges::all_of(kept_, is_line));
    }
    bool is_shown_after(index_t taken) const {
        return watch_ != nullptr && taken % watch_->every == 0;
    }
    void take(index_t& taken) {
        try {
            keep(taken);
            for (std::size_t i = 0; i < rule_.states; ++i) bindings_[i] = &states_.after(i, taken);
            for (std::size_t i = 0; i < rule_.inputs; ++i) {
                inputs_[i] = row_of(operands_[rule_.states + i], row(taken));
                bindings_[rule_.states + i] = &inputs_[i];
            }
            destinations_.clear();
            for (std::size_t i = 0; i < rule_.states; ++i)
                if (loop_.chains.is_computed(i))
                    destinations_.push_back(states_.destination(i, taken));
            for (std::size_t i = 0; i < rule_.outputs(); ++i)
                destinations_.push_back(output_row(i, taken));
            loop_.step->run(bindings_, destinations_);
            for (std::size_t i = 0; i < rule_.outputs(); ++i)
                if (outputs_[i] && !memory_of_rows(i))
                    assign(row_places_[i]->elements, row_of(*outputs_[i], row(taken)));
        } catch (...) {
            rethrow_at_step(taken + 1);
        }
        ++taken;
        if (is_shown_after(taken)) show(taken);
    }

    std::byte* memory_of_rows(std::size_t i) const {
        return static_cast<std::byte*>(leaf_of(*outputs_[i])->writable_memory().data);
    }
    Destination output_row(std::size_t i, index_t taken) {
        if (outputs_[i])
            if (std::byte* const memory = memory_of_rows(i))
                return memory + row(taken) * output(i).dims.size() * output(i).dtype().size_bytes();
        // The step computes it, and nobody asks for it, or it is copied to where it was asked for.
        row_places_.resize(rule_.outputs());
        if (row_places_[i] == nullptr)
            row_places_[i] = std::make_unique<Place>(
                results_like(kLoop, there_, output(i).dtype(), output(i).dims.max_shape()));
        return row_places_[i]->destination;
    }

    bool is_any_kept() const {
        return std::ranges::any_of(kept_, [](const auto& rows) { return rows.has_value(); });
    }
    void keep(index_t taken) {
        if (taken % rule_.keep != 0) return;
        for (std::size_t i = 0; i < rule_.states; ++i)
            if (kept_[i] && kept_[i]->dims.size() > 0 && (taken == 0 || !states_.is_in_rows(i)))
                assign(states_.after(i, taken), row_of(*kept_[i], taken / rule_.keep));
    }

    /// As long as the condition holds.
    void take_while(index_t& taken) {
        bool goes_on = steps_ > 0;
        watched_steps(rule_.name(), steps_, [&](index_t) {
            take(taken);
            goes_on = holds(taken);
            return goes_on;
        });
        if (goes_on && !rule_.may_end_early)
            throw Error(fmt::format("iterate_while: the condition still holds after {} steps, the "
                                    "most that may be taken",
                                    taken));
    }

    bool holds(index_t taken) {
        std::vector<const Operand*> bindings;
        for (const index_t steps : {taken, taken - 1})
            for (std::size_t i = 0; i < rule_.states; ++i)
                bindings.push_back(&states_.after(i, steps));
        for (const Operand& other : operands_.subspan(rule_.states + rule_.inputs))
            bindings.push_back(&other);
        bool holds = false;
        const Destination out(&holds);
        try {
            loop_.condition->run(bindings, {&out, 1});
        } catch (...) {
            rethrow_at_step(taken);
        }
        return holds;
    }

    void show(index_t taken) {
        std::vector<Operand> own;
        for (std::size_t i = 0; i < rule_.states; ++i)
            own.push_back(copied(kLoop, states_.after(i, taken)));
        watch_->call(taken, own);
    }

    /// Zeros in the rows of outputs that no step has written.
    void clear_rows_behind(index_t taken) {
        if (taken == rule_.most) return;
        for (const std::optional<Operand>& all : outputs_) {
            if (!all || all->dims.size() == 0) continue;
            const Operand rest{all->node,
                               dimensions::select(all->dims, 0, Range(taken, rule_.most))};
            visit_dtype(rest.dtype(), kLoop, [&]<typename T>(std::type_identity<T>) {
                assign(constant_operand(T{}, rest.dims.max_shape()), rest);
            });
        }
    }

    const CompiledLoop& loop_;
    const LoopRule& rule_;
    std::span<const Operand> operands_; // of the step
    std::span<const Destination> outs_;
    std::span<const Destination> results_;
    LargeStates& large_;
    const StepWatch* watch_;
    index_t steps_;
    const Operand& there_;
    PlacedStates states_;
    std::unique_ptr<TiledSteps> tiles_;           // null: single steps
    std::vector<std::optional<Operand>> outputs_; // all rows; nothing where nobody asks for them
    std::vector<std::optional<Operand>> kept_;
    std::vector<const Operand*> bindings_;
    std::vector<Operand> inputs_;
    std::vector<Destination> destinations_;
    std::vector<std::unique_ptr<Place>> row_places_; // for a row of each output that needs one
};

} // namespace

std::unique_ptr<TiledSteps> SpareSteps::take(std::span<const Operand> operands) {
    std::unique_ptr<TiledSteps> steps;
    {
        const std::lock_guard lock(mutex_);
        if (spare_.empty()) return nullptr;
        steps = std::move(spare_.back());
        spare_.pop_back();
    }
    return steps->rebind(operands) ? std::move(steps) : nullptr;
}

void SpareSteps::give(std::unique_ptr<TiledSteps> steps) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(steps));
}

CompiledLoop::CompiledLoop(const LoopRule& loop)
    : rule(loop),
      chains(loop),
      step(compiled(computed_outputs(loop, chains))),
      condition(loop.condition == nullptr ? nullptr : compiled(loop.condition)) {}

void run_loop(const CompiledLoop& loop, std::vector<Operand> operands,
              std::span<const Destination> outs, LargeStates& large, const StepWatch* watch) {
    put_into_memory(operands, large);
    LoopRun(loop, operands, outs, large, watch).run();
}

void put_into_memory(std::vector<Operand>& operands, LargeStates& large, Elements elements) {
    for (Operand& operand : operands) {
        if (!operand.node->reads(Below::blocks)) continue;
        // Every step reads it.
        if (!LargeStates::is_large(operand))
            operand = copied(kLoop, operand, elements);
        else if (elements == Elements::computed)
            operand = large.copy(kLoop, operand);
        else
            operand = large.place(kLoop, operand.dtype(), operand.dims.max_shape());
    }
    put_into_memory(kLoop, operands, elements);
}

void put_into_memory(const char* what, std::vector<Operand>& operands, Elements elements) {
    for (Operand& operand : operands) {
        const Node& node = *operand.node;
        const Leaf* const leaf = leaf_of(operand);
        const bool is_read_at_once = node.kind() == NodeKind::constant ||
                                     (leaf != nullptr && leaf->memory()) ||
                                     node.reads(Below::sparse | Below::blocks) ||
                                     !node.dtype().is_builtin() || operand.dims.size() == 0;
        if (is_read_at_once || (leaf != nullptr && lies_elsewhere(operand))) continue;
        operand = copied(what, operand, elements);
    }
}

} // namespace purview
