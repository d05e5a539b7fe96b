#include <purview/expression/softmax.hpp>

#include "engine/kernels/selection.hpp"
#include "engine/parallel.hpp"

#include <purview/expression/evaluate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>

namespace purview {
namespace engine {
namespace {

/// As many elements are read at a time as stay in the first-level cache, or a group.
constexpr index_t kBlock = 2048;
/// As many are added to one sum of lanes.
constexpr index_t kChunk = 4096;
constexpr double kNanosecondsEach = 0.5;

/// Programs over the elements of one group, in place. Each range of a thread has one.
template <typename R>
class Normaliser {
public:
    Normaliser() {
        const auto find = [&](Form form, TileOp op = TileOp::none) {
            return kernels_.find(form, op, kTypeId<R>);
        };
        greatest_ = {{{find(Form::load_a), nullptr},
                      {find(Form::accumulate_last, TileOp::maximum), lanes_}}};
        exponentials_ = {{{find(Form::load_a), nullptr},
                          {find(Form::a_op_constant, TileOp::subtract), &constant_},
                          {find(Form::unary, TileOp::exp), nullptr},
                          {find(Form::store), nullptr},
                          {find(Form::accumulate_last, TileOp::add), lanes_}}};
        scaled_ = {{{find(Form::load_a), nullptr},
                    {find(Form::a_op_constant, TileOp::multiply), &constant_},
                    {find(Form::store_last), nullptr}}};
    }

    void operator()(R* group, index_t count) {
        // Less the greatest, no exponential overflows, and one of them is 1.
        std::ranges::fill(lanes_, -kInfinity);
        run(greatest_, group, count);
        R greatest = lanes_[0];
        for (const R lane : lanes_)
            if (lane > greatest || lane != lane) greatest = lane; // a NaN stays
        constant_ = greatest;
        double sum = 0;
        for (index_t begin = 0; begin < count; begin += kChunk) {
            std::ranges::fill(lanes_, R{0});
            run(exponentials_, group + begin, std::min(kChunk, count - begin));
            for (const R lane : lanes_) sum += lane;
        }
        constant_ = static_cast<R>(1 / sum);
        run(scaled_, group, count);
    }

private:
    static constexpr R kInfinity = std::numeric_limits<R>::infinity();

    /// The last, partial tile runs on a copy whose other lanes are -inf: less than all, and exp(-inf) is 0.
    template <std::size_t N>
    void run(std::array<Instruction, N>& program, R* at, index_t count) {
        const auto lanes = static_cast<index_t>(kernels_.tile_bytes / sizeof(R));
        const index_t tiles = count / lanes;
        if (tiles > 0) run_tiles(program, at, tiles);
        const index_t rest = count - tiles * lanes;
        if (rest == 0) return;
        std::fill(std::copy_n(at + tiles * lanes, rest, last_), last_ + lanes, -kInfinity);
        run_tiles(program, last_, 1);
        std::copy_n(last_, rest, at + tiles * lanes);
    }
    template <std::size_t N>
    void run_tiles(std::array<Instruction, N>& program, R* at, index_t tiles) {
        program[0].operand = at;
        if (N == 3) program[2].operand = at;
        if (N == 5) program[3].operand = at;
        kernels_.run_tiles(program.data(), &state_, 0, static_cast<std::size_t>(tiles));
    }

    const KernelTable& kernels_ = kernels();
    TileState state_;
    alignas(64) R lanes_[kFloatLanes];
    alignas(64) R last_[kMaxTileBytes / sizeof(R)];
    R constant_ = 0;
    std::array<Instruction, 2> greatest_;
    std::array<Instruction, 5> exponentials_;
    std::array<Instruction, 3> scaled_;
};

template <typename R>
void softmax_of(const Evaluation& evaluation, index_t groups, R* out) {
    const index_t group = evaluation.size() / groups;
    const index_t step = std::max(kBlock / group, index_t{1});
    const auto nanoseconds = kNanosecondsEach * static_cast<double>(evaluation.size());
    const int threads = evaluation.is_thread_safe() ? worthwhile_threads(nanoseconds) : 1;
    parallel_for(groups, step, threads, [&](index_t begin, index_t end) {
        const auto normalise = std::make_unique<Normaliser<R>>();
        for (index_t first = begin; first < end; first += step) {
            const index_t last = std::min(end, first + step);
            evaluation.read(first * group, (last - first) * group, out + first * group);
            for (index_t each = first; each < last; ++each) (*normalise)(out + each * group, group);
        }
    });
}

} // namespace
} // namespace engine

void softmax_elements(const Operand& source, index_t groups, void* out) {
    const Evaluation evaluation(source);
    if (evaluation.size() == 0) return;
    if (source.dtype() == float32)
        engine::softmax_of(evaluation, groups, static_cast<float*>(out));
    else
        engine::softmax_of(evaluation, groups, static_cast<double*>(out));
}

} // namespace purview
