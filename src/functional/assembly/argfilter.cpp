#include <purview/base/errors.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/functional/assembly/argfilter.hpp>

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1 {

MutableTensor<std::int64_t> true_indexes(const Operand& mask) {
    BufferPtr<std::int64_t> found = true_positions(cast_operand(mask, boolean, Op::cast));
    const index_t count = found->size();
    return over<std::int64_t>(std::move(found), Dimensions::row_major(ShapeSpan(&count, 1)));
}

void require_an_element(const char* what, const AnyTensor& x) {
    if (x.empty())
        throw ShapeError(
            fmt::format("{}: a tensor of shape {} has no element", what, to_string(x.shape())));
}

} // namespace purview
