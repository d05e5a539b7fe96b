#pragma once

#include <purview/evaluation/lanes.hpp>
#include <purview/evaluation/reducer.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/functional/reductions/chosen_axes.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include <memory>
#include <optional>
#include <span>

namespace purview::inline v0_1 {

/// A fold of the engine's, whose results may be divided by the number of their elements.
struct PlainFold {
    Reduction reduction;
    bool averages = false;
};

/// A reduction of elements whose type is built-in and known at run time: what the function object
/// of a reduction calls, whatever the static type of its tensor. Each is an object of the library, and
/// is never destroyed: destructors of static objects may still reduce.
class PURVIEW_EXPORT BuiltInReduction {
public:
    BuiltInReduction(const BuiltInReduction&) = delete;

    const char* name() const noexcept { return name_; }
    /// The type of the results for elements of a built-in type.
    virtual DType result_of(DType element) const = 0;
    /// `as_named` if the result depends on the order of axes, as an index does.
    virtual AxisOrder order() const { return AxisOrder::of_operand; }

    /// The fold that it is; nothing for others.
    virtual std::optional<PlainFold> as_fold() const noexcept { return {}; }
    /// What others do to each group, in words, for `explain`.
    virtual const char* steps() const noexcept { return "each group in passes of its own"; }

    /// Writes `view.groups` results, of the type `result`, which `result_of` gives, to `out`.
    virtual void run(ReducedView view, DType result, void* out) const = 0;
    /// Writes the results to `results`, which may lie elsewhere. By default they are computed into
    /// memory, which is then written there.
    virtual void run_to(ReducedView view, const Operand& results) const;
    /// The reduction as states of elements of a type, with `skips_nan` of floats that are not NaN: for
    /// what is not read as a whole. Null where there is none; throws `DtypeError`.
    virtual std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const;
    /// Whether elements in memory have the results of `reducer` bit by bit, where there is one.
    virtual bool has_bits_of_reducer(DType, bool skips_nan) const;
    /// Whether all elements of a group have to be in memory together, or else are read more than once: by default where
    /// there is no `reducer`.
    virtual bool wants_groups_together(DType element, bool skips_nan) const;
    /// Writes the results over the elements that are not NaN, of floats. By default it reduces
    /// copies of them.
    virtual void run_on_non_nan(ReducedView view, void* out) const;
    /// The results of a sparse view that is not empty, as a sparse buffer. By default throws
    /// `KindError`.
    virtual std::shared_ptr<AnyReader> run_sparse(ReducedView view) const;
    /// Writes the reductions of every `step`-th window of `width` elements of the padded lanes to
    /// `out`, and returns true, if it has a faster way than one window after the other.
    virtual bool roll(const PaddedLanes& lanes, index_t width, index_t step, NanRule nan,
                      void* out) const;
    /// Writes the reductions of the windows [begins[i], ends[i]) of each of `groups` lanes, which
    /// follow each other in `lanes`, to `out`, and returns true, if it has a faster way than one
    /// window after the other.
    virtual bool roll_ranges(const Operand& lanes, index_t groups, std::span<const index_t> begins,
                             std::span<const index_t> ends, NanRule nan, void* out) const;
    /// The reduction as a node, for symbols. By default throws `KindError`.
    virtual Operand node(ReducedView view) const;
    /// The reduction of elements of a type that is known at run time and not built-in: strings,
    /// times, complex numbers, the user's. By default throws `DtypeError`.
    virtual AnyTensor of_non_builtin(const ReducedView& view) const;
    /// The results over the times of a view that are not NaT. By default it reduces copies of them.
    virtual Operand of_non_nat(const ReducedView& view) const;

protected:
    constexpr explicit BuiltInReduction(const char* name) noexcept : name_(name) {}
    ~BuiltInReduction() = default;

private:
    const char* name_;
};

PURVIEW_EXPORT const BuiltInReduction& fold_reduction(Reduction reduction);
PURVIEW_EXPORT const BuiltInReduction& mean_reduction();
PURVIEW_EXPORT const BuiltInReduction& count_reduction();
PURVIEW_EXPORT const BuiltInReduction& arg_reduction(Extreme extreme, bool last);
PURVIEW_EXPORT const BuiltInReduction& variance_reduction(bool of_sample, bool root);
PURVIEW_EXPORT const BuiltInReduction& magnitude_reduction(bool root);
PURVIEW_EXPORT const BuiltInReduction& compensated_sum_reduction();
PURVIEW_EXPORT const BuiltInReduction& logsumexp_reduction();

/// Reduces everything to one number of the type of results at `out`. Throws `ArithmeticError` for a
/// NaN that is refused.
PURVIEW_EXPORT void reduce_to_number(const BuiltInReduction& reduction, const Operand& x,
                                     NanRule nan, void* out);
/// Reduces over axes, or everything: elements in memory, or sparse for a sparse operand, in the
/// shape of the result.
PURVIEW_EXPORT Operand reduce_over_axes(const BuiltInReduction& reduction, const Operand& x,
                                        const ChosenAxes& chosen);
/// Reduces elements of any type that is known at run time over axes, or everything, in the shape of
/// the result.
PURVIEW_EXPORT AnyTensor reduce_any(const BuiltInReduction& reduction, const Operand& x,
                                    const ChosenAxes& chosen);
/// The reduction over axes, or everything, as a node, for symbols.
PURVIEW_EXPORT Operand reduce_to_node(const BuiltInReduction& reduction, const Operand& x,
                                      const ChosenAxes& chosen);
/// The reduction of a view, in memory, or sparse.
PURVIEW_EXPORT Operand reduce_view(const BuiltInReduction& reduction, ReducedView view,
                                   NanRule nan);

} // namespace purview
