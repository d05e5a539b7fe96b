#include "lanes/lanes.hpp"

#include "base/fork_lock.hpp"
#include "lanes/lane_kernels.hpp"

#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/threads.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1::lane_transforms {
namespace {

/// The best that this machine runs, or no more than the environment variable PURVIEW_TARGET allows.
const LaneTable& lane_table() {
    static const LaneTable* const chosen = [] {
#if defined(PURVIEW_LANES_AVX2)
        const char* const wanted = std::getenv("PURVIEW_TARGET");
        const std::string_view name = wanted == nullptr ? "" : wanted;
        __builtin_cpu_init();
        if (name != "scalar" && name != "ssse3" && __builtin_cpu_supports("avx2"))
            return &kLanesAvx2;
#endif
        return &kLanesBaseline;
    }();
    return *chosen;
}
template <typename T>
const LaneFunctions<T>& lane_functions() {
    if constexpr (std::is_same_v<T, float>)
        return lane_table().of_float;
    else
        return lane_table().of_double;
}

/// Lanes of at least so many points are transformed as matrices, if their length has the divisors.
constexpr index_t kLeastMatrix = 2048;

/// The rows of the matrix that a lane is transformed as, near the root of its length; 0: as it is. It depends on the length
/// alone, as the bits do.
index_t matrix_rows(index_t points) {
    if (points < kLeastMatrix || points % (kTurned * kTurned) != 0) return 0;
    const auto root = static_cast<index_t>(std::sqrt(static_cast<double>(points)));
    for (index_t rows = root / kTurned * kTurned; rows >= 32; rows -= kTurned)
        if (points % rows == 0 && points / rows % kTurned == 0) return rows;
    return 0;
}

class Plan {
public:
    Plan(const PlanFunctions& functions, index_t points)
        : plan_(functions.make(points), functions.drop) {}
    const void* get() const { return plan_.get(); }

private:
    std::unique_ptr<const void, void (*)(const void*)> plan_;
};

/// What is made ready for a length.
template <typename T>
struct LanePlan {
    std::optional<Plan> plan;     ///< of the lane, or of the columns of its matrix
    std::optional<Plan> row_plan; ///< of the rows, if it is one of another length
    index_t rows = 0;
    index_t columns = 0;
    std::vector<T> turns_of_column, turns_of_block;

    LanePlan(bool is_complex, index_t points) {
        const LaneFunctions<T>& functions = lane_functions<T>();
        rows = is_complex ? matrix_rows(points) : 0;
        if (rows == 0) {
            plan.emplace(is_complex ? functions.complex_plan : functions.real_plan, points);
            return;
        }
        columns = points / rows;
        plan.emplace(functions.complex_plan, rows);
        if (rows != columns) row_plan.emplace(functions.complex_plan, columns);
        turns_of_column.resize(static_cast<std::size_t>(2 * rows * kTurned));
        turns_of_block.resize(static_cast<std::size_t>(2 * rows * (columns / kTurned)));
        functions.turns(rows, columns, turns_of_column.data(), turns_of_block.data());
    }
};

/// Of all plans. A child of a fork finds it unlocked.
std::mutex& plans_mutex() {
    static std::mutex mutex;
    return mutex;
}
[[maybe_unused]] const bool forks_wait = (lock_while_forking<plans_mutex>(), true);

/// The plans that were used last, as many as take about `kMostBytes`.
template <typename T>
class Plans {
public:
    using Shared = std::shared_ptr<const LanePlan<T>>;

    Shared of(bool is_complex, index_t points) {
        {
            const std::lock_guard lock(plans_mutex());
            const auto found = std::ranges::find_if(kept_, [&](const Kept& one) {
                return one.is_complex == is_complex && one.points == points;
            });
            if (found != kept_.end()) {
                kept_.splice(kept_.begin(), kept_, found);
                return kept_.front().plan;
            }
        }
        auto made = std::make_shared<const LanePlan<T>>(is_complex, points);
        // A prime length is transformed by three transforms of more than twice as many points.
        const index_t bytes = 8 * points * index_t{sizeof(T)};
        const std::lock_guard lock(plans_mutex());
        kept_.push_front({is_complex, points, bytes, made});
        bytes_ += bytes;
        while (bytes_ > kMostBytes) {
            bytes_ -= kept_.back().bytes;
            kept_.pop_back();
        }
        return made;
    }

private:
    static constexpr index_t kMostBytes = index_t{32} << 20;
    struct Kept {
        bool is_complex;
        index_t points;
        index_t bytes;
        Shared plan;
    };
    std::list<Kept> kept_;
    index_t bytes_ = 0;
};
/// Never destroyed, so that whoever transforms while the process ends still finds them.
template <typename T>
Plans<T>& plans() {
    static auto* const all = new Plans<T>;
    return *all;
}

double nanoseconds_of(index_t points) {
    return 0.6 * static_cast<double>(points) * std::log2(static_cast<double>(points) + 1);
}

/// Lanes that are matrices.
template <typename T>
class MatrixLanes {
public:
    MatrixLanes(const LanePlan<T>& plan, const LaneWork& work, const T* in, T* out)
        : plan_(plan), work_(work), in_(in), out_(out) {}

