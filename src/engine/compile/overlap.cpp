// Defines purview/evaluation/evaluate.hpp.

#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/inverse.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>
#include <purview/reader/chunks.hpp>

#include "engine/compile/values.hpp"
#include "reader/file_mappings.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Addresses compared one by one before the answer becomes "perhaps".
constexpr index_t kWorkLimit = index_t{1} << 16;

/// The memory of a leaf. Addresses are integers, since those of one file in two mappings are
/// compared as if it were mapped once.
struct LeafPlace {
    LeafPlace(const Leaf& leaf, std::ptrdiff_t shift)
        : first(reinterpret_cast<std::uintptr_t>(leaf.memory().data) +
                static_cast<std::uintptr_t>(shift)),
          stride_bytes(leaf.memory().stride_bytes),
          element_bytes(leaf.dtype().size_bytes()) {}

    friend bool operator==(const LeafPlace&, const LeafPlace&) = default;

    std::uintptr_t first;
    index_t stride_bytes;
    index_t element_bytes;
};

/// The bytes that a view of a leaf touches.
struct ByteRange {
    std::uintptr_t begin;
    std::uintptr_t end;
};

ByteRange bytes_between(const LeafPlace& place, index_t lowest, index_t highest) {
    const std::uintptr_t a = place.first + static_cast<std::uintptr_t>(lowest * place.stride_bytes);
    const std::uintptr_t b =
        place.first + static_cast<std::uintptr_t>(highest * place.stride_bytes);
    return {std::min(a, b), std::max(a, b) + static_cast<std::uintptr_t>(place.element_bytes)};
}
ByteRange bytes_of(const LeafPlace& place, const Dimensions& dims) {
    const AddressRange range = dims.address_range();
    return range.empty ? ByteRange{0, 0} : bytes_between(place, range.lowest, range.highest);
}
ByteRange all_bytes_of(const Leaf& leaf) {
    return leaf.size() == 0 ? ByteRange{0, 0} : bytes_between({leaf, 0}, 0, leaf.size() - 1);
}

bool are_apart(const ByteRange& a, const ByteRange& b) {
    return a.end <= b.begin || b.end <= a.begin;
}

/// Whether two sets of addresses into the same memory meet. Asks the larger for every address of
/// the smaller; true when there are too many.
bool addresses_overlap(const Dimensions& a, const Dimensions& b) {
    const bool swapped = a.size() > b.size();
    const Dimensions& few = swapped ? b : a;
    const Dimensions& many = swapped ? a : b;
    if (few.size() > kWorkLimit) return true;
    const dimensions::AddressStream addresses(few);
    const dimensions::InverseMap inverse(many);
    std::array<index_t, 256> block;
    for (index_t begin = 0; begin < few.size(); begin += std::ssize(block)) {
        const auto count =
            static_cast<std::size_t>(std::min(std::ssize(block), few.size() - begin));
        addresses.read(begin, std::span(block.data(), count));
        for (std::size_t i = 0; i < count; ++i)
            if (inverse(block[i]).next()) return true;
    }
    return false;
}

/// Whether two leaves have one stride, and their elements are in different parts of it, as the
/// fields of structs in an array are.
bool interleaved(const LeafPlace& a, const LeafPlace& b) {
    const index_t stride = std::abs(a.stride_bytes);
    if (stride == 0 || stride != std::abs(b.stride_bytes)) return false;
    const auto apart = static_cast<index_t>(b.first - a.first);
    const index_t place = ((apart % stride) + stride) % stride; // of b in a stride that begins with
                                                                // a
    return place >= a.element_bytes && place + b.element_bytes <= stride;
}

bool storages_overlap(const StorageId& a, const StorageId& b) {
    const auto a_begin = reinterpret_cast<std::uintptr_t>(a.address);
    const auto b_begin = reinterpret_cast<std::uintptr_t>(b.address) +
                         static_cast<std::uintptr_t>(between_mappings(a.address, b.address));
    return a_begin < b_begin + static_cast<std::uintptr_t>(b.bytes) &&
           b_begin < a_begin + static_cast<std::uintptr_t>(a.bytes);
}

/// For readers that reveal no memory: whether the storages that they report overlap.
bool share_storage(const AnyReader& a, const AnyReader& b) {
    const std::vector<StorageId> storages = b.storages();
    return std::ranges::any_of(a.storages(), [&](const StorageId& x) {
        return std::ranges::any_of(storages,
                                   [&](const StorageId& y) { return storages_overlap(x, y); });
    });
}

/// Whether they read the same chunks, by the same numbers.
bool read_one_array(const Leaf& a, const Leaf& b) {
    const Chunks* const x = a.reader().chunks();
    const Chunks* const y = b.reader().chunks();
    return x != nullptr && y != nullptr && x->store() == y->store() &&
           x->grid().shape == y->grid().shape;
}

