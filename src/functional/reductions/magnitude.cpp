// Defines purview/functional/reductions/built_in_reduction.hpp.
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/functional/elementwise/number_functions.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/reductions/float_results.hpp"
#include "functional/reductions/group_scales.hpp"
#include "functional/reductions/rolled_floats.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Norms of parts are joined by `hypot`, which does not overflow before the result does; those of
/// float32 are not rounded before that.
class NormReducer final : public ReducerOfStates<double> {
public:
    NormReducer(const char* name, DType element, bool skips_nan)
        : ReducerOfStates(name, averaged(element)),
          skips_nan_(skips_nan && element.is_floating()) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), 0.0);
    }
    void fold(const FoldedPart& part, std::byte* states) const override {
        ReducedView view{part.operand, {part.groups}, part.groups};
        cast_elements(view, float64);
        if (skips_nan_) view.operand = numbers_only(view.operand, 0.);
        magnitude_reduction(true).run(std::move(view), float64, states);
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        for_both(left, right, count, [](double& a, double b) {
            a = a != a || b != b ? a + b : std::hypot(a, b); // that of NaN and infinity is infinite
        });
    }
    void finish(const std::byte* states, index_t count, index_t, void* out) const override {
        with_floats(result(), out, [&]<typename T>(T* results) {
            for (const double state : states_at(states, count)) *results++ = static_cast<T>(state);
        });
    }

private:
    bool skips_nan_;
};

class Magnitude final : public BuiltInReduction {
public:
    constexpr Magnitude(const char* name, bool root) noexcept
        : BuiltInReduction(name), root_(root) {}

    DType result_of(DType element) const override { return averaged(element); }
    const char* steps() const noexcept override {
        return "squares added, scaled where they would overflow";
    }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        if (!root_) return nullptr;
        return std::make_unique<NormReducer>(name(), built_in(name(), element), skips_nan);
    }
    void run(ReducedView view, DType dtype, void* out) const override {
        const index_t groups = view.groups;
        cast_elements(view, dtype);
        const auto add_squares = [&](const Operand& x, void* sums) {
            ReducedView added = view;
            added.operand = x;
            fold_reduction(Reduction::sum).run(squares(std::move(added)), dtype, sums);
        };
        add_squares(view.operand, out);
        if (!root_) return;
        with_floats(dtype, out, [&]<typename T>(T* results) {
            const std::span sums(results, static_cast<std::size_t>(groups));
            const GroupScales scales(view.operand, std::span<const T>(sums));
            if (scales) {
                std::vector<T> again(sums.size());
                add_squares(scales.scaled(view.operand), again.data());
                take_scaled(scales, again, sums);
            }
            for (std::size_t g = 0; g < sums.size(); ++g) {
                results[g] = function_of(Op::square_root, results[g]);
                if (scales[g] != 0) results[g] = std::ldexp(results[g], scales[g]);
            }
        });
    }
    void run_on_non_nan(ReducedView view, void* out) const override {
        if (root_ && view.operand.node->reads(Below::blocks))
            return BuiltInReduction::run_on_non_nan(std::move(view), out);
        view.operand = numbers_only(view.operand, 0.);
        const DType dtype = view.operand.dtype();
        run(std::move(view), dtype, out);
    }
    bool roll(const PaddedLanes& lanes, index_t width, index_t step, NanRule nan,
              void* out) const override {
        return roll_squares(name(), lanes, width, step, false, root_, nan, out);
    }
    std::shared_ptr<AnyReader> run_sparse(ReducedView view) const override {
        if (!root_) return fold_reduction(Reduction::sum).run_sparse(squares(std::move(view)));
        const DType dtype = averaged(view.operand.dtype());
        cast_elements(view, dtype);
        const std::optional<Operand> sizes =
            has_extraordinary(view.operand, 2)
                ? std::optional(divide_by_sizes_of_sparse(view, Reduction::maximum))
                : std::nullopt;
        Operand roots = unary_operand(
            Op::square_root,
            elements_of_pairs(fold_reduction(Reduction::sum).run_sparse(squares(std::move(view)))),
            dtype);
        if (sizes) roots = binary_operand(Op::multiply, std::move(roots), *sizes, dtype, dtype);
        return realise_sparse(roots, name());
    }
    Operand node(ReducedView view) const override {
        Operand total = fold_reduction(Reduction::sum).node(squares(std::move(view)));
        const DType dtype = total.dtype();
        return root_ ? unary_operand(Op::square_root, std::move(total), dtype) : total;
    }

private:
    static ReducedView squares(ReducedView view) {
        const DType dtype = averaged(view.operand.dtype());
        cast_elements(view, dtype);
        view.operand = unary_operand(Op::square, std::move(view.operand), dtype);
        return view;
    }

    bool root_;
};

} // namespace

const BuiltInReduction& magnitude_reduction(bool root) {
    static constexpr Magnitude kSquared("magnitude_squared", false);
    static constexpr Magnitude kMagnitude("magnitude", true);
    return root ? kMagnitude : kSquared;
}

} // namespace purview
