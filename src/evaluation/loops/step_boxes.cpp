#include "evaluation/loops/step_boxes.hpp"

#include "evaluation/loops/box_resolver.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/expression/symbol.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr std::size_t kMostBoxes = 256;

class BoxFinder {
public:
    BoxFinder(const LoopRule& rule, const StateChains& chains, StateMargins margins,
              MarginSearch* search = nullptr)
        : rule_(rule), chains_(chains), search_(search) {
        found_.moves.resize(rule.states, false);
        found_.margins = std::move(margins);
    }

    StepBoxes run() {
        const auto shape = [&](std::size_t i) {
            return static_cast<const SymbolNode&>(*rule_.step->placeholders[i]).shape();
        };
        for (std::size_t i = 0; i < rule_.states; ++i) {
            if (shape(i).empty()) return refused("a state is a number");
            // What wraps round has axes of one length.
            for (std::size_t a = 0; a < 2; ++a)
                is_one_length_[a] = is_one_length_[a] && shape(i).size() > a &&
                                    shape(0).size() > a && shape(i)[a] == shape(0)[a];
        }
        const bool has_rows = rule_.inputs > 0 || rule_.outputs() > 0;
        if (has_rows && found_.margins.axes != MarginAxes::every)
            return refused("each step has a row of its own");
        const auto is_padded = [&](ShapeSpan of) {
            return !found_.margins.empty() && std::ranges::equal(of, found_.margins.shape);
        };
        for (std::size_t i = 0; i < rule_.states + rule_.inputs; ++i)
            found_.are_inputs_padded.push_back(is_padded(shape(i)));
        for (const Operand& output : rule_.step->outputs) {
            const ShapeSpan extents = output.dims.max_shape();
            if (extents.empty()) return refused("an output is a number");
            // Nothing is read round rows of outputs: margins serve those that may be computed as lines of memory.
            const bool is_state = found_.are_outputs_padded.size() < rule_.states;
            found_.are_outputs_padded.push_back(is_padded(extents) &&
                                                (is_state || extents.size() > 1));
        }
        for (std::size_t i = 0; i < rule_.step->outputs.size() && found_.because.empty(); ++i) {
            if (i < rule_.states && !chains_.is_computed(i)) continue;
            const Shape extents = to_shape(rule_.step->outputs[i].dims.max_shape());
            add_boxes(i, Shape(extents.size(), 0), extents);
        }
        if (found_.because.empty() && found_.rows.is_ring && !is_one_length_[0])
            return refused("states that wrap round have axes of different lengths");
        // What goes on into the margin is what goes round.
        if (found_.margins.is_read(1)) found_.columns.is_ring = true;
        if (found_.columns.is_ring && !is_one_length_[1]) found_.columns_move = false;
        return std::move(found_);
    }

private:
    StepBoxes refused(std::string why) {
        found_.because = std::move(why);
        return std::move(found_);
    }

    void add_boxes(std::size_t output, const Shape& begin, const Shape& end) {
        if (found_.boxes.size() == kMostBoxes) {
            found_.because = "it is cut into too many boxes";
            return;
        }
        Operand root = rule_.step->outputs[output];
        for (std::size_t a = 0; a < begin.size(); ++a) {
            if (begin[a] == end[a]) return;
            root.dims =
                dimensions::select(root.dims, static_cast<index_t>(a), Range(begin[a], end[a]));
        }
        ResolvedBox made = resolve_box(rule_, chains_, output, begin, root, found_, search_);
        if (made.cut) {
            const auto [axis, at] = *made.cut;
            Shape middle = end;
            middle[axis] = begin[axis] + at;
            add_boxes(output, begin, middle);
            Shape rest = begin;
            rest[axis] = middle[axis];
            if (found_.because.empty()) add_boxes(output, rest, end);
            return;
        }
        if (!made.root) {
            found_.because = std::move(made.because);
            return;
        }
        found_.operations = std::max(found_.operations, made.operations);
        found_.boxes.push_back({output, begin, std::move(*made.root)});
    }

    const LoopRule& rule_;
    const StateChains& chains_;
    MarginSearch* search_;
    std::array<bool, 2> is_one_length_{true, true};
    StepBoxes found_;
};

/// How far elements of margins may be from states.
constexpr index_t kWidest = 8;

} // namespace

StepBoxes boxes_of(const LoopRule& rule, const StateChains& chains, MarginAxes axes) {
    const auto shape = [&](std::size_t i) {
        return static_cast<const SymbolNode&>(*rule.step->placeholders[i]).shape();
    };
    bool are_alike = axes != MarginAxes::none;
    for (std::size_t i = 1; i < rule.states; ++i)
        are_alike = are_alike && std::ranges::equal(shape(i), shape(0));
    if (!are_alike) return BoxFinder(rule, chains, {}).run();
    MarginSearch search{Shape(shape(0).size(), 0), Shape(shape(0).size(), 0)};
    for (std::size_t a = 0; a < search.most.size(); ++a)
        if (axes == MarginAxes::every || (a > 0 && a + 1 == search.most.size()))
            search.most[a] = std::min(kWidest, shape(0)[a] - 1);
    StateMargins plain(shape(0));
    plain.axes = axes;
    StepBoxes looked_at = BoxFinder(rule, chains, std::move(plain), &search).run();
    if (!looked_at.because.empty()) return looked_at;
    const bool is_wanted = std::ranges::any_of(search.reach, [](index_t n) { return n > 0; });
    if (is_wanted || axes == MarginAxes::every) {
        StepBoxes found = BoxFinder(rule, chains, margins_of(shape(0), search.reach, axes)).run();
        if (found.because.empty()) return found;
    }
    return BoxFinder(rule, chains, {}).run();
}

} // namespace purview