bool leaves_overlap(const Leaf& a, const Dimensions& a_dims, const Leaf& b,
                    const Dimensions& b_dims) {
    if (a_dims.size() == 0 || b_dims.size() == 0) return false;
    if ((&a.reader() == &b.reader() && a.memory().data == nullptr) || read_one_array(a, b))
        return addresses_overlap(a_dims, b_dims);
    if (!a.memory() || !b.memory()) return share_storage(a.reader(), b.reader());
    const LeafPlace a_place(a, 0);
    const LeafPlace b_place(b, between_mappings(a.memory().data, b.memory().data));
    const ByteRange x = bytes_of(a_place, a_dims);
    const ByteRange y = bytes_of(b_place, b_dims);
    if (are_apart(x, y)) return false;
    if (a_place == b_place) return addresses_overlap(a_dims, b_dims);
    return !interleaved(a_place, b_place);
}

/// Whether all memory below an operand, whatever is seen of it, lies apart from that of a leaf: what is true of most
/// assignments, and found without composing views. False where a walk of a few nodes does not tell.
bool reads_no_byte_of(const Operand& source, const Leaf& target) {
    if (!target.memory() || has_files_mapped_twice()) return false;
    const ByteRange written = all_bytes_of(target);
    boost::container::static_vector<const Node*, 32> waiting{source.node.get()};
    for (int visits = 0; !waiting.empty(); ++visits) {
        if (visits == 64) return false; // nodes that are shared are met again and again
        const Node* const node = waiting.back();
        waiting.pop_back();
        if (const auto* const leaf = node_as<Leaf>(*node)) {
            if (!leaf->memory() || !are_apart(all_bytes_of(*leaf), written)) return false;
        } else if (const auto* const operation = node_as<Elementwise>(*node)) {
            const auto inputs = operation->inputs();
            if (waiting.size() + inputs.size() > waiting.capacity()) return false;
            for (const Input& input : inputs) waiting.push_back(input.node.get());
        } else if (node->kind() != NodeKind::constant) {
            return false;
        }
    }
    return true;
}

/// Calls `f(leaf, view, gathered)` for every leaf below an operand, until it returns true.
/// `gathered` is true below gathers and pieces, which are taken to read all that they could.
template <typename F>
bool any_leaf(const Operand& source, F&& f) {
    if (const Leaf* const leaf = leaf_of(source)) return f(*leaf, source.dims, false);
    std::vector<Operand> waiting{source};
    std::unordered_set<const Node*> gathers;
    for (bool gathered = false; !waiting.empty(); gathered = true) {
        const Operand operand = std::move(waiting.back());
        waiting.pop_back();
        const engine::Values values(operand);
        for (const engine::Value& value : values) {
            if (value.leaf() != nullptr && f(*value.leaf(), *value.view, gathered)) return true;
            if (!value.is_block_source() || !gathers.insert(value.node).second) continue;
            for (Operand each : operands_of(*value.node)) waiting.push_back(std::move(each));
        }
    }
    return false;
}

} // namespace

bool depends_on(const Operand& source, const Operand& destination) {
    const Leaf& target = *leaf_of(destination);
    if (reads_no_byte_of(source, target)) return false;
    const Dimensions& written = destination.dims;
    return any_leaf(source, [&](const Leaf& leaf, const Dimensions& read, bool gathered) {
        // Reading each element before writing the same one is no harm.
        const bool in_place = !gathered && (&leaf == &target || read_one_array(leaf, target)) &&
                              read == written && written.is_unique();
        return !in_place && leaves_overlap(leaf, read, target, written);
    });
}

bool may_overlap(const Operand& a, const Operand& b) {
    return any_leaf(a, [&](const Leaf& leaf_a, const Dimensions& dims_a, bool) {
        return any_leaf(b, [&](const Leaf& leaf_b, const Dimensions& dims_b, bool) {
            return leaves_overlap(leaf_a, dims_a, leaf_b, dims_b);
        });
    });
}

int reader_depth_below(const Operand& source) {
    int depth = 0;
    for (const Node* const node : nodes_below(std::span(&source, 1)))
        if (const auto* const leaf = node_as<Leaf>(*node))
            depth = std::max(depth, leaf->reader().depth());
    return depth;
}

std::vector<StorageId> storages_below(const Operand& source) {
    std::vector<StorageId> storages;
    any_leaf(source, [&](const Leaf& leaf, const Dimensions&, bool) {
        const std::vector<StorageId> of_leaf = leaf.reader().storages();
        storages.insert(storages.end(), of_leaf.begin(), of_leaf.end());
        return false;
    });
    return storages;
}

} // namespace purview
