#include <purview/dtype/visit.hpp>
#include <purview/expression/evaluate.hpp>

#include "dtype/element_block.hpp"
#include "engine/program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace purview {
namespace {

using engine::kBlock;

/// Lanes that a float sum runs on, whatever the machine has, so that its result is always the same.
constexpr index_t kLanes = 32;

/// Elements summed on lanes before these are joined and cascaded.
constexpr index_t kChunk = 512;

/// A float sum with a fixed shape: element i of each chunk goes to lane i mod 32; a chunk's lanes are
/// joined by halving; chunks are joined pairwise, like the carries of a binary counter, so that the
/// error grows with the logarithm of their number.
template <typename T>
class LaneSum {
public:
    void add(const T* values, index_t count) {
        while (count > 0) {
            const index_t length = std::min(count, kChunk - filled_);
            add_to_lanes(values, length);
            values += length;
            count -= length;
            if (filled_ == kChunk) carry();
        }
    }

    T result() {
        if (filled_ > 0) carry();
        T total{};
        for (std::size_t level = 0; level < kLevels; ++level)
            if ((chunks_ >> level & 1) != 0) total += partial_[level];
        return total;
    }

private:
    static constexpr std::size_t kLevels = 64;

    void add_to_lanes(const T* values, index_t length) {
        index_t i = 0;
        for (; i < length && filled_ % kLanes != 0; ++i)
            lanes_[static_cast<std::size_t>(filled_++ % kLanes)] += values[i];
        for (; i + kLanes <= length; i += kLanes, filled_ += kLanes)
            for (index_t lane = 0; lane < kLanes; ++lane)
                lanes_[static_cast<std::size_t>(lane)] += values[i + lane];
        for (; i < length; ++i) lanes_[static_cast<std::size_t>(filled_++ % kLanes)] += values[i];
    }

    void carry() {
        for (std::size_t width = kLanes / 2; width > 0; width /= 2)
            for (std::size_t lane = 0; lane < width; ++lane) lanes_[lane] += lanes_[lane + width];
        T sum = lanes_[0];
        std::size_t level = 0;
        for (; (chunks_ >> level & 1) != 0; ++level) sum = partial_[level] + sum;
        partial_[level] = sum;
        ++chunks_;
        lanes_ = {};
        filled_ = 0;
    }

    std::array<T, kLanes> lanes_{};
    index_t filled_ = 0;
    std::array<T, kLevels> partial_{};
    std::uint64_t chunks_ = 0;
};

/// A fold of integers, or one that does not depend on order.
template <typename T, T (*combine)(T, T)>
class PlainFold {
public:
    explicit PlainFold(T identity) : value_(identity) {}
    void add(const T* values, index_t count) {
        for (index_t i = 0; i < count; ++i) value_ = combine(value_, values[i]);
    }
    T result() const { return value_; }

private:
    T value_;
};

template <typename T>
T wrapping_add(T a, T b) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template <typename T>
T product(T a, T b) {
    if constexpr (std::floating_point<T>)
        return a * b;
    else
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

template <typename T>
T smaller(T a, T b) {
    if constexpr (std::floating_point<T>)
        if (std::isnan(a) || std::isnan(b)) return a + b;
    return b < a ? b : a;
}

template <typename T>
T larger(T a, T b) {
    if constexpr (std::floating_point<T>)
        if (std::isnan(a) || std::isnan(b)) return a + b;
    return a < b ? b : a;
}

/// Cuts the global order into `groups` parts of one length, and folds each with a fold of its own.
template <typename T, typename MakeFold>
void fold_groups(const engine::Program& program, index_t groups, T* out, MakeFold make_fold) {
    if (program.size == 0) {
        std::generate_n(out, groups, [&] { return make_fold().result(); });
        return;
    }
    const index_t group = program.size / groups;
    ElementBlock scratch(program.root.dtype(), std::min(kBlock, program.size));
    auto fold = make_fold();
    index_t folded = 0;
    for (index_t begin = 0; begin < program.size; begin += kBlock) {
        const index_t count = std::min(kBlock, program.size - begin);
        engine::run(program, begin, count, scratch.data());
        const auto* values = static_cast<const T*>(scratch.data());
        for (index_t done = 0; done < count;) {
            const index_t length = std::min(count - done, group - folded);
            fold.add(values + done, length);
            done += length;
            folded += length;
            if (folded < group) continue;
            *out++ = fold.result();
            fold = make_fold();
            folded = 0;
        }
    }
}

template <typename T>
void reduce_as(Reduction reduction, const engine::Program& program, index_t groups, T* out) {
    const auto plain = [&]<T (*combine)(T, T)>(T identity) {
        fold_groups(program, groups, out, [=] { return PlainFold<T, combine>(identity); });
    };
    constexpr bool kFloating = std::floating_point<T>;
    using Limits = std::numeric_limits<T>;
    switch (reduction) {
    case Reduction::sum:
        if constexpr (kFloating)
            return fold_groups(program, groups, out, [] { return LaneSum<T>(); });
        else
            return plain.template operator()<wrapping_add<T>>(T{});
    case Reduction::product: return plain.template operator()<product<T>>(T{1});
    case Reduction::minimum:
    case Reduction::all_of:
        return plain.template operator()<smaller<T>>(kFloating ? Limits::infinity()
                                                               : Limits::max());
    case Reduction::maximum:
    case Reduction::any_of:
        return plain.template operator()<larger<T>>(kFloating ? -Limits::infinity()
                                                              : Limits::lowest());
    }
}

} // namespace

void reduce(Reduction reduction, const Operand& source, index_t groups, void* out) {
    const engine::Program program = engine::compile(source);
    visit_dtype(source.dtype(), "reduce", [&]<typename T>(std::type_identity<T>) {
        reduce_as(reduction, program, groups, static_cast<T*>(out));
    });
}

} // namespace purview
