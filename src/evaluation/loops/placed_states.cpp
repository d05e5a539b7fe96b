#include "evaluation/loops/placed_states.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1 {

std::byte* line_of(const Operand& operand) {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr || !leaf->memory() || !operand.dims.is_strided()) return nullptr;
    const index_t size = leaf->dtype().size_bytes();
    if (leaf->memory().stride_bytes != size ||
        reinterpret_cast<std::uintptr_t>(leaf->memory().data) % static_cast<std::uintptr_t>(size) !=
            0)
        return nullptr;
    const Dimensions plain = Dimensions::row_major(operand.dims.max_shape());
    if (!std::ranges::equal(operand.dims.strides(), plain.strides())) return nullptr;
    return static_cast<std::byte*>(
               const_cast<void*>(leaf->memory().data)) + // read, if it is not ours
           operand.dims.base() * size;
}

PlacedStates::PlacedStates(const StateChains& chains, std::span<const Operand> first,
                           std::span<const Destination> last, index_t most, const Operand& there,
                           LargeStates& large)
    : chains_(chains),
      first_(first.begin(), first.end()),
      last_(last),
      most_(most),
      there_(there),
      large_(large),
      places_(first.size()),
      rows_(first.size()) {
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (chains.is_computed(i)) places_[i].resize(chains.length(i) + 1);
}

void PlacedStates::put_into_lines() {
    for (Operand& first : first_)
        if (line_of(first) == nullptr) first = copied(first);
}

void PlacedStates::put_into_rows(std::size_t head, Operand rows, index_t count) {
    rows_[head].places.resize(static_cast<std::size_t>(count));
    rows_[head].all = std::move(rows);
}

const Operand& PlacedStates::after(std::size_t state, index_t taken) {
    const std::size_t head = chains_.head(state);
    const auto lag = static_cast<index_t>(chains_.lag(state));
    if (taken > lag) return place(head, taken - lag).elements;
    return first_[chains_.member(head, static_cast<std::size_t>(lag - taken))];
}

void PlacedStates::finish(index_t taken) {
    std::vector<std::pair<Operand, Operand>> moves;
    for (std::size_t i = 0; i < first_.size(); ++i) {
        if (last_[i].is_nowhere()) continue;
        const Operand& state = after(i, taken);
        const Operand out = last_[i].elements(state.dtype(), state.dims.max_shape());
        if (is_at_place(i, taken) || out.dims.size() == 0) continue;
        // Another one may lie where it goes.
        const bool is_in_turn = taken < most_ && chains_.length(chains_.head(i)) > 1;
        moves.emplace_back(is_in_turn ? copied(state) : state, out);
    }
    for (const auto& [from, to] : moves) assign(from, to);
}

bool PlacedStates::is_at_place(std::size_t state, index_t taken) const {
    const auto lag = static_cast<index_t>(chains_.lag(state));
    return taken > lag && taken - lag >= std::ssize(rows_[chains_.head(state)].places) &&
           (most_ - taken) % std::ssize(places_[chains_.head(state)]) == 0;
}

Operand PlacedStates::copied(const Operand& x) const {
    Operand own = new_place(x);
    assign(x, own);
    return own;
}

Operand PlacedStates::new_place(const Operand& like) const {
    const ShapeSpan shape = like.dims.max_shape();
    const bool is_large =
        !large_.empty() && like.dims.size() > memory_limit() / like.dtype().size_bytes();
    return is_large ? large_.place(kLoop, like.dtype(), shape)
                    : results_like(kLoop, there_, like.dtype(), shape);
}

Place& PlacedStates::place(std::size_t head, index_t steps) {
    if (Rows& rows = rows_[head]; steps < std::ssize(rows.places)) {
        std::unique_ptr<Place>& row = rows.places[static_cast<std::size_t>(steps)];
        if (row == nullptr) {
            Operand elements{rows.all.node, dimensions::select(rows.all.dims, 0, steps)};
            std::byte* const memory = line_of(elements);
            row = std::make_unique<Place>(std::move(elements), memory);
        }
        return *row;
    }
    std::vector<std::unique_ptr<Place>>& places = places_[head];
    const auto number = static_cast<std::size_t>((most_ - steps) % std::ssize(places));
    std::unique_ptr<Place>& place = places[number];
    if (place == nullptr) {
        const Operand& like = first_[head];
        const bool is_asked_for =
            number < chains_.length(head) && !last_[chains_.member(head, number)].is_nowhere();
        place = std::make_unique<Place>(is_asked_for ? last_[chains_.member(head, number)].elements(
                                                           like.dtype(), like.dims.max_shape())
                                                     : new_place(like));
    }
    return *place;
}

} // namespace purview
