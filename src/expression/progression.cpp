#include <purview/expression/leaf.hpp>
#include <purview/expression/progression.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/range_reader.hpp>

#include <memory>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Indexes in [-kTabulated, kTabulated) are in a table, which is made once: the engine reads memory
/// fastest.
constexpr index_t kTabulated = index_t{1} << 16;

const NodePtr& table_of_indexes() {
    // Never destroyed: destructors of static objects may evaluate.
    static const NodePtr& table = *new NodePtr([] {
        std::vector<index_t> indexes(2 * kTabulated);
        for (index_t i = 0; i < 2 * kTabulated; ++i)
            indexes[static_cast<std::size_t>(i)] = i - kTabulated;
        const BufferPtr<index_t> buffer = buffer_from_vector(std::move(indexes));
        return make_node<Leaf>(std::shared_ptr<const AnyReader>(buffer));
    }());
    return table;
}

} // namespace

Operand progression_operand(index_t lowest, index_t highest) {
    const index_t count = highest < lowest ? 0 : highest - lowest + 1;
    const index_t shape[] = {count};
    const index_t strides[] = {1};
    if (lowest >= -kTabulated && highest < kTabulated)
        return {table_of_indexes(),
                Dimensions::strided(shape, strides, count == 0 ? 0 : lowest + kTabulated)};
    return {make_node<Leaf>(range_reader(lowest, lowest + count)), Dimensions::row_major(shape)};
}

std::optional<Progression> progression_of(const Node& node) noexcept {
    const auto* const leaf = node_as<Leaf>(node);
    if (leaf == nullptr || leaf->dtype() != int64 || leaf->size() == 0) return {};
    // Asked by size first, as the table is made only where it is used.
    if (leaf->size() == 2 * kTabulated && leaf == table_of_indexes().get())
        return Progression{-kTabulated, 1};
    if (leaf->memory()) return {};
    const auto* const range = dynamic_cast<const RangeReader<index_t>*>(&leaf->reader());
    if (range == nullptr) return {};
    return Progression{range->read(0), range->step()};
}

} // namespace purview
