#include "evaluation/loops/loop_run.hpp"

#include "evaluation/loops/compiled_graphs.hpp"
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
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kWhat = "loop";

/// Elements that can be written and read, in row-major order without gaps.
struct Place {
    explicit Place(Operand all) : elements(std::move(all)), destination(elements) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    Operand elements;
    Destination destination; // refers to `elements`
};

/// A row of an array, along its first axis.
Operand row_of(const Operand& all, index_t row) {
    return {all.node, dimensions::select(all.dims, 0, row)};
}

/// A state: what the next step reads, and where it writes; each in turn.
class State {
public:
    /// `last`: where the state is to be after the last step; nothing where nobody asks for it.
    State(const Operand& first, const Destination& last, const Operand& there)
        : first_(first), last_is_given_(!last.is_nowhere()), last_(last), there_(&there) {}

    /// What the step reads that comes after `taken` steps. Two places: even and odd ones.
    const Operand& before(index_t taken, index_t most) {
        return taken == 0 ? first_ : place(taken, most).elements;
    }
    const Destination& after(index_t taken, index_t most) {
        return place(taken + 1, most).destination;
    }
    /// Brings the state after `taken` steps to where it was asked for.
    void finish(index_t taken, index_t most) {
        if (!last_is_given_) return;
        const Operand& state = before(taken, most);
        if (taken > 0 && is_last(taken, most)) return;
        const Operand out = last_.elements(state.dtype(), state.dims.max_shape());
        if (out.dims.size() > 0) assign(state, out);
    }

private:
    /// Whether the state after so many steps lies in the place of the last one of `most`.
    static bool is_last(index_t taken, index_t most) { return (most - taken) % 2 == 0; }
    Place& place(index_t taken, index_t most) {
        std::optional<Place>& place = places_[is_last(taken, most) ? 0 : 1];
        if (!place) {
            const ShapeSpan shape = first_.dims.max_shape();
            if (is_last(taken, most) && last_is_given_)
                place.emplace(last_.elements(first_.dtype(), shape));
            else
                place.emplace(results_like(kWhat, *there_, first_.dtype(), shape));
        }
        return *place;
    }

    Operand first_;
    bool last_is_given_;
    Destination last_;
    const Operand* there_;
    std::array<std::optional<Place>, 2> places_;
};

/// What lies elsewhere, if anything does; else the first operand.
const Operand& place_of_all(std::span<const Operand> operands) {
    for (const Operand& operand : operands)
        if (lies_elsewhere(operand)) return operand;
    return operands[0];
}

class LoopRun {
public:
    LoopRun(const CompiledLoop& loop, std::span<const Operand> operands,
            std::span<const Destination> outs, const StepWatch* watch)
        : loop_(loop),
          rule_(loop.rule),
          operands_(operands.subspan(rule_.is_counted ? 1 : 0)),
          outs_(outs),
          results_(outs.subspan(1)),
          watch_(watch),
          steps_(rule_.is_counted ? count_of(operands[0]) : rule_.most),
          there_(place_of_all(operands_)) {
        for (std::size_t i = 0; i < rule_.states; ++i)
            states_.emplace_back(operands_[i], results_[i], there_);
        for (std::size_t i = 0; i < rule_.outputs(); ++i)
            outputs_.push_back(rows_at(result_at(rule_.states + i), output(i), rule_.most));
        for (std::size_t i = 0; i < rule_.states; ++i)
            kept_.push_back(
                rows_at(result_at(rule_.states + rule_.outputs() + i), operands_[i], rule_.kept()));
        for (const Operand& operand : operands_) bindings_.push_back(&operand);
        inputs_.resize(rule_.inputs);
    }

