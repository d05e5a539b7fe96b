#pragma once

#include <purview/evaluation/reducer.hpp>
#include <purview/functional/reductions/chosen_axes.hpp>
#include <purview/functional/reductions/rolled_states.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/create.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

struct ReducerOptions {
    /// Whether states may be joined in any order: otherwise in that of their elements.
    bool commutes = false;
};

/// Windows of a lane of elements, and memory for states that `roll_states` keeps.
struct RolledLane {
    const void* elements;
    WindowEnds windows;
    bool skips_nan;
    std::byte* states;
    index_t states_kept; ///< 0: each window is folded by itself
};

/// A `BlockReducer` that makes memory for its results, whatever their type, and folds what is no block.
class PURVIEW_EXPORT FunctionReducer : public BlockReducer,
                                       public std::enable_shared_from_this<FunctionReducer> {
public:
    /// The one that reduces elements of a type, which convert to its own: itself, where they do so without
    /// loss, by default. Null where there is none.
    virtual const FunctionReducer* of(DType element) const;
    virtual Operand new_results(ShapeSpan shape) const = 0;
    /// Adds each element to the state whose number stands beside it. With `skips_nan`, not NaN. `sizes` of what
    /// states have so far are read and raised where the fold takes places.
    virtual void fold_rows(std::byte* states, const void* elements, const std::int64_t* numbers,
                           index_t count, bool skips_nan, index_t* sizes) const = 0;
    /// Writes the results of windows.
    virtual void roll(const RolledLane& lane, void* out) const = 0;

protected:
    using BlockReducer::BlockReducer;
};

/// What `finish` of a reducer gives: a number or another element, or an array of them.
template <typename R>
struct FinishedAs {
    using Element = R;
    static constexpr index_t kWidth = 0;
};
template <typename R, std::size_t width>
struct FinishedAs<std::array<R, width>> {
    using Element = R;
    static constexpr index_t kWidth = static_cast<index_t>(width);
};

template <typename Finish>
concept GivesLists = requires(const Finish& finish) {
    { finish.width() } -> std::same_as<index_t>;
};
template <typename Finish, typename State>
struct ResultOfFinish {
    using Result = std::decay_t<std::invoke_result_t<const Finish&, const State&>>;
    using Element = typename FinishedAs<Result>::Element;
    static index_t width(const Finish&) { return FinishedAs<Result>::kWidth; }
    static Element* put(const Finish& finish, const State& state, Element* to) {
        Result result = finish(state);
        if constexpr (FinishedAs<Result>::kWidth == 0)
            *to++ = std::move(result);
        else
            for (Element& each : result) *to++ = std::move(each);
        return to;
    }
};
/// `finish(state, to)`, which writes `finish.width()` elements of `Finish::Element`, one if that is 0.
template <GivesLists Finish, typename State>
struct ResultOfFinish<Finish, State> {
    using Element = typename Finish::Element;
    static index_t width(const Finish& finish) { return finish.width(); }
    static Element* put(const Finish& finish, const State& state, Element* to) {
        finish(state, to);
        return to + (finish.width() == 0 ? 1 : finish.width());
    }
};

/// The name and the initial state, which the base of `ReducerOfFunctions` borrows.
template <typename State>
struct NamedState {
    std::string name;
    State initial;
};

/// A reducer made of functions; `Repeat` may be `std::nullptr_t`.
template <typename T, typename State, typename Fold, typename Join, typename Finish,
          typename Repeat>
class ReducerOfFunctions : NamedState<State>, public FunctionReducer {
    using Finished = ResultOfFinish<Finish, State>;
    using Element = typename Finished::Element;
    static constexpr bool kFoldsElements = std::invocable<const Fold&, State&, const T&>;
    static constexpr bool kFoldsPlaces =
        !kFoldsElements && std::invocable<const Fold&, State&, std::span<const T>, index_t>;

public:
    ReducerOfFunctions(std::string called, State begin, Fold fold, Join join, Finish finish,
                       Repeat repeat, bool commutes)
        : NamedState<State>{std::move(called), std::move(begin)},
          FunctionReducer(
              NamedState<State>::name.c_str(), kDType<T>, kDType<Element>, Finished::width(finish),
              std::as_bytes(std::span(&(NamedState<State>::initial), 1)), commutes, kFoldsPlaces),
          fold_(std::move(fold)),
          join_(std::move(join)),
          finish_(std::move(finish)),
          repeat_(std::move(repeat)) {}

