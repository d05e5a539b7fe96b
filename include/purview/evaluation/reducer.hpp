#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/node.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace purview::inline v0_1 {

/// Elements of each of `groups` groups of a whole: equal parts of the global order of an operand.
struct FoldedPart {
    const Operand& operand;
    index_t groups;
    /// The index in its whole group of the element at an index of a group of this part.
    FunctionRef<index_t(index_t)> place;
};

/// What a reduction is: how elements become states of fixed size, those of parts states of the whole,
/// and these results. What carries it, over memory, chunks or ranks, knows nothing else of it.
class PURVIEW_EXPORT Reducer {
public:
    Reducer(const Reducer&) = delete;
    virtual ~Reducer();

    const char* name() const noexcept { return name_; }
    /// The type of results, which is built-in or complex.
    DType result() const noexcept { return result_; }
    /// States are trivial: kept in memory that is aligned as numbers are, joined, sent as bytes.
    index_t state_bytes() const noexcept { return state_bytes_; }
    /// Whether there is no result of no elements.
    bool needs_elements() const noexcept { return needs_elements_; }

    /// States of no elements.
    virtual void clear(std::byte* states, index_t count) const = 0;
    /// The states of the groups of a part, which has elements: nothing in it is left to be realised.
    virtual void fold(const FoldedPart& part, std::byte* states) const = 0;
    /// Into `left`, whose elements come before those of `right`.
    virtual void join(std::byte* left, const std::byte* right, index_t count) const = 0;
    /// The results of `elements` elements each. Throws `ShapeError` where there is none of them.
    virtual void finish(const std::byte* states, index_t count, index_t elements,
                        void* out) const = 0;

    /// The results of the groups of a whole, in which nothing is left to be realised: by default those
    /// of their states.
    virtual void run(const Operand& source, index_t groups, void* out) const;
    /// Those of elements on another backend, to where results lie. By default returns false: the host
    /// is to read them.
    virtual bool run_elsewhere(const Operand& source, index_t groups, const Destination& out) const;

protected:
    /// `name` is of static storage.
    Reducer(const char* name, DType result, std::size_t state_bytes,
            bool needs_elements = false) noexcept
        : name_(name),
          result_(result),
          state_bytes_(static_cast<index_t>(state_bytes)),
          needs_elements_(needs_elements) {}

private:
    const char* name_;
    DType result_;
    index_t state_bytes_;
    bool needs_elements_;
};

/// Of states of a type.
template <typename State>
class ReducerOfStates : public Reducer {
protected:
    ReducerOfStates(const char* name, DType result, bool needs_elements = false) noexcept
        : Reducer(name, result, sizeof(State), needs_elements) {
        static_assert(std::is_trivially_copyable_v<State>);
    }

    static std::span<State> states_at(std::byte* states, index_t count) {
        return {reinterpret_cast<State*>(states), static_cast<std::size_t>(count)};
    }
    static std::span<const State> states_at(const std::byte* states, index_t count) {
        return {reinterpret_cast<const State*>(states), static_cast<std::size_t>(count)};
    }
    /// Calls `f(state, more)` for each of two lists of states.
    template <typename F>
    static void for_both(std::byte* left, const std::byte* right, index_t count, F f) {
        const State* more = reinterpret_cast<const State*>(right);
        for (State& state : states_at(left, count)) f(state, *more++);
    }
};

/// Writes the results of each of `groups` equal parts of the global order of a dense operand. Arrays of
/// chunks are read once, cell by cell, whose states are joined in an order that the cells decide; each
/// thread keeps one state for each group of a cell, which counts towards the memory limit.
PURVIEW_EXPORT void reduce(const Reducer& reducer, const Operand& source, index_t groups,
                           const Destination& out);
/// Writes the states of the groups of a part of a whole, of any lazy operand, dense, that has elements.
PURVIEW_EXPORT void fold_part(const Reducer& reducer, const FoldedPart& part, std::byte* states);

} // namespace purview
