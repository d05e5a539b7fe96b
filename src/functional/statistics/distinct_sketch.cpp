// Defines purview/functional/statistics/sketches.hpp.

#include <purview/functional/statistics/sketches.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

namespace purview::inline v0_1 {
namespace {

constexpr int kRegisterBits = 14;
constexpr std::size_t kRegisters = std::size_t{1} << kRegisterBits;
constexpr int kMostRank = 64 - kRegisterBits + 1;
constexpr std::size_t kPlaces = kRegisters / sizeof(std::uint64_t);
/// So many places of the table of hashes may be taken: it is then three quarters full.
constexpr std::int64_t kMostHashes = kPlaces * 3 / 4;

/// The last step of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

template <typename T>
std::uint64_t hash_of(const T& element) {
    constexpr std::uint64_t kStart = 0x9e3779b97f4a7c15;
    if constexpr (std::is_same_v<T, std::string>) {
        std::uint64_t hash = kStart + element.size();
        for (std::size_t at = 0; at < element.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, element.data() + at, std::min(sizeof word, element.size() - at));
            hash = mixed(hash ^ word) + kStart;
        }
        return mixed(hash);
    } else if constexpr (std::is_floating_point_v<T>) {
        const double number =
            element != element ? std::nan("") : static_cast<double>(element) + 0.0;
        return mixed(std::bit_cast<std::uint64_t>(number) + kStart);
    } else {
        return mixed(static_cast<std::uint64_t>(element) + kStart);
    }
}

/// Hashes, as a table of them while they are few, as registers of their greatest ranks when they are many.
struct DistinctHashes {
    std::array<std::uint64_t, kPlaces> words{};
    std::int64_t hashes = 0; ///< in the table; negative where `words` are registers

    bool has_registers() const { return hashes < 0; }
    std::uint8_t* registers() { return reinterpret_cast<std::uint8_t*>(words.data()); }
    const std::uint8_t* registers() const {
        return reinterpret_cast<const std::uint8_t*>(words.data());
    }

    void add(std::uint64_t hash) {
        if (has_registers()) return raise(hash);
        hash = std::max<std::uint64_t>(hash, 1); // 0 is a free place
        for (std::size_t place = hash % kPlaces;; place = (place + 1) % kPlaces) {
            if (words[place] == hash) return;
            if (words[place] != 0) continue;
            words[place] = hash;
            if (++hashes > kMostHashes) make_registers();
            return;
        }
    }
    void join(const DistinctHashes& next) {
        if (!next.has_registers()) {
            for (const std::uint64_t hash : next.words)
                if (hash != 0) add(hash);
            return;
        }
        if (!has_registers()) make_registers();
        for (std::size_t i = 0; i < kRegisters; ++i)
            registers()[i] = std::max(registers()[i], next.registers()[i]);
    }
    std::int64_t estimate() const;

private:
    void raise(std::uint64_t hash) {
        std::uint8_t& rank = registers()[hash >> (64 - kRegisterBits)];
        const int zeros = std::countl_zero(hash << kRegisterBits);
        rank = std::max(rank, static_cast<std::uint8_t>(std::min(zeros + 1, kMostRank)));
    }
    void make_registers() {
        const std::array<std::uint64_t, kPlaces> table = words;
        words.fill(0);
        hashes = -1;
        for (const std::uint64_t hash : table)
            if (hash != 0) raise(hash);
    }
};

// Ertl, section 4: registers that have been raised to the top, and those that have not been.
double correction_of_top(double share) {
    if (share == 0 || share == 1) return 0;
    double weight = 1;
    double sum = 1 - share;
    for (double before = -1; before != sum;) {
        before = sum;
        share = std::sqrt(share);
        weight *= 0.5;
        sum -= (1 - share) * (1 - share) * weight;
    }
    return sum / 3;
}
double correction_of_zeros(double share) {
    double weight = 1;
    double sum = share;
    for (double before = -1; before != sum;) {
        before = sum;
        share *= share;
        sum += share * weight;
        weight += weight;
    }
    return sum;
}

std::int64_t DistinctHashes::estimate() const {
    if (!has_registers()) return hashes;
    constexpr double kCount = kRegisters;
    std::array<double, kMostRank + 1> of_rank{};
    for (std::size_t i = 0; i < kRegisters; ++i) ++of_rank[registers()[i]];
    double sum = kCount * correction_of_top(1 - of_rank[kMostRank] / kCount);
    for (int rank = kMostRank - 1; rank >= 1; --rank)
        sum = 0.5 * (sum + of_rank[static_cast<std::size_t>(rank)]);
    sum += kCount * correction_of_zeros(of_rank[0] / kCount);
    return std::llround(kCount * kCount / (2 * std::log(2.) * sum));
}

struct AddHashes {
    template <typename T>
    void operator()(DistinctHashes& state, std::span<const T> block) const {
        for (const T& element : block) state.add(hash_of(element));
    }
};
struct JoinHashes {
    void operator()(DistinctHashes& state, const DistinctHashes& next) const { state.join(next); }
};
struct Estimate {
    std::int64_t operator()(const DistinctHashes& state) const { return state.estimate(); }
};
struct AddOnce {
    template <typename T>
    void operator()(DistinctHashes& state, const T& element, index_t) const {
        state.add(hash_of(element));
    }
};

const FunctionReducer* sketch_of(DType element);

template <typename T>
class DistinctOf final
    : public ReducerOfFunctions<T, DistinctHashes, AddHashes, JoinHashes, Estimate, AddOnce> {
public:
    DistinctOf()
        : ReducerOfFunctions<T, DistinctHashes, AddHashes, JoinHashes, Estimate, AddOnce>(
              "approximate_distinct", {}, {}, {}, {}, {}, true) {}
    const FunctionReducer* of(DType element) const override { return sketch_of(element); }
};
template <typename T>
const FunctionReducer* sketch() {
    static const DistinctOf<T> kSketch;
    return &kSketch;
}

const FunctionReducer* sketch_of(DType element) {
    const DType counts = element.counted_in();
    if (element == kDType<std::string>) return sketch<std::string>();
    if (!counts.is_builtin()) return nullptr;
    if (counts.is_floating()) return sketch<double>();
    return counts == uint64 ? sketch<std::uint64_t>() : sketch<std::int64_t>();
}

} // namespace

const FunctionReducer* DistinctSketch::operator->() const { return sketch<double>(); }

} // namespace purview