    void run() {
        index_t taken = 0;
        std::string because;
        if (rule_.condition == nullptr && steps_ > 1)
            tiles_ = TiledSteps::make(rule_, operands_, because);
        if (rule_.condition == nullptr)
            watched_steps(rule_.name(), steps_, [&](index_t step) {
                if (step == taken && !take_several(taken)) take(taken);
                return true;
            });
        else
            take_while(taken);
        for (State& state : states_) state.finish(taken, steps_);
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
    const Destination& result_at(std::size_t i) const { return results_[i]; }
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

    /// Steps that are taken together, if any are: up to one whose states are kept, or shown.
    bool take_several(index_t& taken) {
        if (tiles_ == nullptr) return false;
        index_t steps = std::min(tiles_->depth(), steps_ - taken);
        if (std::ranges::any_of(kept_, [](const auto& rows) { return rows.has_value(); }))
            steps = std::min(steps, rule_.keep - taken % rule_.keep);
        if (watch_ != nullptr) steps = std::min(steps, watch_->every - taken % watch_->every);
        if (steps < 2) return false;
        StatePlaces places;
        for (State& state : states_) {
            const std::byte* const first = line_of(state.before(taken, steps_));
            if (first == nullptr) return false; // the next step puts it into a line
            places.first.push_back(first);
            places.odd.push_back(static_cast<std::byte*>(state.after(taken, steps_).memory()));
            places.even.push_back(static_cast<std::byte*>(state.after(taken + 1, steps_).memory()));
        }
        keep(taken);
        tiles_->take(places, steps);
        taken += steps;
        if (watch_ != nullptr && taken % watch_->every == 0) show(taken);
        return true;
    }
    /// Where the elements of an operand lie one after the other, in row-major order; else null.
    static const std::byte* line_of(const Operand& operand) {
        const Leaf* const leaf = leaf_of(operand);
        if (leaf == nullptr || !leaf->memory() ||
            leaf->memory().stride_bytes != leaf->dtype().size_bytes() ||
            !operand.dims.is_strided() || operand.dims.size() == 0)
            return nullptr;
        const Dimensions plain = Dimensions::row_major(operand.dims.max_shape());
        if (!std::ranges::equal(operand.dims.strides(), plain.strides())) return nullptr;
        return static_cast<const std::byte*>(leaf->memory().data) +
               operand.dims.base() * leaf->memory().stride_bytes;
    }

    void take(index_t& taken) {
        try {
            keep(taken);
            for (std::size_t i = 0; i < rule_.states; ++i)
                bindings_[i] = &states_[i].before(taken, steps_);
            for (std::size_t i = 0; i < rule_.inputs; ++i) {
                inputs_[i] = row_of(operands_[rule_.states + i], row(taken));
                bindings_[rule_.states + i] = &inputs_[i];
            }
            destinations_.clear();
            for (State& state : states_) destinations_.push_back(state.after(taken, steps_));
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
        if (watch_ != nullptr && taken % watch_->every == 0) show(taken);
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
                results_like(kWhat, there_, output(i).dtype(), output(i).dims.max_shape()));
        return row_places_[i]->destination;
    }

    void keep(index_t taken) {
        if (taken % rule_.keep != 0) return;
        for (std::size_t i = 0; i < rule_.states; ++i)
            if (kept_[i] && kept_[i]->dims.size() > 0)
                assign(states_[i].before(taken, steps_), row_of(*kept_[i], taken / rule_.keep));
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
            for (State& state : states_) bindings.push_back(&state.before(steps, steps_));
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
        for (State& state : states_) {
            const Operand& now = state.before(taken, steps_);
            own.push_back(results_like(kWhat, now, now.dtype(), now.dims.max_shape()));
            if (now.dims.size() > 0) assign(now, own.back());
        }
        watch_->call(taken, own);
    }

    /// Zeros in the rows of outputs that no step has written.
    void clear_rows_behind(index_t taken) {
        if (taken == rule_.most) return;
        for (const std::optional<Operand>& all : outputs_) {
            if (!all || all->dims.size() == 0) continue;
            const Operand rest{all->node,
                               dimensions::select(all->dims, 0, Range(taken, rule_.most))};
            visit_dtype(rest.dtype(), kWhat, [&]<typename T>(std::type_identity<T>) {
                assign(constant_operand(T{}, rest.dims.max_shape()), rest);
            });
        }
    }

    const CompiledLoop& loop_;
    const LoopRule& rule_;
    std::span<const Operand> operands_; // of the step
    std::span<const Destination> outs_;
    std::span<const Destination> results_;
    const StepWatch* watch_;
    index_t steps_;
    const Operand& there_;
    std::unique_ptr<TiledSteps> tiles_; // null: single steps
    std::deque<State> states_;
    std::vector<std::optional<Operand>> outputs_; // all rows; nothing where nobody asks for them
    std::vector<std::optional<Operand>> kept_;
    std::vector<const Operand*> bindings_;
    std::vector<Operand> inputs_;
    std::vector<Destination> destinations_;
    std::vector<std::unique_ptr<Place>> row_places_; // for a row of each output that needs one
};

} // namespace

CompiledLoop::CompiledLoop(const LoopRule& loop)
    : rule(loop),
      step(compiled(loop.step)),
      condition(loop.condition == nullptr ? nullptr : compiled(loop.condition)) {}

void run_loop(const CompiledLoop& loop, std::vector<Operand> operands,
              std::span<const Destination> outs, const StepWatch* watch) {
    put_into_memory(kWhat, operands);
    LoopRun(loop, operands, outs, watch).run();
}

void put_into_memory(const char* what, std::vector<Operand>& operands) {
    for (Operand& operand : operands) {
        const Node& node = *operand.node;
        const Leaf* const leaf = leaf_of(operand);
        const bool is_read_at_once = node.kind() == NodeKind::constant ||
                                     (leaf != nullptr && leaf->memory()) ||
                                     node.reads(Below::sparse | Below::blocks) ||
                                     !node.dtype().is_builtin() || operand.dims.size() == 0;
        if (is_read_at_once || (leaf != nullptr && lies_elsewhere(operand))) continue;
        Operand own = results_like(what, operand, operand.dtype(), operand.dims.max_shape());
        assign(operand, own);
        operand = std::move(own);
    }
}

} // namespace purview
