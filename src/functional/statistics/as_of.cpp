#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/search.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/statistics/as_of.hpp>
#include <purview/tensor/wrap.hpp>

#include "base/explained_call.hpp"
#include "dtype/element_block.hpp"
#include "evaluation/lane_slabs.hpp"
#include "evaluation/large_results.hpp"
#include "evaluation/row_blocks.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "functional/statistics/as_of_blocks.hpp"
#include "reader/temporary_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

namespace purview::inline v0_1 {
namespace {

constexpr std::uint64_t kFarthestKeys = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product_at_most(std::uint64_t a, std::uint64_t b) {
    return a != 0 && b > kFarthestKeys / a ? kFarthestKeys : a * b;
}

/// What the results of rows on the left are written to, block by block.
class AsOfResults {
public:
    explicit AsOfResults(Operand all)
        : all_(std::move(all)), in_chunks_(all_.node->reads(Below::blocks)) {}

    /// Where results of the rows [first, first + count) go; they are those that were there, if they are wanted again.
    std::int64_t* begin(index_t first, index_t count, bool again) {
        if (!in_chunks_) return reinterpret_cast<std::int64_t*>(memory_of(all_)) + first;
        held_.resize(static_cast<std::size_t>(count));
        if (again) Evaluation(all_, Reads::within_one_operation).read(first, count, held_.data());
        return held_.data();
    }
    void end(index_t first, index_t count) {
        if (in_chunks_)
            assign(borrow(held_).operand(),
                   {all_.node, box_from(all_.dims, ShapeSpan(&first, 1), ShapeSpan(&count, 1))});
    }

private:
    Operand all_;
    bool in_chunks_;
    std::vector<std::int64_t> held_;
};

/// For rows on the left, how far what they match lies before them: of several blocks, in a file.
template <typename Distance>
class KeptDistances {
public:
    KeptDistances(index_t rows, index_t blocks) {
        if (blocks > 1) file_.emplace("as_of", rows * index_t{sizeof(Distance)});
    }

    Distance* begin(index_t first, index_t count, bool again) {
        held_.resize(static_cast<std::size_t>(count));
        if (file_ && again) file_->read(at(first), std::as_writable_bytes(std::span(held_)));
        return held_.data();
    }
    void end(index_t first) {
        if (file_) file_->write(at(first), std::as_bytes(std::span(held_)));
    }

private:
    static index_t at(index_t row) { return row * index_t{sizeof(Distance)}; }

