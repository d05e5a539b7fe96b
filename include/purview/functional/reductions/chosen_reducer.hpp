#pragma once

#include <purview/functional/reductions/own_reducer.hpp>
#include <purview/functional/reductions/reduce.hpp>

#include <memory>

namespace purview::inline v0_1 {

/// What reduces: one of the library's reductions, or one's own, and its policy for NaN.
struct ChosenReducer {
    const BuiltInReduction* built_in = nullptr;
    const FunctionReducer* own = nullptr;
    NanRule nan = NanRule::keep;

    const char* name() const noexcept { return own != nullptr ? own->name() : built_in->name(); }
    AxisOrder order() const { return own != nullptr ? AxisOrder::of_operand : built_in->order(); }
    /// Of elements of a type: of those that are not NaN, if it skips NaN. Null for a reduction of the library's that
    /// is none of states, as a median. Throws `DtypeError`.
    PURVIEW_EXPORT std::shared_ptr<const Reducer> reducer(DType element) const;
    /// New memory for the results of its reducer, of a shape, or, of lists, with their axis at the end.
    PURVIEW_EXPORT Operand new_results(const Reducer& reducer, Shape shape) const;
};
/// Results whose last axis comes to `lead` if it is that of lists.
PURVIEW_EXPORT Operand with_lists_at(index_t lead, const Reducer& reducer, Operand results);

/// What reduces windows or groups: one of Purview's reductions with a NaN policy, one of one's own, or another
/// function, whose operation is `void`.
template <typename R>
struct ReducerParts {
    using Operation = void;
    static constexpr NanRule kRule = NanRule::keep;
};
template <typename T, typename R, NanRule rule, typename Functions>
struct ReducerParts<OwnReducer<T, R, rule, Functions>> : ReducerParts<void> {
    static constexpr NanRule kRule = rule;
    static ChosenReducer chosen(const OwnReducer<T, R, rule, Functions>& reducer) {
        return {nullptr, &reducer.functions(), rule};
    }
};
template <typename Of, NanRule rule>
struct ReducerParts<ReduceFunction<Of, rule>> {
    using Operation = Of;
    static constexpr NanRule kRule = rule;
    static ChosenReducer chosen(const ReduceFunction<Of, rule>&) {
        return {&Of::built_in(), nullptr, rule};
    }
};

/// Whether it is one of the library's, of elements whose types may be known at run time.
template <typename X, typename Reducer>
inline constexpr bool kReducedByLibrary =
    !std::is_void_v<typename ReducerParts<Reducer>::Operation> && kIsNumberOrVoid<ElementOrVoid<X>>;

} // namespace purview
