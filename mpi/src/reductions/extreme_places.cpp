// Defines reductions/states_of.hpp.
#include "reductions/chosen.hpp"
#include "reductions/states_of.hpp"

#include "expressions/seen_part.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/repeated_groups.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace purview::inline v0_1::mpi {
namespace {

template <typename T>
struct Placed {
    T value;
    index_t place; ///< in the whole; -1: of no element
};

template <typename T, Extreme extreme>
class PlaceOfExtreme final : public StatesOf<Placed<T>> {
public:
    explicit PlaceOfExtreme(bool skips_nan)
        : StatesOf<Placed<T>>(int64, AxisOrder::as_named, true), skips_nan_(skips_nan) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(this->states_at(states, count), Placed<T>{T{}, -1});
    }
    void fold(const ReducedView& view, const PlacesInWhole& places,
              std::byte* states) const override {
        if (skips_nan_) return fold_numbers(view, places, states);
        const auto groups = static_cast<std::size_t>(view.groups);
        std::vector<std::int64_t> found(groups);
        const auto values = std::make_unique<T[]>(groups);
        arg_extreme(extreme, view.operand, view.groups, found.data());
        if (groups == 1)
            read_all(element_at(view.operand, found[0]), values.get());
        else
            purview::reduce(Best::kFold, view.operand, view.groups, values.get());
        auto state = this->states_at(states, view.groups).begin();
        for (std::size_t g = 0; g < groups; ++g) *state++ = {values[g], places(found[g])};
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = this->states_at(right, count);
        auto each = more.begin();
        for (Placed<T>& a : this->states_at(left, count)) {
            const Placed<T>& b = *each++;
            if (is_before(b, a)) a = b;
        }
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<std::int64_t*>(out);
        for (const Placed<T>& state : this->states_at(states, count)) {
            if (state.place < 0)
                throw ShapeError(
                    fmt::format("{}: all elements are NaN, and NaN is skipped", kName));
            *result++ = state.place;
        }
    }

private:
    using Best = Chosen<extreme>;
    static constexpr const char* kName = extreme == Extreme::least ? "argmin" : "argmax";

    /// The first element that is equal to the extreme of those that are not NaN.
    void fold_numbers(const ReducedView& view, const PlacesInWhole& places,
                      std::byte* states) const {
        const DType dtype = kDType<T>;
        const Operand values = empty_of(kName, dtype, ShapeSpan(&view.groups, 1));
        auto* const value = reinterpret_cast<T*>(memory_of(values));
        purview::reduce(Best::kFold, without_nan(view.operand, Best::kFold), view.groups, value);
        const Operand extremes{
            values.node, dimensions::repeated_groups(view.operand.dims.max_shape(), view.groups)};
        const Operand is_found = binary_operand(Op::equal, view.operand, extremes, dtype, boolean);
        std::vector<std::int64_t> found(static_cast<std::size_t>(view.groups));
        arg_extreme(Extreme::greatest, is_found, view.groups, found.data());
        const std::vector<std::int64_t> counts = count_non_nan(view);
        auto state = this->states_at(states, view.groups).begin();
        for (std::size_t g = 0; g < found.size(); ++g)
            *state++ = {value[g], counts[g] == 0 ? -1 : places(found[g])};
    }
    static bool is_before(const Placed<T>& x, const Placed<T>& than) {
        if (x.place < 0) return false;
        if (than.place < 0 || Best::is_better(x.value, than.value)) return true;
        return !Best::is_better(than.value, x.value) && x.place < than.place;
    }
    static Operand element_at(const Operand& x, index_t place) {
        Box box;
        const ShapeSpan shape = x.dims.max_shape();
        box.begin.resize(shape.size(), 0);
        box.end.resize(shape.size(), 0);
        for (std::size_t a = shape.size(); a-- > 0; place /= shape[a]) {
            box.begin[a] = place % shape[a];
            box.end[a] = box.begin[a] + 1;
        }
        return {x.node, part_of(x.dims, box)};
    }

    bool skips_nan_;
};

template <Extreme extreme>
std::unique_ptr<const PartialResults> place_of(DType element, bool skips_nan) {
    const char* const what = extreme == Extreme::least ? "argmin" : "argmax";
    return visit_dtype(
        element, what,
        [&]<typename T>(std::type_identity<T>) -> std::unique_ptr<const PartialResults> {
            return std::make_unique<PlaceOfExtreme<T, extreme>>(skips_nan);
        });
}

} // namespace

std::unique_ptr<const PartialResults> partial_place(Extreme extreme, DType element,
                                                    bool skips_nan) {
    return extreme == Extreme::least ? place_of<Extreme::least>(element, skips_nan)
                                     : place_of<Extreme::greatest>(element, skips_nan);
}

} // namespace purview
