// Defines evaluation/reducers.hpp.

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/elementwise.hpp>

#include "dtype/element_block.hpp"
#include "engine/folds/fold_kind.hpp"
#include "evaluation/fold_types.hpp"
#include "evaluation/numbers_only.hpp"
#include "evaluation/reducers.hpp"
#include "evaluation/scaled_products.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// A state is the fold of a part; of means and extremes without NaN it is followed by their number.
class FoldReducer final : public Reducer {
public:
    FoldReducer(const char* name, Reduction reduction, DType element, bool averages, bool skips_nan)
        : FoldReducer(name, reduction,
                      element.is_builtin() ? fold_result(reduction, element, averages) : element,
                      averages, skips_nan && element.is_floating(), is_extreme(reduction)) {}

    void clear(std::byte* states, index_t count) const override {
        for (index_t i = 0; i < count; ++i, states += state_bytes()) {
            std::memset(states, 0, static_cast<std::size_t>(state_bytes()));
            for (index_t part = 0; part < parts_; ++part)
                std::memcpy(states + part * part_bytes(), kind_.identity.bytes,
                            static_cast<std::size_t>(part_bytes()));
        }
    }
    void fold(const FoldedPart& part, std::byte* states) const override {
        const Operand source = elements_as(
            skips_nan_ ? numbers_only(part.operand, reduction_) : part.operand, result());
        if (!counts_) return reduce_groups(reduction_, source, part.groups, states);
        ElementBlock values(result(), part.groups);
        reduce_groups(reduction_, source, part.groups, values.data());
        ElementBlock numbers(int64, part.groups);
        if (averages_ || any_unseen(values, part.groups))
            count_true_elements(is_number(part.operand), part.groups, numbers.data());
        else
            std::fill_n(static_cast<std::int64_t*>(numbers.data()), part.groups, 1); // or more
        for (index_t i = 0; i < part.groups; ++i, states += state_bytes()) {
            std::memcpy(states, values.at(i), static_cast<std::size_t>(result().size_bytes()));
            std::memcpy(states + kCountAt, numbers.at(i), sizeof(std::int64_t));
        }
    }
    bool reads_elsewhere() const noexcept override { return true; }
    /// A mean has those of a sum.
    bool has_states_of(const Reducer& other) const noexcept override {
        const auto* const fold = dynamic_cast<const FoldReducer*>(&other);
        return fold != nullptr && fold->reduction_ == reduction_ && fold->result() == result() &&
               fold->skips_nan_ == skips_nan_ && fold->counts_ == counts_;
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        if (!counts_) return kind_.combine_each(left, right, parts_ * count);
        for (; count > 0; --count, left += state_bytes(), right += state_bytes()) {
            kind_.combine_each(left, right, 1);
            const std::int64_t both = count_at(left) + count_at(right);
            std::memcpy(left + kCountAt, &both, sizeof both);
        }
    }
    void finish(const std::byte* states, index_t count, index_t elements,
                void* out) const override {
        const index_t bytes = result().size_bytes();
        auto* to = static_cast<std::byte*>(out);
        for (index_t i = 0; i < count; ++i, states += state_bytes(), to += bytes) {
            std::memcpy(to, states, static_cast<std::size_t>(bytes));
            const index_t numbers = counts_ ? count_at(states) : elements;
            if (averages_ || (counts_ && numbers == 0)) finish_each(numbers, to);
        }
    }

private:
    static constexpr index_t kCountAt = sizeof(FoldValue);

    FoldReducer(const char* name, Reduction reduction, DType folded, bool averages, bool skips_nan,
                bool is_extreme)
        : Reducer(name, folded,
                  skips_nan && (averages || is_extreme)
                      ? kCountAt + sizeof(std::int64_t)
                      : static_cast<std::size_t>(folded.size_bytes()),
                  is_extreme),
          reduction_(reduction),
          kind_(fold_kind(reduction, is_complex(folded) ? part_dtype(folded) : folded)),
          parts_(is_complex(folded) ? 2 : 1),
          averages_(averages),
          skips_nan_(skips_nan),
          counts_(skips_nan && (averages || is_extreme)) {}

