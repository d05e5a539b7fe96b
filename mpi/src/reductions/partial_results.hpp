#pragma once

#include "reductions/places_in_whole.hpp"

#include <purview/functional/reductions/reduced_view.hpp>
#include <purview/mpi/reductions.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace purview::inline v0_1::mpi {

const char* name_of(Statistic statistic) noexcept;

/// How a statistic is put together from those of parts, as states of fixed size that are sent as
/// bytes: one for each result.
class PartialResults {
public:
    /// With `skips_nan` of the floats that are not NaN, where that is more than another value for NaN.
    static std::unique_ptr<const PartialResults> of(Statistic statistic, DType element,
                                                    bool skips_nan = false);
    PartialResults(const PartialResults&) = delete;
    virtual ~PartialResults();

    DType result() const noexcept { return result_; }
    index_t state_bytes() const noexcept { return state_bytes_; }
    AxisOrder order() const noexcept { return order_; }
    /// Whether there is no result of no elements.
    bool needs_elements() const noexcept { return needs_elements_; }

    /// States of no elements.
    virtual void clear(std::byte* states, index_t count) const = 0;
    /// The states of the groups of a view in memory, which has elements.
    virtual void fold(const ReducedView& view, const PlacesInWhole& places,
                      std::byte* states) const = 0;
    /// Into `left`.
    virtual void join(std::byte* left, const std::byte* right, index_t count) const = 0;
    /// The results of `elements` elements each. Throws `ShapeError` for a place where there is none.
    virtual void finish(const std::byte* states, index_t count, index_t elements,
                        std::byte* out) const = 0;

protected:
    PartialResults(DType result, std::size_t state_bytes, AxisOrder order = AxisOrder::of_operand,
                   bool needs_elements = false) noexcept
        : result_(result),
          state_bytes_(static_cast<index_t>(state_bytes)),
          order_(order),
          needs_elements_(needs_elements) {}

private:
    DType result_;
    index_t state_bytes_;
    AxisOrder order_;
    bool needs_elements_;
};

} // namespace purview
