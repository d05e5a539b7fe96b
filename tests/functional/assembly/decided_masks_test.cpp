#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/tile.hpp>
#include <purview/reader/chunked_reader.hpp>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace decided_mask_test {

namespace pv = purview;
using pv::index_t;
using pv::ShapeSpan;

/// A column whose chunks say what they lie within, and count how often they are read.
template <typename T>
class BoundedColumn final : public pv::ChunkedReader<T> {
public:
    BoundedColumn(std::vector<T> values, index_t chunk, bool has_bounds)
        : pv::ChunkedReader<T>({pv::Shape{std::ssize(values)}, pv::Shape{chunk}}),
          values_(std::move(values)),
          has_bounds_(has_bounds) {}

    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        ++reads_;
        const auto [begin, end] = rows(at);
        std::fill(std::copy(values_.begin() + begin, values_.begin() + end, out.begin()), out.end(),
                  T{});
        return true;
    }
    std::optional<pv::NumberBounds> bounds_of_chunk(ShapeSpan at) const override {
        if (!has_bounds_) return std::nullopt;
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        pv::NumberBounds bounds{kInfinity, -kInfinity, false};
        const auto [begin, end] = rows(at);
        for (index_t i = begin; i < end; ++i) {
            const auto value = static_cast<double>(values_[static_cast<std::size_t>(i)]);
            if (std::isnan(value)) {
                bounds.may_be_nan = true;
                continue;
            }
            const bool is_exact = std::abs(value) < 0x1p53 || std::is_floating_point_v<T>;
            bounds.least =
                std::min(bounds.least, is_exact ? value : std::nextafter(value, -kInfinity));
            bounds.greatest =
                std::max(bounds.greatest, is_exact ? value : std::nextafter(value, kInfinity));
        }
        return bounds;
    }
    int reads() const { return reads_; }

private:
    std::pair<index_t, index_t> rows(ShapeSpan at) const {
        const index_t begin = at[0] * this->grid().chunk[0];
        return {begin, std::min(begin + this->grid().chunk[0], this->grid().shape[0])};
    }

    std::vector<T> values_;
    bool has_bounds_;
    mutable std::atomic<int> reads_ = 0;
};

template <typename T>
pv::Tensor<T> column(const std::shared_ptr<const BoundedColumn<T>>& reader) {
    return pv::tensor(reader, reader->grid().shape).template as<T>();
}

TEST_CASE(
    "x(mask): chunks whose bounds decide a comparison are not read for it, nor for what it selects") {
    std::vector<std::int64_t> ascending(1000);
    for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = static_cast<std::int64_t>(i);
    const auto reader = std::make_shared<const BoundedColumn<std::int64_t>>(ascending, 100, true);
    const auto x = column<std::int64_t>(reader);
    const auto reads_of = [&](auto work) {
        const int before = reader->reads();
        pv::drop_cached_chunks();
        work();
        return reader->reads() - before;
    };
    CHECK(reads_of([&] { CHECK(pv::argfilter(x < 0).size() == 0); }) == 0);
    CHECK(reads_of([&] { CHECK(pv::argfilter(x >= 0).size() == 1000); }) == 0);
    CHECK(reads_of([&] { CHECK(pv::sum(x(x > 950)) == (951 + 999) * 49 / 2); }) == 1);
    CHECK(reads_of([&] { CHECK(pv::argfilter(x > 150 && x < 250).size() == 99); }) == 2);
    CHECK(reads_of([&] { CHECK(pv::argfilter(x == 777 || x == 1777)(0) == 777); }) == 1);
    CHECK(reads_of([&] { CHECK(pv::argfilter(!(x != 5))(0) == 5); }) == 1);
    CHECK(reads_of([&] { CHECK(pv::argfilter(x < 10.5).size() == 11); }) == 1);
    CHECK(reads_of([&] { CHECK(pv::argfilter(x * 2 < 10).size() == 5); }) == 10); // not understood
}

