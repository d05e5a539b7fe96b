#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/functional/assembly/index_sets.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

IndexSet index_set_of(const Operand& x) {
    require_host_reads("index_set", x);
    const DType dtype = x.dtype();
    if (dtype == boolean) return true_set(x);
    if (!dtype.is_integer())
        throw DtypeError(
            fmt::format("index_set: elements are bools or integers, not {}", dtype.name()));
    std::vector<index_t> list(static_cast<std::size_t>(x.dims.size()));
    const Operand widened = cast_operand(x, int64, Op::cast);
    Evaluation(widened).read(0, x.dims.size(), list.data());
    return IndexSet(std::span<const index_t>(list));
}

MutableTensor<std::int64_t> indexes_of(const IndexSet& set) {
    MutableTensor<std::int64_t> result = empty<std::int64_t>({set.size()});
    set.read(0, as_span(result));
    return result;
}

Tensor<bool> mask_of(const IndexSet& set, AxisValues shape) {
    const index_t size = checked_size(shape, "mask_of");
    return tensor(set.mask_reader(size), shape);
}

} // namespace purview
