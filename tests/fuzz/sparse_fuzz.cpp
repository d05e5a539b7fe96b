// Whatever pairs a sparse buffer is made of, and whatever is written to it, it holds what a map holds that the same is done to,
// or throws an `Error` and is as it was.

#include "memory_file.hpp"

#include <purview/purview.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pv = purview;

namespace {

using fuzz::require;
using pv::index_t;
using Indexes = std::vector<index_t>;

/// The input as a stream of choices; behind its end, zeros.
class Choices {
public:
    explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    bool any_left() const { return at_ < bytes_.size(); }
    std::uint8_t byte() { return any_left() ? bytes_[at_++] : std::uint8_t{0}; }
    index_t below(index_t n) { return byte() % n; }
    /// Mostly within a range, sometimes anything.
    index_t index(index_t size) {
        const std::uint8_t choice = byte();
        if (choice < 4) {
            constexpr std::array kHostile{index_t{-1}, std::numeric_limits<index_t>::min(),
                                          std::numeric_limits<index_t>::max(), pv::kLargestSparse};
            return kHostile[choice];
        }
        if (choice < 8) return size;
        if (choice < 12) return size - 1 - below(5);
        return index_t{choice} - 12 + (choice % 5 == 0 ? below(16) << 20 : 0);
    }

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

template <typename T>
T value_of(std::uint8_t choice) {
    if constexpr (std::is_same_v<T, std::string>)
        return std::string(choice % 4 == 0 ? 0 : choice % 32, 'x'); // some too long to lie in place
    else if constexpr (std::is_floating_point_v<T>)
        return choice % 16 == 15 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(choice % 4);
    else
        return static_cast<T>(choice % 4);
}

/// What a buffer should hold: elements that differ from the fill.
template <typename T>
struct Twin {
    index_t size;
    T fill;
    std::map<index_t, T> elements;