template <typename T>
std::vector<T> random_values(index_t count, std::mt19937_64& engine) {
    std::vector<T> values;
    const auto from = static_cast<std::int64_t>(engine() % 5) - 2;
    for (index_t i = 0; i < count; ++i) {
        const std::int64_t step = i / 40 * from + static_cast<std::int64_t>(engine() % 4);
        if constexpr (std::is_floating_point_v<T>)
            values.push_back(engine() % 30 == 0 ? std::numeric_limits<T>::quiet_NaN()
                                                : static_cast<T>(step) / 2);
        else if constexpr (sizeof(T) == 8)
            values.push_back(
                static_cast<T>(engine() % 3 == 0 ? step : step + (std::int64_t{1} << 53)));
        else
            values.push_back(static_cast<T>(step));
    }
    return values;
}

/// The same mask of the same numbers, with bounds and without.
struct Masks {
    pv::Tensor<bool> bounded;
    pv::Tensor<bool> plain;
};

template <typename T>
Masks random_comparison(index_t count, std::mt19937_64& engine) {
    const auto numbers = random_values<T>(count, engine);
    const auto chunk = static_cast<index_t>(1 + engine() % 90);
    auto bounded = column<T>(std::make_shared<const BoundedColumn<T>>(numbers, chunk, true));
    if (engine() % 2 == 0) { // in pieces
        const auto cut =
            static_cast<std::ptrdiff_t>(engine() % static_cast<std::uint64_t>(count + 1));
        const auto part = [&](auto begin, auto end) {
            return column<T>(std::make_shared<const BoundedColumn<T>>(std::vector<T>(begin, end),
                                                                      chunk, engine() % 4 > 0));
        };
        bounded = pv::concat(std::vector{part(numbers.begin(), numbers.begin() + cut),
                                         part(numbers.begin() + cut, numbers.end())});
    }
    const auto plain = pv::tensor(numbers);
    const T pick = numbers[engine() % numbers.size()];
    const auto compared = [&](const auto& limit) -> Masks {
        switch (engine() % 6) {
        case 0: return {bounded < limit, plain < limit};
        case 1: return {bounded <= limit, plain <= limit};
        case 2: return {bounded > limit, plain > limit};
        case 3: return {bounded >= limit, plain >= limit};
        case 4: return {bounded == limit, plain == limit};
        default: return {bounded != limit, plain != limit};
        }
    };
    if constexpr (sizeof(T) < 8)
        if (engine() % 3 == 0) return compared(static_cast<double>(pick) + 0.5);
    return compared(pick);
}

Masks random_mask(index_t count, int depth, std::mt19937_64& engine) {
    switch (engine() % (depth > 3 ? 4 : 8)) {
    case 0: return random_comparison<std::int32_t>(count, engine);
    case 1: return random_comparison<std::int64_t>(count, engine);
    case 2: return random_comparison<float>(count, engine);
    case 3: return random_comparison<double>(count, engine);
    case 4: {
        const Masks m = random_mask(count, depth + 1, engine);
        return {!m.bounded, !m.plain};
    }
    case 5:
    case 6: {
        const Masks a = random_mask(count, depth + 1, engine);
        const Masks b = random_mask(count, depth + 1, engine);
        if (engine() % 2 == 0) return {a.bounded && b.bounded, a.plain && b.plain};
        return {a.bounded || b.bounded, a.plain || b.plain};
    }
    default: {
        const Masks a = random_mask(count, depth + 1, engine);
        return {pv::roll(a.bounded, 7, 0), pv::roll(a.plain, 7, 0)};
    }
    }
}

TEST_CASE("Masks are the same with the bounds of chunks and without") {
    std::mt19937_64 engine(17);
    for (int round = 0; round < oracle::rounds(1500); ++round) {
        const auto count = static_cast<index_t>(1 + engine() % 300);
        const Masks masks = random_mask(count, 0, engine);
        CAPTURE(round, count);
        CHECK(pv::to_vector(pv::argfilter(masks.bounded)) ==
              pv::to_vector(pv::argfilter(masks.plain)));
    }
}

} // namespace decided_mask_test