    void fold_block(std::byte* state, const void* elements, index_t count,
                    [[maybe_unused]] index_t place) const override {
        const std::span<const T> block(static_cast<const T*>(elements),
                                       static_cast<std::size_t>(count));
        State own = state_at(state);
        if constexpr (kFoldsElements)
            for (const T& element : block) fold_(own, element);
        else if constexpr (kFoldsPlaces)
            fold_(own, block, place);
        else
            fold_(own, block);
        state_at(state) = own;
    }
    void repeat(std::byte* state, const void* element, index_t times) const override {
        if constexpr (std::same_as<Repeat, std::nullptr_t>)
            BlockReducer::repeat(state, element, times);
        else
            repeat_(state_at(state), *static_cast<const T*>(element), times);
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        for (index_t i = 0; i < count; ++i) join_(state_at(left, i), state_at(right, i));
    }
    void finish(const std::byte* states, index_t count, index_t, void* out) const override {
        auto* to = static_cast<Element*>(out);
        for (index_t i = 0; i < count; ++i) to = Finished::put(finish_, state_at(states, i), to);
    }
    void fold_rows(std::byte* states, const void* elements, const std::int64_t* numbers,
                   index_t count, bool skips_nan, [[maybe_unused]] index_t* sizes) const override {
        const T* const values = static_cast<const T*>(elements);
        for (index_t i = 0; i < count; ++i) {
            State& state = state_at(states, numbers[i]);
            if constexpr (kFoldsPlaces)
                fold_(state, std::span<const T>(&values[i], 1), sizes[numbers[i]]++);
            else if (!skips_nan || is_number(values[i]))
                fold_one(state, values[i]);
        }
    }
    void roll(const RolledLane& lane, void* out) const override {
        const T* const values = static_cast<const T*>(lane.elements);
        auto* to = static_cast<Element*>(out);
        [[maybe_unused]] const std::span states(&state_at(lane.states),
                                                static_cast<std::size_t>(lane.states_kept));
        const auto found = [&](const State& state) { to = Finished::put(finish_, state, to); };
        if constexpr (kFoldsPlaces) {
            for (index_t i = 0; i < lane.windows.count; ++i) {
                State window = NamedState<State>::initial;
                const index_t begin = lane.windows.begin(i);
                const auto width = static_cast<std::size_t>(lane.windows.end(i) - begin);
                if (width > 0) fold_(window, std::span<const T>(values + begin, width), 0);
                found(window);
            }
        } else {
            const auto roll_by = [&](auto fold) {
                roll_states(lane.windows, states, NamedState<State>::initial, fold, join_, found);
            };
            if constexpr (std::is_floating_point_v<T>)
                if (lane.skips_nan)
                    return roll_by([&](State& state, index_t at) {
                        if (is_number(values[at])) fold_one(state, values[at]);
                    });
            roll_by([&](State& state, index_t at) { fold_one(state, values[at]); });
        }
    }
    Operand new_results(ShapeSpan shape) const override { return empty<Element>(shape).operand(); }

private:
    static bool is_number(const T& element) {
        if constexpr (std::is_floating_point_v<T>)
            return element == element;
        else
            return true;
    }
    void fold_one(State& state, const T& element) const {
        if constexpr (kFoldsElements)
            fold_(state, element);
        else
            fold_(state, std::span<const T>(&element, 1));
    }
    static State& state_at(std::byte* states, index_t i = 0) {
        return reinterpret_cast<State*>(states)[i];
    }
    static const State& state_at(const std::byte* states, index_t i = 0) {
        return reinterpret_cast<const State*>(states)[i];
    }

    Fold fold_;
    Join join_;
    Finish finish_;
    [[no_unique_address]] Repeat repeat_;
};

/// A reducer of one's own, of elements of T, which gives an R for each group; T is void where `FunctionReducer::of`
/// knows several types. A value: copies share the functions that it is made of. `spread(skip_nan)`
/// is the same with a policy for NaN.
template <typename T, typename R, NanRule rule = NanRule::keep,
          typename Functions = std::shared_ptr<const FunctionReducer>>
class OwnReducer {
public:
    using Result = R;

    constexpr OwnReducer() requires std::is_empty_v<Functions>
    = default;
    explicit OwnReducer(Functions functions) noexcept : functions_(std::move(functions)) {}

    std::string_view name() const { return functions_->name(); }
    const FunctionReducer& functions() const { return *functions_; }

    template <NanPolicy... P>
        requires(sizeof...(P) > 0)
    OwnReducer<T, R, kRuleAmong<rule, P...>, Functions>
    operator()(const P&...) const {
        return OwnReducer<T, R, kRuleAmong<rule, P...>, Functions>(functions_);
    }

private:
    [[no_unique_address]] Functions functions_{};
};

