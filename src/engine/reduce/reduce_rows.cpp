#include "engine/reduce/reduce_rows.hpp"

#include "engine/compile/plan_cache.hpp"
#include "engine/compile/tile_operations.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Rows that one run (one expression) adds to the result: kRowsInRun, or all if there are at most
/// kMostRowsInRun; fewer where the expression would have more than kValuesInRun values. The more
/// rows, the less often the result is read and written.
constexpr index_t kRowsInRun = 8;
constexpr index_t kMostRowsInRun = 12;
constexpr index_t kValuesInRun = 62;

/// Elements of the result that are worked on at a time: they stay in the second-level cache.
constexpr index_t kColumns = 8192;

/// Bytes of scratch that a run uses, where it needs any.
constexpr index_t kScratch = 24 * 1024;

/// Axes of the source and of the result, walked together.
struct Walked {
    Shape extents;
    Shape from;
    Shape to;

    void add(index_t extent, index_t source_stride, index_t result_stride) {
        extents.push_back(extent);
        from.push_back(source_stride);
        to.push_back(result_stride);
    }
};

/// Rows of fewer elements are not cut between threads.
constexpr index_t kLeastColumns = 1024;

class Rows {
public:
    Rows(Op op, const ReducedSource& source, std::size_t axis, std::byte* out)
        : op_(op),
          source_(source),
          axis_(axis),
          rows_(source.axes[axis].extent),
          dtype_(source.node->dtype()),
          out_(out) {
        index_t stride = 1;
        to_.resize(source.axes.size());
        for (std::size_t i = source.axes.size(); i-- > 0;) {
            to_[i] = stride;
            stride *= i == axis ? parts_of(rows_) : source.axes[i].extent;
        }
        size_ = stride;
        leaf_ = memory_leaf(dtype_, out, size_);
        const Operand whole = source.operand();
        const auto values = static_cast<index_t>(Values(whole).size());
        const index_t most = std::max<index_t>(kValuesInRun / (values + 1), 1);
        in_run_ = rows_ <= std::min(most, kMostRowsInRun) ? rows_ : std::min(most, kRowsInRun);
    }

    void run(const void* identity) {
        // The result starts as the identity, to which each run adds; but where a part has a single
        // whole run, this one writes the sum of its rows without reading the result.
        filled_ = std::min(rows_, kRowsInPart) >= 2 * in_run_;
        if (filled_)
            kernels().fill(static_cast<std::size_t>(dtype_.size_bytes()), identity, out_, size_);
        const Cut cut = find_cut();
        if (cut.pieces == 0) return add_parts(0, parts_of(rows_));
        // Elements of the result do not depend on each other.
        parallel_for(cut.pieces, 1, cut.threads, [&](index_t begin, index_t end) {
            const index_t first = cut.extent * begin / cut.pieces;
            const index_t last = cut.extent * end / cut.pieces;
            Rows part(*this);
            if (cut.axis == axis_) return part.add_parts(first, last);
            part.cut_to(cut.axis, first, last - first);
            part.add_parts(0, parts_of(rows_));
        });
    }

private:
    /// How work is shared between threads: ranges of a kept axis, or of the parts of the reduced
    /// one.
    struct Cut {
        std::size_t axis = 0;
        index_t extent = 0;
        index_t pieces = 0; ///< 0: not shared
        int threads = 1;
    };

    /// 0, for work that is not cut, if a conversion is checked: its error has to name the element
    /// that comes first on one thread.
    static int threads_of(const ReducedSource& source) {
        if (source.size() < kColumns) return 0;
        const Operand whole = source.operand();
        const Values values(whole);
        return checks_conversions(values) ? 0 : threads_for(*plan_for(values, {}), source.size());
    }

    Cut find_cut() const {
        constexpr int kWatchedPieces = 64;
        const int threads = threads_of(source_);
        Cut cut;
        if (threads > 0 && is_watched()) cut = find_cut(std::max(threads, kWatchedPieces));
        const int least = is_watched() ? std::max(threads, 2) : threads;
        if (threads > 0 && least > 1 && cut.pieces == 0) cut = find_cut(least);
        cut.threads = threads;
        return cut;
    }

    /// The outermost axis that gives each thread a piece: then each reads memory of its own.
    Cut find_cut(int threads) const {
        for (std::size_t i = 0; i < source_.axes.size(); ++i) {
            const index_t extent = i == axis_ ? parts_of(rows_) : source_.axes[i].extent;
            const index_t inside = extent_of(source_.axes, i + 1);
            const index_t least = i <= axis_ ? 1 : (kLeastColumns + inside - 1) / inside;
            if (extent / least >= threads) return {i, extent, extent / least};
        }
        return {};
    }

    void cut_to(std::size_t axis, index_t first, index_t extent) {
        source_.base += first * source_.axes[axis].stride;
        place_ += first * to_[axis];
        source_.axes[axis].extent = extent;
    }

    /// Adds the rows of the parts [first, last). All but the last part of the axis have kRowsInPart
    /// rows.
    void add_parts(index_t first, index_t last) {
        const index_t whole = std::min(last, rows_ / kRowsInPart);
        if (first < whole) add_rows(first, whole - first, kRowsInPart);
        if (whole < last) add_rows(whole, 1, rows_ % kRowsInPart);
    }