    /// Whether an extreme is the one of no numbers.
    bool any_unseen(const ElementBlock& values, index_t groups) const {
        const auto bytes = static_cast<std::size_t>(result().size_bytes());
        for (index_t g = 0; g < groups; ++g)
            if (std::memcmp(values.at(g), kind_.identity.bytes, bytes) == 0) return true;
        return false;
    }
    index_t part_bytes() const { return kind_.dtype.size_bytes(); }
    static std::int64_t count_at(const std::byte* state) {
        std::int64_t count;
        std::memcpy(&count, state + kCountAt, sizeof count);
        return count;
    }
    /// A mean of its sum; an extreme of no number.
    void finish_each(index_t numbers, std::byte* folded) const {
        const auto each = [&]<typename T>(T* part) {
            for (index_t p = 0; p < parts_; ++p, ++part)
                *part = averages_ ? *part / static_cast<T>(numbers)
                                  : std::numeric_limits<T>::quiet_NaN();
        };
        if (kind_.dtype == float32)
            each(reinterpret_cast<float*>(folded));
        else
            each(reinterpret_cast<double*>(folded));
    }

    Reduction reduction_;
    const FoldKind& kind_; ///< of complex numbers: of each part
    index_t parts_;
    bool averages_;
    bool skips_nan_;
    bool counts_;
};

/// Products of floats and complex numbers `T`: those of parts may lie outside of the range of the type.
template <typename T>
class ProductReducer final : public ReducerOfStates<ScaledProductOf<T>> {
public:
    ProductReducer(const char* name, bool skips_nan)
        : ReducerOfStates<ScaledProductOf<T>>(name, kDType<T>), skips_nan_(skips_nan) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(this->states_at(states, count), ScaledProductOf<T>());
    }
    void fold(const FoldedPart& part, std::byte* states) const override {
        scaled_products<T>(skips_nan_ ? numbers_only(part.operand, Reduction::product)
                                      : part.operand,
                           part.groups, this->states_at(states, part.groups).data());
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        this->for_both(left, right, count, [](auto& a, const auto& b) { a.multiply(b); });
    }
    void finish(const std::byte* states, index_t count, index_t, void* out) const override {
        auto* result = static_cast<T*>(out);
        for (const ScaledProductOf<T>& product : this->states_at(states, count))
            *result++ = product.template value<T>();
    }

private:
    bool skips_nan_;
};

class CountReducer final : public ReducerOfStates<std::int64_t> {
public:
    CountReducer(const char* name, bool skips_nan)
        : ReducerOfStates(name, int64), skips_nan_(skips_nan) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), 0);
    }
    void fold(const FoldedPart& part, std::byte* states) const override {
        count_true_elements(
            elements_as(skips_nan_ ? numbers_only(part.operand, Reduction::sum) : part.operand,
                        boolean),
            part.groups, states);
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        for_both(left, right, count, [](std::int64_t& a, std::int64_t b) { a += b; });
    }
    void finish(const std::byte* states, index_t count, index_t, void* out) const override {
        std::memcpy(out, states, static_cast<std::size_t>(count) * sizeof(std::int64_t));
    }

private:
    bool skips_nan_;
};

} // namespace

std::unique_ptr<const Reducer> fold_reducer(const char* name, Reduction reduction, DType element,
                                            bool averages, bool skips_nan) {
    if (reduction == Reduction::product) {
        if (element == float32) return std::make_unique<ProductReducer<float>>(name, skips_nan);
        if (element == float64) return std::make_unique<ProductReducer<double>>(name, skips_nan);
        if (element == kDType<std::complex<float>>)
            return std::make_unique<ProductReducer<std::complex<float>>>(name, false);
        if (element == kDType<std::complex<double>>)
            return std::make_unique<ProductReducer<std::complex<double>>>(name, false);
    }
    return std::make_unique<FoldReducer>(name, reduction, element, averages, skips_nan);
}

std::unique_ptr<const Reducer> count_reducer(const char* name, DType element, bool skips_nan) {
    return std::make_unique<CountReducer>(name, skips_nan && element.is_floating());
}

} // namespace purview
