#pragma once

#include "evaluation/loops/large_states.hpp"
#include "evaluation/loops/state_chains.hpp"

#include <purview/evaluation/destination.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// What loops are called in messages.
inline constexpr const char* kLoop = "loop";

/// Elements that can be written and read, in row-major order without gaps.
struct Place {
    explicit Place(Operand all) : elements(std::move(all)), destination(elements) {}
    /// Elements that lie at `memory`.
    Place(Operand all, void* memory) : elements(std::move(all)), destination(memory) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    Operand elements;
    Destination destination; // may refer to `elements`
};

/// Where the elements of an operand lie one after the other, in row-major order; else null.
PURVIEW_EXPORT std::byte* line_of(const Operand& operand);

/// The states, what the next step reads of them, and where it writes. Each chain has places in turn, one more than it has
/// states, or as many where the last is overwritten; or each
/// state has a row. After the last step each state lies where it was asked for.
class PlacedStates {
public:
    /// `most` steps are taken, at most. `last`: where each state is to be after them. New places are in `large`, if that
    /// has any.
    PlacedStates(const StateChains& chains, std::span<const Operand> first,
                 std::span<const Destination> last, index_t most, const Operand& there,
                 LargeStates& large);

    /// For steps that read elements one after the other.
    void put_into_lines();
    /// The head of a chain is written where its last state lies.
    void overwrite(std::size_t head) { places_[head].pop_back(); }

    /// The head of a chain is written after each step but the last, which the first `count` rows in memory are for, to
    /// the row of that number.
    void put_into_rows(std::size_t head, Operand rows, index_t count);
    bool is_in_rows(std::size_t state) const { return !rows_[state].places.empty(); }

    /// A state after `taken` steps.
    const Operand& after(std::size_t state, index_t taken);
    /// Where a state that is computed is written by the step behind `taken` steps.
    const Destination& destination(std::size_t state, index_t taken) {
        return place(state, taken + 1).destination;
    }
    /// Brings all states after `taken` steps to where they were asked for.
    void finish(index_t taken);

private:
    /// Whether a state lies where it was asked for by itself.
    bool is_at_place(std::size_t state, index_t taken) const;
    Operand copied(const Operand& x) const;
    Operand new_place(const Operand& like) const;
    /// Where the head of a chain lies after `steps` of them: in the place of the state that it will be in the end.
    Place& place(std::size_t head, index_t steps);

    struct Rows {
        Operand all;
        std::vector<std::unique_ptr<Place>> places;
    };

    const StateChains& chains_;
    std::vector<Operand> first_;
    std::span<const Destination> last_;
    index_t most_;
    const Operand& there_;
    LargeStates& large_;
    std::vector<std::vector<std::unique_ptr<Place>>> places_; // of the heads of chains
    std::vector<Rows> rows_;                                  // where these are kept
};

} // namespace purview
