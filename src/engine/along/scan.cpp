// Defines purview/evaluation/lanes.hpp.

#include <purview/evaluation/sparse_evaluation.hpp>

#include "engine/along/scan.hpp"
#include "engine/folds/fold_kind.hpp"
#include "engine/folds/lane_operation.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/run/lane_pieces.hpp"
#include "engine/ways/way.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Compensated sums: elements are added on kFloatLanes lanes, each with a sum of its rounding
/// errors, then lane by lane in the same way.
template <typename T>
class CompensatedSum {
public:
    T operator()(PieceReader& read, index_t begin, index_t count) {
        std::memset(state_.get(), 0, sizeof(State));
        add(read, begin, count);
        return total();
    }
    /// Adds more elements; of all calls but the last, the count is a multiple of kLanePiece.
    void add(PieceReader& read, index_t begin, index_t count) {
        const AddCompensated kernel = lane_kernels().find_compensated(kDType<T>.id());
        for (index_t at = 0; at < count; at += kLanePiece) {
            const index_t length = std::min(kLanePiece, count - at);
            kernel(read(begin + at, length), length, state_.get());
        }
    }
    T total() const {
        T sum = 0;
        T error = 0;
        for (std::size_t k = 0; k < kFloatLanes; ++k) {
            const T value = state_->sums[k];
            const T next = sum + value;
            const T part = next - sum;
            error += (sum - (next - part)) + (value - part) + state_->errors[k];
            sum = next;
        }
        return std::isfinite(sum) ? sum + error : sum;
    }

private:
    struct alignas(64) State {
        T sums[kCompensatedBytes / sizeof(T)];
        T errors[kCompensatedBytes / sizeof(T)];
    };
    std::unique_ptr<State> state_ = std::make_unique<State>(); ///< of zeros
};

template <typename T>
void compensated(const Operand& source, index_t groups, T* out) {
    const index_t size = source.dims.size();
    const index_t length = size / groups;
    const double cost = costs::kScannedElement * static_cast<double>(size);
    if (groups == 1) { // in order, but in parts, between which progress is told of
        PieceReader read(source, kLanePiece);
        CompensatedSum<T> sum;
        parallel_for(length, kLanePiece, 1,
                     [&](index_t begin, index_t end) { sum.add(read, begin, end - begin); });
        out[0] = sum.total();
        return;
    }
    const int threads = lane_threads(source, cost);
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        PieceReader read(source, kLanePiece);
        CompensatedSum<T> sum;
        for (index_t g = first; g < last; ++g) out[g] = sum(read, g * length, length);
    });
}

/// The running folds of the columns of a panel, row by row.
class ColumnScan {
public:
    ColumnScan(Reduction reduction, DType dtype, index_t width)
        : totals_(dtype, with_slack(dtype, width)), start_(fold_kind(reduction, dtype).start) {
        const FoldKind& fold = fold_kind(reduction, dtype == boolean ? uint8 : dtype);
        const TypeId lanes = fold.dtype.id();
        program_ = {{{kernels_.find(Form::load_a, TileOp::none, lanes), totals_.data()},
                     {kernels_.find(Form::a_op_memory, fold.op, lanes), nullptr},
                     {kernels_.find(Form::store_last, TileOp::none, lanes), totals_.data()}}};
    }

    void begin(index_t count, index_t bytes) {
        tiles_ = (static_cast<std::size_t>(count * bytes) + kernels_.tile_bytes - 1) /
                 kernels_.tile_bytes;
        const auto size = static_cast<std::size_t>(bytes);
        for (std::size_t at = 0; at < tiles_ * kernels_.tile_bytes; at += size)
            std::memcpy(totals_.at(0) + at, start_.bytes, size);
    }
    const void* operator()(const std::byte* row) {
        program_[1].operand = row;
        kernels_.run_tiles(program_.data(), &state_, 0, tiles_);
        return totals_.data();
    }

private:
    const KernelTable& kernels_ = kernels();
    TileState state_;
    ElementBlock totals_;
    FoldValue start_;
    std::array<Instruction, 3> program_;
    std::size_t tiles_ = 0;
};

void scan_groups(Reduction reduction, const Operand& source, index_t length, std::byte* out) {
    const index_t size = source.dims.size();
    const index_t groups = size / length;
    const index_t bytes = source.dtype().size_bytes();
    const Scan scan = lane_kernels().find_scan(lane_operation(reduction), source.dtype().id());
    if (scan == nullptr) throw_dtype_unsupported("scan", source.dtype());
    const FoldValue start = fold_kind(reduction, source.dtype()).start;
    const double cost = costs::kScannedElement * static_cast<double>(size);
    const int threads = groups > 1 ? lane_threads(source, cost) : 1;
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        PieceReader read(source, kLanePiece);
        PieceWriter write(size * bytes);
        ElementBlock results(source.dtype(), with_slack(source.dtype(), kLanePiece));
        for (index_t g = first; g < last; ++g) {
            FoldValue carry = start;
            for (index_t at = 0; at < length; at += kLanePiece) {
                const index_t count = std::min(kLanePiece, length - at);
                scan(read(g * length + at, count), results.data(), count, carry.bytes);
                write(results.data(), out + (g * length + at) * bytes, count * bytes);
            }
        }
    });
}

void scan_rows(Reduction reduction, const Operand& source, index_t length, index_t inner,
               std::byte* out) {
    const DType dtype = source.dtype();
    const index_t size = source.dims.size();
    const index_t bytes = dtype.size_bytes();
    const double cost = costs::kScannedElement * static_cast<double>(size);
    const int threads = lane_threads(source, cost);
    // Columns are independent of each other, so that panels may be as wide as suits the threads.
    const index_t width = std::clamp((inner / threads + 63) / 64 * 64, index_t{64}, kLanePiece);
    const index_t panels = (inner + width - 1) / width;
    parallel_for(size / length / inner * panels, 1, threads, [&](index_t first, index_t last) {
        PieceReader read(source, width);
        PieceWriter write(size * bytes);
        ColumnScan scan(reduction, dtype, width);
        for (index_t p = first; p < last; ++p) {
            const index_t column = p % panels * width;
            const index_t count = std::min(width, inner - column);
            const index_t begin = p / panels * length * inner + column;
            scan.begin(count, bytes);
            for (index_t at = begin; at < begin + length * inner; at += inner)
                write(scan(read(at, count)), out + at * bytes, count * bytes);
        }
    });
}

} // namespace

void engine::scan_on_cpu(const work::Scan& scan, const Operand& given, void* out) {
    const EnteredOperation entered("scan", given);
    if (given.dims.size() == 0) return;
    auto* const results = static_cast<std::byte*>(out);
    count_way(scan.inner == 1 ? Way::lanes : Way::columns);
    if (scan.inner == 1)
        scan_groups(scan.reduction, *entered, scan.length, results);
    else
        scan_rows(scan.reduction, *entered, scan.length, scan.inner, results);
}

void compensated_sums(const Operand& given, index_t groups, void* out) {
    const EnteredOperation entered("compensated sum", given);
    const Operand& source = *entered;
    require_not_sparse("compensated_sum", source);
    if (groups == 0) return;
    if (source.dtype() == float32)
        compensated(source, groups, static_cast<float*>(out));
    else
        compensated(source, groups, static_cast<double*>(out));
}

} // namespace purview
