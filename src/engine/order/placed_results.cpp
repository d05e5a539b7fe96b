#include "evaluation/placed_results.hpp"

#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_way.hpp"
#include "evaluation/large_results.hpp"
#include "reader/chunk_cache.hpp"
#include "reader/temporary_file.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

constexpr index_t kIndexBytes = sizeof(std::int64_t);
constexpr index_t kMostPlacedParts = 4096;

void copy_element(std::byte* to, const void* from, index_t at, index_t bytes) {
    std::memcpy(to, static_cast<const std::byte*>(from) + at * bytes,
                static_cast<std::size_t>(bytes));
}

} // namespace

class PlacedResults::Parts {
public:
    Parts(const char* what, DType dtype, index_t size)
        : what_(what),
          dtype_(dtype),
          size_(size),
          length_(std::clamp<index_t>(memory_left() / 4 / (kIndexBytes + 2 * element()),
                                      size / kMostPlacedParts + 1, std::max<index_t>(size, 1))),
          added_(static_cast<std::size_t>((size + length_ - 1) / length_), 0),
          file_(what, size * (kIndexBytes + element())) {}

    void add(std::span<const std::int64_t> indexes, const void* results) {
        const index_t count = std::ssize(indexes);
        const CountedBytes counted(count * (kIndexBytes + element()), what_);
        // By part, in the order in which they come.
        std::vector<index_t> ends(added_.size() + 1, 0);
        for (const std::int64_t index : indexes)
            ++ends[static_cast<std::size_t>(index / length_) + 1];
        for (std::size_t part = 1; part < ends.size(); ++part) ends[part] += ends[part - 1];
        std::vector<index_t> next(ends.begin(), ends.end() - 1);
        std::vector<std::int64_t> sorted(indexes.size());
        ElementBlock elements(dtype_, count);
        for (index_t i = 0; const std::int64_t index : indexes) {
            const index_t at = next[static_cast<std::size_t>(index / length_)]++;
            sorted[static_cast<std::size_t>(at)] = index;
            copy_element(elements.at(at), results, i++, element());
        }
        for (std::size_t part = 0; part < added_.size(); ++part) {
            const index_t some = ends[part + 1] - ends[part];
            if (some == 0) continue;
            const index_t at = static_cast<index_t>(part) * length_ + added_[part];
            file_.write(at * kIndexBytes,
                        std::as_bytes(std::span(sorted).subspan(
                            static_cast<std::size_t>(ends[part]), static_cast<std::size_t>(some))));
            file_.write(size_ * kIndexBytes + at * element(),
                        {elements.at(ends[part]), static_cast<std::size_t>(some * element())});
            added_[part] += some;
        }
    }

    Operand take(const Operand& source, ShapeSpan shape) const {
        Operand results = large_results(what_, source, dtype_, ShapeSpan(&size_, 1));
        if (size_ == 0) return {results.node, dimensions::reshape(results.dims, shape)};
        const CountedBytes counted(length_ * (kIndexBytes + 2 * element()), what_);
        std::vector<std::int64_t> indexes(static_cast<std::size_t>(length_));
        ElementBlock added(dtype_, length_);
        ElementBlock ordered(dtype_, length_);
        for (std::size_t part = 0; part < added_.size(); ++part) {
            const index_t first = static_cast<index_t>(part) * length_;
            const index_t count = added_[part];
            const auto some = std::span(indexes).first(static_cast<std::size_t>(count));
            file_.read(first * kIndexBytes, std::as_writable_bytes(some));
            file_.read(size_ * kIndexBytes + first * element(),
                       {added.at(0), static_cast<std::size_t>(count * element())});
            for (index_t i = 0; const std::int64_t index : some)
                copy_element(ordered.at(index - first), added.data(), i++, element());
            AssignWay(
                memory_operand(dtype_, ordered.data(), ShapeSpan(&count, 1)),
                {results.node, dimensions::select(results.dims, 0, Range(first, first + count))},
                allowed_ways())
                .run();
        }
        return {results.node, dimensions::reshape(results.dims, shape)};
    }

private:
    index_t element() const noexcept { return dtype_.size_bytes(); }

    const char* what_;
    DType dtype_;
    index_t size_;
    index_t length_;             ///< results of a part
    std::vector<index_t> added_; ///< to each
    TemporaryFile file_;         ///< the indexes, then the results
};

PlacedResults::PlacedResults(const char* what, DType dtype, index_t size)
    : parts_(std::make_unique<Parts>(what, dtype, size)) {}
PlacedResults::~PlacedResults() = default;

void PlacedResults::add(std::span<const std::int64_t> indexes, const void* results) {
    parts_->add(indexes, results);
}

Operand PlacedResults::take(const Operand& source, ShapeSpan shape) const {
    return parts_->take(source, shape);
}

} // namespace purview