template <typename R>
inline constexpr bool kIsOwnReducer = false;
template <typename T, typename R, NanRule rule, typename Functions>
inline constexpr bool kIsOwnReducer<OwnReducer<T, R, rule, Functions>> = true;

/// Whether a reducer of elements of T takes those of X, as far as types know: numbers for numbers, for whose
/// types elements decide; void is a type known at run time.
template <typename T, typename X>
inline constexpr bool kOwnTakes = std::same_as<X, T> || std::is_void_v<X> || std::is_void_v<T> ||
                                  (kIsNumberOrVoid<Widened<X>> && BuiltinType<T>);

/// The elements of an operand as those of the reducer that takes them.
struct ReducedElements {
    const FunctionReducer& by;
    Operand elements;
    bool skips_nan; ///< as there may be some
};
/// Throws `DtypeError` for types that the reducer does not take, or of which it skips no NaN, `DeviceError`; `Error`
/// where NaN is skipped and places are taken.
PURVIEW_EXPORT ReducedElements elements_for(const FunctionReducer& reducer, const Operand& x,
                                            bool skips_nan = false);

/// `reducer<T>(name, initial, fold, join, finish)`: a reduction of one's own, for `reduce`.
///
///     struct Spread { double least = inf, most = -inf; };
///     auto spread = reducer<double>("spread", Spread{},
///         [](Spread& s, double x) { s.least = std::min(s.least, x); s.most = std::max(s.most, x); },
///         [](Spread& s, const Spread& next) { … }, [](const Spread& s) { return s.most - s.least; });
///
/// A state is trivially copyable; states begin as copies of `initial`. `fold(state, element)` adds an
/// element; instead it may take a block of them, `fold(state, std::span<const T>)`, or that and the
/// place of its first element in its group, `fold(state, std::span<const T>, index_t)`. `join(state,
/// next)` adds the state of what follows, `finish(state)` gives a number, another element, or a
/// `std::array` of them, which is an axis in front of the results. `repeat(state, element, times)`, where it is
/// given, adds an element many times, as sparse tensors have them. All of them may be called on several threads at
/// once; what they throw is thrown by the reduction.
///
/// Elements are folded in row-major order, each 16384 of a group into a state of their own, which are
/// joined in a tree that depends on their number: the same result for any number of threads. Of arrays
/// of chunks each cell has states of its own; with `commutes` these are joined in the order of the grid,
/// otherwise in the order of their elements. Takes elements that convert to T without loss; `DtypeError`
/// for others.
template <ElementType T, typename State, typename Fold, typename Join, typename Finish,
          typename Repeat>
    requires(!std::same_as<Repeat, ReducerOptions>)
auto reducer(std::string_view name, State initial, Fold fold, Join join, Finish finish,
             Repeat repeated, ReducerOptions options = {}) {
    static_assert(std::is_trivially_copyable_v<State> &&
                      alignof(State) <= alignof(std::max_align_t),
                  "the state of a reducer is copied as bytes: numbers and arrays of them, no "
                  "strings or vectors");
    static_assert(std::invocable<const Fold&, State&, const T&> ||
                      std::invocable<const Fold&, State&, std::span<const T>> ||
                      std::invocable<const Fold&, State&, std::span<const T>, index_t>,
                  "fold(state, element) adds an element to a State&, or fold(state, span) a block");
    static_assert(std::invocable<const Join&, State&, const State&>,
                  "join(state, next) adds the state of the elements that follow to a State&");
    static_assert(std::invocable<const Finish&, const State&>,
                  "finish(state) makes the result of a const State&");
    using R = std::decay_t<std::invoke_result_t<const Finish&, const State&>>;
    static_assert(ElementType<typename FinishedAs<R>::Element>,
                  "finish(state) gives what a tensor can hold, or a std::array of that");
    using Functions = ReducerOfFunctions<T, State, Fold, Join, Finish, Repeat>;
    return OwnReducer<T, R>(std::make_shared<const Functions>(
        std::string(name), std::move(initial), std::move(fold), std::move(join), std::move(finish),
        std::move(repeated), options.commutes));
}
template <ElementType T, typename State, typename Fold, typename Join, typename Finish>
auto reducer(std::string_view name, State initial, Fold fold, Join join, Finish finish,
             ReducerOptions options = {}) {
    return reducer<T>(name, std::move(initial), std::move(fold), std::move(join), std::move(finish),
                      nullptr, options);
}

} // namespace purview
