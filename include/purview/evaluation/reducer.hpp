#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/node.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace purview::inline v0_1 {

/// Elements of each of `groups` groups of a whole: equal parts of the global order of an operand.
struct FoldedPart {
    const Operand& operand;
    index_t groups;
    /// The index in its whole group of the element at an index of a group of this part.
    FunctionRef<index_t(index_t group, index_t at)> place;
};

/// What a reduction is: how elements become states of fixed size, those of parts states of the whole,
/// and these results. What carries it, over memory, chunks or ranks, knows nothing else of it.
class PURVIEW_EXPORT Reducer {
public:
    Reducer(const Reducer&) = delete;
    virtual ~Reducer();

    const char* name() const noexcept { return name_; }
    /// The type of results, of which each state has one, or `width()`.
    DType result() const noexcept { return result_; }
    /// 0 where a state has one result, which is no list.
    index_t width() const noexcept { return width_; }
    index_t results_of(index_t states) const noexcept {
        return width_ == 0 ? states : width_ * states;
    }
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

    /// Whether its states are those of another one, which may then be folded once for both.
    virtual bool has_states_of(const Reducer& other) const noexcept;
    /// Whether states may only be joined with those of the elements that follow.
    virtual bool keeps_order() const noexcept;
    /// The results of the groups of a whole, in which nothing is left to be realised: by default those
    /// of their states.
    virtual void run(const Operand& source, index_t groups, void* out) const;
    /// Whether `fold` takes elements on another backend, too.
    virtual bool reads_elsewhere() const noexcept;
    /// The results of elements on another backend, to where results lie. By default returns false: those
    /// of `run`, if it may read them.
    virtual bool run_elsewhere(const Operand& source, index_t groups, const Destination& out) const;

protected:
    /// `name` outlives it.
    Reducer(const char* name, DType result, std::size_t state_bytes, bool needs_elements = false,
            index_t width = 0) noexcept
        : name_(name),
          result_(result),
          state_bytes_(static_cast<index_t>(state_bytes)),
          width_(width),
          needs_elements_(needs_elements) {}

private:
    const char* name_;
    DType result_;
    index_t state_bytes_;
    index_t width_;
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

/// A reducer of one's own: a state begins as a copy of the initial one, and gets elements in memory, in
/// the row-major order of their group. Each 16384 elements make a state of their own, which are joined
/// in a tree that depends on the number of elements alone.
class PURVIEW_EXPORT BlockReducer : public Reducer {
public:
    /// The type of elements that `fold_block` gets.
    DType element() const noexcept { return element_; }
    /// Blocks have places one after the other only where they keep the order.
    bool keeps_order() const noexcept override;
    bool takes_places() const noexcept { return takes_places_; }

    void clear(std::byte* states, index_t count) const override;
    void fold(const FoldedPart& part, std::byte* states) const override;
    /// Of one group after the other on each thread, so that few states are kept.
    void run(const Operand& source, index_t groups, void* out) const override;

    /// Into the state: elements of which the first has this place in its whole group. On any thread.
    virtual void fold_block(std::byte* state, const void* elements, index_t count,
                            index_t place) const = 0;
    /// Into the state: an element, so many times. By default few are folded, and of more a state of
    /// one is joined with itself.
    virtual void repeat(std::byte* state, const void* element, index_t times) const;

protected:
    /// `initial` outlives it, as `name` does.
    BlockReducer(const char* name, DType element, DType result, index_t width,
                 std::span<const std::byte> initial, bool commutes, bool takes_places) noexcept
        : Reducer(name, result, initial.size(), false, width),
          element_(element),
          initial_(initial.data()),
          commutes_(commutes),
          takes_places_(takes_places) {}

private:
    DType element_;
    const std::byte* initial_;
    bool commutes_;
    bool takes_places_;
};

/// The same of elements that are not NaN, of floats, for one that takes no places. Borrows.
PURVIEW_EXPORT std::unique_ptr<const Reducer> numbers_only(const BlockReducer& reducer);

/// Writes the results of each of `groups` equal parts of the global order of a dense operand. Arrays of
/// chunks are read once, cell by cell, whose states are joined in an order that the cells decide; each
/// thread keeps one state for each group of a cell, which counts towards the memory limit. A reducer
/// that keeps the order has a state for each run of a cell until all are there. `MemoryLimitError` where
/// they do not fit.
PURVIEW_EXPORT void reduce_groups(const Reducer& reducer, const Operand& source, index_t groups,
                                  const Destination& out);
/// Several at once: of arrays of chunks each is read once, elements that lie side by side in memory, or
/// are computed, are once in the cache for all; those that have the same states share them. Each result has the
/// bits that it has alone; of chunks only where none keeps the order, in which the states of all are joined then.
PURVIEW_EXPORT void reduce_groups_together(std::span<const Reducer* const> reducers,
                                           const Operand& source, index_t groups,
                                           std::span<void* const> out);
/// Those of a sparse operand that has elements; with `skips_nan`, of floats that are not NaN. What is stored is
/// folded in the order of the elements, with what lies between repeated; by reducers that do not keep
/// the order as one block, then all that is not stored. O(stored + groups); of folds that take places,
/// O(elements).
PURVIEW_EXPORT void reduce_sparse_groups(const BlockReducer& reducer, bool skips_nan,
                                         const Operand& source, index_t groups, void* out);
/// Writes the states of the groups of a part of a whole, of any lazy operand, dense, that has elements.
PURVIEW_EXPORT void fold_part(const Reducer& reducer, const FoldedPart& part, std::byte* states);

} // namespace purview