    /// Adds the first `rows` rows of each of `parts` parts, from `part` on.
    void add_rows(index_t part, index_t parts, index_t rows) {
        const index_t steps = rows / in_run_;
        const index_t rest = rows % in_run_;
        if (steps > 0) add_columns(part, parts, 0, steps, in_run_);
        if (rest > 0) add_columns(part, parts, steps * in_run_, 1, rest);
    }

    /// Cuts the columns into blocks of about kColumns where there are at least twice as many and
    /// the result is read and written more than once.
    void add_columns(index_t part, index_t parts, index_t row, index_t steps, index_t rows) {
        part_ = part;
        parts_ = parts;
        row_ = row;
        steps_ = steps;
        in_step_ = rows;
        index_t inside = 1;
        std::size_t split = source_.axes.size();
        while (split > axis_ + 1 && inside < kColumns) inside *= source_.axes[--split].extent;
        if (steps == 1 || inside < 2 * kColumns) return add(split, 1, 0, 0);
        const index_t extent = source_.axes[split].extent;
        const index_t columns = std::max<index_t>(kColumns / (inside / extent), 1);
        const index_t blocks = extent / columns - (extent % columns != 0 ? 1 : 0);
        if (blocks > 0) add(split, columns, 0, blocks);
        if (blocks * columns < extent) add(split, extent - blocks * columns, blocks * columns, 1);
    }

    /// Adds `blocks` blocks of `columns` elements of the axis `split`, from `first` on; with
    /// `blocks` 0, all columns at once.
    void add(std::size_t split, index_t columns, index_t first, index_t blocks) {
        Walked walked;
        const auto whole_axes = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                walked.add(source_.axes[i].extent, source_.axes[i].stride, to_[i]);
        };
        const index_t row_stride = source_.axes[axis_].stride;
        whole_axes(0, axis_);
        walked.add(parts_, kRowsInPart * row_stride, to_[axis_]);
        index_t base = source_.base + (part_ * kRowsInPart + row_) * row_stride;
        index_t place = place_ + part_ * to_[axis_];
        if (blocks == 0) {
            walked.add(steps_, in_step_ * row_stride, 0);
            whole_axes(axis_ + 1, source_.axes.size());
        } else {
            const ReducedAxis& axis = source_.axes[split];
            base += first * axis.stride;
            place += first * to_[split];
            whole_axes(axis_ + 1, split);
            walked.add(blocks, columns * axis.stride, columns * to_[split]);
            walked.add(steps_, in_step_ * row_stride, 0);
            walked.add(columns, axis.stride, to_[split]);
            whole_axes(split + 1, source_.axes.size());
        }
        const Dimensions to = Dimensions::strided(walked.extents, walked.to, place);
        const auto row = [&](index_t k) -> Operand {
            return {source_.node,
                    Dimensions::strided(walked.extents, walked.from, base + k * row_stride)};
        };
        const bool first_run = !filled_ && row_ == 0;
        Operand sum = first_run ? row(0) : Operand{leaf_, to};
        for (index_t k = first_run ? 1 : 0; k < in_step_; ++k)
            sum = elementwise<2>(op_, dtype_, {std::move(sum), row(k)});
        evaluate(sum, to);
    }

    /// The walk is in order, row by row: a result is written before the next step reads it.
    void evaluate(const Operand& sum, const Dimensions& to) {
        const Values values(sum);
        const std::shared_ptr<const Plan> plan =
            plan_for(values, {Walk::in_order, &to, TileOp::none, nullptr});
        PURVIEW_ASSERT(plan->by_rows || steps_ == 1);
        index_t bytes = 0;
        for (const DType block : plan->blocks) bytes += block.size_bytes();
        const index_t limit =
            bytes == 0 ? plan->block : std::max<index_t>(kScratch / bytes / 64 * 64, 64);
        Runner runner(*plan, values);
        std::byte* const place = out_ + to.base() * dtype_.size_bytes();
        runner.run(
            0, plan->size, limit,
            [&](index_t, index_t) { return place + runner.destination() * dtype_.size_bytes(); },
            kNothingAfter);
    }

    Op op_;
    ReducedSource source_;
    std::size_t axis_;
    index_t rows_;
    DType dtype_;
    std::byte* out_;
    Shape to_; ///< strides of the result; along `axis_`, of its parts
    index_t size_ = 0;
    index_t place_ = 0; ///< offset in the result of what is computed
    NodePtr leaf_;
    index_t in_run_ = 1;
    bool filled_ = false;
    // The rows being added: `steps_` times `in_step_` rows, from `row_` on, of each of `parts_`
    // parts, of which `part_` is the first.
    index_t part_ = 0;
    index_t parts_ = 1;
    index_t row_ = 0;
    index_t steps_ = 1;
    index_t in_step_ = 1;
};

} // namespace

void reduce_rows(Op op, const void* identity, const ReducedSource& source, std::size_t axis,
                 void* out) {
    Rows(op, source, axis, static_cast<std::byte*>(out)).run(identity);
}

} // namespace purview::engine