    void transform() const {
        const bool in_order = work_.inner == 1 && work_.in_length >= work_.points;
        if (in_order && work_.lanes < threads()) return for_each_in_turn();
        // As many at once as share a line of the cache, in a buffer of their own.
        const index_t together = work_.inner == 1 ? 1 : index_t{32} / index_t{sizeof(T)};
        const index_t groups = (work_.lanes + together - 1) / together;
        const double nanoseconds = static_cast<double>(work_.lanes) * nanoseconds_of(work_.points);
        parallel_ranges(groups, 1, nanoseconds, [&](index_t begin, index_t end) {
            std::vector<T> between(size());
            std::vector<T> copies(in_order ? 0 : static_cast<std::size_t>(together) * size());
            for (index_t group = begin; group < end; ++group) {
                const index_t first = group * together;
                const index_t last = std::min(first + together, work_.lanes);
                if (in_order)
                    transform_one(in_ + 2 * first * work_.in_length,
                                  out_ + 2 * first * work_.out_length, between.data());
                else
                    transform_copies(first, last, copies.data(), between.data());
            }
        });
    }

private:
    std::size_t size() const { return static_cast<std::size_t>(2 * work_.points); }
    LaneMatrix<T> matrix(const T* in, T* between, T* out) const {
        return {.in = in,
                .between = between,
                .out = out,
                .rows = plan_.rows,
                .columns = plan_.columns,
                .turns_of_column = plan_.turns_of_column.data(),
                .turns_of_block = plan_.turns_of_block.data(),
                .factor = static_cast<T>(work_.factor),
                .forward = work_.forward};
    }
    void transform_one(const T* in, T* out, T* between) const {
        const LaneMatrix<T> lane = matrix(in, between, out);
        lane_functions<T>().columns(plan_.plan->get(), lane, 0, plan_.columns / kTurned);
        lane_functions<T>().rows((plan_.row_plan ? plan_.row_plan : plan_.plan)->get(), lane, 0,
                                 plan_.rows / kTurned);
    }
    /// One after the other, each on all threads.
    void for_each_in_turn() const {
        std::vector<T> between(size());
        const double nanoseconds = nanoseconds_of(work_.points) / 2;
        for (index_t lane = 0; lane < work_.lanes; ++lane) {
            const LaneMatrix<T> one = matrix(in_ + 2 * lane * work_.in_length, between.data(),
                                             out_ + 2 * lane * work_.out_length);
            parallel_ranges(plan_.columns / kTurned, 1, nanoseconds,
                            [&](index_t begin, index_t end) {
                                lane_functions<T>().columns(plan_.plan->get(), one, begin, end);
                            });
            parallel_ranges(plan_.rows / kTurned, 1, nanoseconds, [&](index_t begin, index_t end) {
                lane_functions<T>().rows((plan_.row_plan ? plan_.row_plan : plan_.plan)->get(), one,
                                         begin, end);
            });
        }
    }
    index_t begin_of(index_t lane, index_t length) const {
        return lane / work_.inner * length * work_.inner + lane % work_.inner;
    }
    void transform_copies(index_t first, index_t last, T* copies, T* between) const {
        const index_t read = std::min(work_.points, work_.in_length), step = 2 * work_.inner;
        for (index_t i = 0; i < read; ++i)
            for (index_t lane = first; lane < last; ++lane) {
                const T* const from = in_ + 2 * begin_of(lane, work_.in_length) + i * step;
                T* const to = copies + 2 * ((lane - first) * work_.points + i);
                to[0] = from[0], to[1] = from[1];
            }
        for (index_t lane = first; lane < last; ++lane) {
            T* const copy = copies + 2 * (lane - first) * work_.points;
            std::fill(copy + 2 * read, copy + 2 * work_.points, T(0));
            transform_one(copy, copy, between);
        }
        for (index_t i = 0; i < work_.points; ++i)
            for (index_t lane = first; lane < last; ++lane) {
                const T* const from = copies + 2 * ((lane - first) * work_.points + i);
                T* const to = out_ + 2 * begin_of(lane, work_.out_length) + i * step;
                to[0] = from[0], to[1] = from[1];
            }
    }

    const LanePlan<T>& plan_;
    const LaneWork& work_;
    const T* in_;
    T* out_;
};

} // namespace

template <typename T>
void transform_lanes(const LaneWork& work, const T* in, T* out) {
    if (work.lanes == 0) return;
    const auto plan = plans<T>().of(work.kind == LaneKind::complex, work.points);
    if (plan->rows != 0) return MatrixLanes<T>(*plan, work, in, out).transform();
    const index_t needed = work.kind == LaneKind::to_real ? work.points / 2 + 1 : work.points;
    const LaneSet<T> set{.in = in,
                         .out = out,
                         .in_length = work.in_length,
                         .out_length = work.out_length,
                         .points = work.points,
                         .read = std::min(needed, work.in_length),
                         .inner = work.inner,
                         .factor = static_cast<T>(work.factor),
                         .forward = work.forward};
    const LaneFunctions<T>& functions = lane_functions<T>();
    const auto transform = work.kind == LaneKind::complex   ? functions.complex
                           : work.kind == LaneKind::of_real ? functions.of_real
                                                            : functions.to_real;
    const double nanoseconds = static_cast<double>(work.lanes) * nanoseconds_of(work.points);
    parallel_ranges(work.lanes, 16, nanoseconds, [&](index_t begin, index_t end) {
        transform(plan->plan->get(), set, begin, end);
    });
}
template void transform_lanes(const LaneWork&, const float*, float*);
template void transform_lanes(const LaneWork&, const double*, double*);

} // namespace purview::lane_transforms