    void set(index_t i, const T& value) {
        if (pv::same_element(value, fill))
            elements.erase(i);
        else
            elements[i] = value;
    }
    T at(index_t i) const {
        const auto found = elements.find(i);
        return found == elements.end() ? fill : found->second;
    }
    bool holds(index_t i) const { return i >= 0 && i < size; }
    bool holds(const Indexes& indexes) const {
        return std::ranges::all_of(indexes, [&](index_t i) { return holds(i); });
    }
};

template <typename T>
void expect_same(const pv::SparseBuffer<T>& buffer, const Twin<T>& twin) {
    require(buffer.size() == twin.size, "the size stays");
    const pv::SparsePairs pairs = pv::listed_pairs(buffer);
    index_t differing = 0;
    index_t previous = -1;
    for (std::size_t p = 0; p < pairs.indexes.size(); ++p) {
        const index_t i = pairs.indexes[p];
        require(i > previous && i < twin.size, "indexes ascend within the buffer");
        previous = i;
        const T value = pv::load_element<T>(static_cast<const std::byte*>(pairs.values.data) +
                                            static_cast<index_t>(p) * pairs.values.stride_bytes);
        require(pv::same_element(value, twin.at(i)), "stored elements are those of the twin");
        require(pv::same_element(buffer.read(i), value), "elements are found");
        differing += pv::same_element(value, twin.fill) ? 0 : 1;
    }
    require(differing == std::ssize(twin.elements), "no element is missing");
    if (buffer.index_memory() != nullptr && buffer.value_memory().use_count() == 2)
        require(buffer.index_memory()->size() <= 2 * buffer.stored() + 64, "there is little room");
    const index_t some = std::min<index_t>(twin.size, 40);
    const auto block = std::make_unique<T[]>(static_cast<std::size_t>(some) + 1);
    buffer.read_block(0, 1, {block.get(), static_cast<std::size_t>(some)});
    for (index_t i = 0; i < some; ++i)
        require(pv::same_element(block[static_cast<std::size_t>(i)], twin.at(i)),
                "blocks are those of the twin");
}

/// Pairs in an order and of values as they come.
template <typename T>
struct Pairs {
    Indexes indexes;
    std::unique_ptr<T[]> values; // of bools too
    std::span<const T> elements() const { return {values.get(), indexes.size()}; }
};

template <typename T>
Pairs<T> some_pairs(Choices& choices, index_t size) {
    Pairs<T> pairs;
    const index_t count = choices.below(24);
    pairs.values = std::make_unique<T[]>(static_cast<std::size_t>(count) + 1);
    for (index_t i = 0; i < count; ++i) {
        pairs.indexes.push_back(choices.index(size));
        pairs.values[static_cast<std::size_t>(i)] = value_of<T>(choices.byte());
    }
    return pairs;
}

/// What a policy makes of pairs; nothing where they are wrong.
template <typename T>
std::optional<Twin<T>> expected(index_t size, const Pairs<T>& pairs, const T& fill,
                                pv::Duplicates duplicates) {
    Twin<T> twin{size, fill, {}};
    std::map<index_t, T> stored;
    for (std::size_t i = 0; i < pairs.indexes.size(); ++i) {
        if (!twin.holds(pairs.indexes[i])) return std::nullopt;
        const auto [at, is_new] = stored.try_emplace(pairs.indexes[i], pairs.values[i]);
        if (is_new) continue;
        if (duplicates == pv::Duplicates::error) return std::nullopt;
        if (duplicates == pv::Duplicates::last)
            at->second = pairs.values[i];
        else if constexpr (std::is_same_v<T, bool>)
            at->second = at->second || pairs.values[i];
        else
            at->second = static_cast<T>(at->second + pairs.values[i]);
    }
    for (const auto& [i, value] : stored) twin.set(i, value);
    return twin;
}

template <typename T>
using Made = std::shared_ptr<pv::SparseBuffer<T>>;

template <typename T>
Made<T> made_of_vectors(index_t size, const Pairs<T>& pairs, const T& fill,
                        pv::Duplicates duplicates) {
    try {
        const auto values = pairs.elements();
        return std::make_shared<pv::SparseBuffer<T>>(
            size, pairs.indexes, std::vector<T>(values.begin(), values.end()), fill, duplicates);
    } catch (const pv::Error&) {
        return nullptr;
    }
}

/// Records of an index and a value in memory of others, at an odd place where the type allows it.
template <typename T>
Made<T> made_of_foreign(Choices& choices, index_t size, const Pairs<T>& pairs, const T& fill) {
    const auto count = static_cast<index_t>(pairs.indexes.size());
    const index_t stride = index_t{sizeof(index_t)} * (1 + choices.below(3)) + choices.below(2);
    const auto bytes = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(stride * count) + sizeof(index_t));
    for (index_t i = 0; i < count; ++i)
        std::memcpy(bytes->data() + i * stride, &pairs.indexes[static_cast<std::size_t>(i)],
                    sizeof(index_t));
    const auto indexes = std::make_shared<pv::ConstBuffer<index_t>>(
        reinterpret_cast<const index_t*>(bytes->data()), count, stride, bytes);
    const auto elements = std::make_shared<std::vector<std::array<T, 3>>>(pairs.indexes.size());
    for (std::size_t i = 0; i < pairs.indexes.size(); ++i) (*elements)[i].fill(pairs.values[i]);
    const auto values = std::make_shared<pv::ConstBuffer<T>>(
        count == 0 ? nullptr : elements->front().data(), count, index_t{3 * sizeof(T)}, elements);
    try {
        return std::make_shared<pv::SparseBuffer<T>>(size, indexes, values, fill);
    } catch (const pv::Error&) {
        return nullptr;
    }
}

template <typename T>
bool is_ascending(const Pairs<T>& pairs) {
    return std::ranges::adjacent_find(pairs.indexes, std::greater_equal<>()) == pairs.indexes.end();
}

template <typename T>
void write(Choices& choices, pv::SparseBuffer<T>& buffer, Twin<T>& twin) {
    const index_t size = twin.size;
    const auto value = [&] {
        return choices.below(4) == 0 ? twin.fill : value_of<T>(choices.byte());
    };
    switch (choices.below(8)) {
    case 0:
    case 1: {
        const index_t i = choices.index(size);
        if (!twin.holds(i)) return;
        const T element = value();
        buffer.write(i, element);
        twin.set(i, element);
        break;
    }
    case 2:
    case 3: {
        const index_t count = choices.below(20);
        const index_t begin = choices.index(size);
        const index_t step = choices.below(7) - 3;
        if (!twin.holds(begin)) return;
        if (count > 0 && !twin.holds(begin + (count - 1) * step)) return;
        const auto block = std::make_unique<T[]>(static_cast<std::size_t>(count) + 1);
        for (index_t k = 0; k < count; ++k) {
            block[static_cast<std::size_t>(k)] = value();
            twin.set(begin + k * step, block[static_cast<std::size_t>(k)]);
        }
        buffer.write_block(begin, step, {block.get(), static_cast<std::size_t>(count)});
        break;
    }
    case 4:
    case 5: {
        const Pairs<T> pairs = some_pairs<T>(choices, size);
        try {
            if (choices.below(2) == 0 && is_ascending(pairs) && twin.holds(pairs.indexes))
                buffer.write_sorted_indexes(pairs.indexes, pairs.elements());
            else
                buffer.write_indexes(pairs.indexes, pairs.elements());
            require(twin.holds(pairs.indexes), "indexes out of range are refused");
            for (std::size_t k = 0; k < pairs.indexes.size(); ++k)
                twin.set(pairs.indexes[k], pairs.values[k]);
        } catch (const pv::IndexError&) {
            require(!twin.holds(pairs.indexes), "no other indexes are refused");
        }
        break;
    }
    case 6: {
        const index_t begin = choices.index(size);
        const index_t end = choices.index(size);
        const T element = value();
        const bool is_range = begin >= 0 && begin <= end && end <= size;
        if (is_range && end - begin > 5000 && !pv::same_element(element, twin.fill)) return;
        try {
            buffer.set_constant(begin, end, element);
            require(is_range, "ranges that are none are refused");
            if (pv::same_element(element, twin.fill))
                twin.elements.erase(twin.elements.lower_bound(begin),
                                    twin.elements.lower_bound(end));
            else
                for (index_t i = begin; i < end; ++i) twin.set(i, element);
        } catch (const pv::IndexError&) {
            require(!is_range, "no other ranges are refused");
        }
        break;
    }
    default: {
        buffer.prune();
        require(buffer.stored() == std::ssize(twin.elements), "pruned is what equals the fill");
    }
    }
}

/// A tensor over the buffer is read and written through views, as a dense one is.
template <typename T>
void check_views(Choices& choices, const Made<T>& buffer, Twin<T>& twin) {
    const index_t size = twin.size;
    if (size == 0 || size > 64) return;
    index_t rows = 1 + choices.below(8);
    while (size % rows != 0) --rows;
    const auto sparse = pv::sparse_tensor<T>({rows, size / rows}, buffer);
    const auto dense = pv::to_dense(sparse);
    const index_t down = choices.below(5) - 2;
    const index_t along = choices.below(5) - 2;
    const index_t from = choices.below(rows);
    const auto seen = [&](const pv::MutableTensor<T>& x) {
        return pv::rotate(pv::transpose(x), {along, down})(pv::all, pv::range(from, rows));
    };
    const auto agree = [&] {
        const std::vector<T> a = pv::to_vector(sparse);
        const std::vector<T> b = pv::to_vector(dense);
        for (std::size_t i = 0; i < a.size(); ++i)
            require(pv::same_element<T>(a[i], b[i]), "a sparse tensor is as its dense twin");
    };
    agree();
    switch (choices.below(4)) {
    case 0:
        pv::copy(pv::rotate(sparse, {down, along}), sparse);
        pv::copy(pv::rotate(dense, {down, along}), dense);
        break;
    case 1: {
        const auto other = pv::empty<T>(seen(dense).shape());
        for (auto element : other) element = value_of<T>(choices.byte());
        pv::copy(other, seen(sparse));
        pv::copy(other, seen(dense));
        break;
    }
    case 2: {
        const T element = value_of<T>(choices.byte());
        pv::fill(seen(sparse), element);
        pv::fill(seen(dense), element);
        break;
    }
    default: {
        const auto part = pv::clone(seen(sparse));
        pv::copy(pv::flip(part), seen(sparse));
        pv::copy(pv::flip(pv::clone(seen(dense))), seen(dense));
    }
    }
    agree();
    for (index_t i = 0; i < size; ++i) twin.set(i, dense.read(i));
}

template <typename T>
void check(Choices choices) {
    constexpr std::array kSizes{index_t{0},       index_t{1},       index_t{12},       index_t{60},
                                index_t{1} << 20, index_t{1} << 40, pv::kLargestSparse};
    const index_t size = kSizes[static_cast<std::size_t>(choices.below(std::ssize(kSizes)))];
    const T fill = value_of<T>(choices.byte());
    const Pairs<T> pairs = some_pairs<T>(choices, size);
    Made<T> buffer;
    std::optional<Twin<T>> twin;
    if (choices.below(3) == 0) {
        buffer = made_of_foreign(choices, size, pairs, fill);
        twin = expected(size, pairs, fill, pv::Duplicates::error);
        if (!is_ascending(pairs)) twin.reset();
    } else {
        const auto duplicates = static_cast<pv::Duplicates>(choices.below(3));
        buffer = made_of_vectors(size, pairs, fill, duplicates);
        twin = expected(size, pairs, fill, duplicates);
    }
    require((buffer != nullptr) == twin.has_value(), "what is wrong is refused, and nothing else");
    if (buffer == nullptr) return;
    expect_same(*buffer, *twin);
    std::vector<std::shared_ptr<const void>> others;
    while (choices.any_left()) {
        switch (choices.below(8)) {
        case 0: others.push_back(buffer->value_memory()); break;
        case 1: others.clear(); break;
        case 2: check_views<T>(choices, buffer, *twin); break;
        case 3:
            if (!buffer->is_packed() && buffer->stored() > 0 &&
                buffer->pairs().values.stride_bytes == index_t{sizeof(T)})
                buffer = std::make_shared<pv::SparseBuffer<T>>(
                    size, std::make_shared<pv::PackedIndexes>(pv::IndexSet(buffer->indexes())),
                    std::make_shared<pv::ConstBuffer<T>>(buffer->values().data(), buffer->stored(),
                                                         index_t{sizeof(T)},
                                                         buffer->value_memory()),
                    fill);
            break;
        default: write<T>(choices, *buffer, *twin);
        }
        expect_same(*buffer, *twin);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0 || size > 4096) return 0;
    Choices choices({data, size});
    switch (choices.byte() % 4) {
    case 0: check<double>(choices); break;
    case 1: check<std::int16_t>(choices); break;
    case 2: check<bool>(choices); break;
    default: check<std::string>(choices);
    }
    return 0;
}