    std::optional<TemporaryFile> file_;
    std::vector<Distance> held_;
};

template <typename T>
void match_keys(AsOfMerge<T>& merge, const AsOfBlocks<T>& left, const AsOfDistances<T>& distances,
                AsOf direction, AsOfResults& results) {
    using Last = typename AsOfMerge<T>::Last;
    using Distance = typename AsOfDistances<T>::Distance;
    std::int64_t* out = nullptr;
    const auto begin = [&](index_t first, index_t count) {
        out = results.begin(first, count, false);
    };
    const auto end = [&](index_t first, index_t count) { results.end(first, count); };
    const auto put_before = [&](std::size_t row, T key, const Last& last) {
        out[row] = last.row >= 0 && distances.allow(last.key, key) ? last.row : -1;
    };
    const auto put_behind = [&](std::size_t row, T key, const Last& next) {
        out[row] = next.row >= 0 && distances.allow(key, next.key) ? next.row : -1;
    };
    if (direction == AsOf::backward) return merge.template walk<true>(true, begin, put_before, end);
    if (direction == AsOf::forward) return merge.template walk<false>(true, begin, put_behind, end);
    KeptDistances<Distance> kept(left.rows(), left.count());
    Distance* apart = nullptr;
    merge.template walk<true>(
        true,
        [&](index_t first, index_t count) {
            begin(first, count);
            apart = kept.begin(first, count, false);
        },
        [&](std::size_t row, T key, const Last& last) {
            put_before(row, key, last);
            apart[row] = last.row >= 0 ? AsOfDistances<T>::between(last.key, key) : Distance{0};
        },
        [&](index_t first, index_t count) {
            end(first, count);
            kept.end(first);
        });
    merge.template walk<false>(
        false,
        [&](index_t first, index_t count) {
            out = results.begin(first, count, true);
            apart = kept.begin(first, count, true);
        },
        [&](std::size_t row, T key, const Last& next) {
            if (next.row >= 0 && distances.allow(key, next.key) &&
                (out[row] < 0 || AsOfDistances<T>::between(key, next.key) < apart[row]))
                out[row] = next.row;
        },
        end);
}

/// The operands in chunks where these are larger than half of what the memory limit leaves: what is worked on block by block.
bool goes_by_blocks(const Operand& left, const Operand& right, const AsOfOptions& options) {
    index_t bytes = 0;
    bool elsewhere = false;
    const auto add = [&](const Operand& x) {
        elsewhere |= x.node->reads(Below::symbol | Below::device) || is_sparse(x);
        if (x.node->reads(Below::blocks)) bytes += x.dims.size() * x.dtype().size_bytes();
    };
    add(left);
    add(right);
    for (const KeyColumns* by : {&options.left_by, &options.right_by})
        for (const AnyTensor& column : *by) add(column.operand());
    return !elsewhere && bytes > 0 && bytes > memory_left() / 2;
}

/// Where blocks of the keys and columns of a side end.
Shape block_ends(const Operand& keys, std::span<const LargeKey> columns, index_t row_bytes,
                 index_t room) {
    const index_t rows = keys.dims.size();
    if (rows == 0 || room == 0) return rows == 0 ? Shape{} : Shape{rows};
    std::vector<Operand> all{keys};
    for (const LargeKey& column : columns) all.push_back(column.numbers);
    const index_t most = std::max<index_t>(1, room / row_bytes);
    return row_block_ends(all, most, 2 * most);
}

} // namespace

std::string printed_as_of_key(const Operand& x, index_t row) {
    ElementBlock element(x.dtype(), 1);
    Evaluation(x, Reads::within_one_operation).read(row, 1, element.data());
    std::ostringstream out;
    x.dtype().descriptor().print(out, element.data());
    return std::move(out).str();
}

AsOfTolerance::AsOfTolerance(double value, std::int64_t numerator, std::int64_t denominator)
    : value_(value), numerator_(numerator), denominator_(denominator) {
    if (!(value >= 0))
        throw Error(fmt::format("as_of: the tolerance is {}, and has to be at least 0", value));
}

std::uint64_t AsOfTolerance::in_units(std::int64_t numerator, std::int64_t denominator) const {
    const auto wide = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    const std::uint64_t own = is_duration() ? wide(numerator_) : 1;
    const std::uint64_t own_parts = is_duration() ? wide(denominator_) : 1;
    if (!count_) {
        const double units = value_ * static_cast<double>(own) / static_cast<double>(own_parts) *
                             static_cast<double>(denominator) / static_cast<double>(numerator);
        return units >= 0x1p64 ? kFarthestKeys : static_cast<std::uint64_t>(units);
    }
    // count · own / own_parts · denominator / numerator, shortened first
    const std::uint64_t a = std::gcd(own, wide(numerator));
    const std::uint64_t b = std::gcd(wide(denominator), own_parts);
    const std::uint64_t times = product_at_most(own / a, wide(denominator) / b);
    const std::uint64_t parts = product_at_most(own_parts / b, wide(numerator) / a);
    const std::uint64_t whole = product_at_most(*count_ / parts, times);
    const std::uint64_t rest = product_at_most(*count_ % parts, times) / parts;
    return whole > kFarthestKeys - rest ? kFarthestKeys : whole + rest;
}

MutableTensor<std::int64_t> as_of_rows(const Operand& left, const Operand& right,
                                       const AsOfOptions& options) {
    require_one_axis("as_of", AnyTensor(left));
    require_one_axis("as_of", AnyTensor(right));
    require_host_reads("as_of", left);
    require_host_reads("as_of", right);
    const auto counted = [](const Operand& x) { return widened_operand(times_as_counts(x)); };
    if ((is_time_type(left.dtype()) || is_time_type(right.dtype())) &&
        left.dtype() != right.dtype())
        throw DtypeError(
            fmt::format("as_of: the keys are {} on the left and {} on the right; times "
                        "have one type",
                        left.dtype().name(), right.dtype().name()));
    WeakOperand from{counted(left), false};
    WeakOperand to{counted(right), false};
    const DType compute = computed_dtype("as_of", from, to);
    const bool by_blocks = goes_by_blocks(left, right, options);
    const index_t room = by_blocks ? std::max<index_t>(memory_left(), 16) : 0;
    AsOfGroups groups(left, right, options, room / 3);
    if (by_blocks)
        explained_as([&] {
            std::vector<Operand> read{left, right};
            for (const AsOfPart part : {AsOfPart::left, AsOfPart::right})
                for (const LargeKey& column : groups.columns(part)) read.push_back(column.numbers);
            return fmt::format("as_of: block by block of both sides{}; chunks read: {}{}",
                               groups.columns(AsOfPart::left).empty()
                                   ? ""
                                   : fmt::format(", while groups take up to {} bytes", room / 3),
                               chunks_of(read),
                               options.direction == AsOf::nearest ? ", twice" : "");
        });
    const index_t rows = left.dims.size();
    const Operand result = by_blocks ? large_results("as_of", left, int64, ShapeSpan(&rows, 1))
                                     : empty<std::int64_t>({rows}).operand();
    visit_dtype(compute, "as_of", [&]<typename T>(std::type_identity<T>) {
        const auto side = [&](AsOfPart part, const Operand& given, const Operand& keys) {
            const Operand numbers = cast_operand(keys, kDType<T>, Op::cast);
            // a key, a result and a distance
            const index_t row_bytes = by_blocks ? index_t{sizeof(T)} + 16 + groups.row_bytes() : 0;
            const index_t share = groups.columns(part).empty() ? room / 8 : room / 16;
            return AsOfBlocks<T>(part, given, numbers,
                                 block_ends(numbers, groups.columns(part), row_bytes, share),
                                 row_bytes, groups);
        };
        AsOfBlocks<T> of_left = side(AsOfPart::left, left, from.operand);
        AsOfBlocks<T> of_right = side(AsOfPart::right, right, to.operand);
        const AsOfDistances<T> distances(options, left.dtype());
        AsOfMerge<T> merge(of_left, of_right, groups, options.allow_exact_matches, by_blocks);
        AsOfResults results(result);
        match_keys(merge, of_left, distances, options.direction, results);
    });
    return brought_to(left, MutableTensor<std::int64_t>(result));
}

} // namespace purview
