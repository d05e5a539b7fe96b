#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/evaluate.hpp>
#include <purview/expression/scatter.hpp>

#include "dtype/element_block.hpp"
#include "engine/gather.hpp"
#include "engine/kernels/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>

namespace purview {
namespace {

using namespace engine;

/// Writes through a gather: where to is known as a whole before the first element is written.
class ScatterRun {
public:
    ScatterRun(const Gather& gather, const Dimensions& view, const Leaf& target)
        : target_(target),
          size_(target.dtype().size_bytes()),
          plan_(gather, view),
          runner_(plan_),
          rows_(std::make_unique_for_overwrite<index_t[]>(static_cast<std::size_t>(plan_.rows()))) {
        for (index_t row = 0; row < plan_.rows(); row += GatherRunner::kMostRows) {
            const index_t count = std::min(GatherRunner::kMostRows, plan_.rows() - row);
            std::copy_n(runner_.addresses(row, count), count, rows_.get() + row);
        }
    }

    void run(Scatter how, const std::byte* values) {
        const index_t width = plan_.width();
        if (width == 1) runner_.to_reader(rows_.get(), plan_.rows());
        if (width == 1 || plan_.has_lines())
            return write(how, values, rows_.get(), plan_.rows(), width);
        const auto inside = std::make_unique_for_overwrite<index_t[]>(
            static_cast<std::size_t>(std::min(width, GatherRunner::kMostRows)));
        for (index_t row = 0; row < plan_.rows(); ++row)
            for (index_t at = 0; at < width; at += GatherRunner::kMostRows) {
                const index_t count = std::min(width - at, GatherRunner::kMostRows);
                runner_.addresses_inside(rows_[static_cast<std::size_t>(row)], at, count,
                                         inside.get());
                runner_.to_reader(inside.get(), count);
                write(how, values, inside.get(), count, 1);
                values += count * size_;
            }
    }

private:
    /// `width` values for each of `count` addresses.
    void write(Scatter how, const std::byte* values, const index_t* addresses, index_t count,
               index_t width) {
        const DType dtype = target_.dtype();
        if (!dtype.is_builtin() || !target_.writable_memory())
            return write_elements(how, values, addresses, count);
        auto* const memory = static_cast<std::byte*>(target_.writable_memory().data);
        const index_t stride = target_.writable_memory().stride_bytes;
        const auto bytes = static_cast<std::size_t>(width * size_);
        if (how == Scatter::assign)
            kernels().copy_indexed(bytes, values, static_cast<index_t>(bytes), nullptr, memory,
                                   stride, addresses, count, plan_.is_far(), false);
        else
            kernels().add_rows(dtype == float32 || dtype == float64,
                               static_cast<std::size_t>(size_), values, count, width, memory,
                               stride, addresses);
    }

    void write_elements(Scatter how, const std::byte* values, const index_t* addresses,
                        index_t count) {
        AnyWriter& writer = *target_.writer();
        if (how == Scatter::assign)
            return writer.scatter_from({addresses, static_cast<std::size_t>(count)}, values);
        visit_dtype(target_.dtype(), "add_to", [&]<typename T>(std::type_identity<T>) {
            for (index_t i = 0; i < count; ++i) {
                const std::span<const index_t> place(addresses + i, 1);
                T sum{};
                target_.reader().gather_into(place, &sum);
                const T value = reinterpret_cast<const T*>(values)[i];
                if constexpr (std::is_integral_v<T>) {
                    using Wide = std::uint64_t; // wraps
                    sum = static_cast<T>(static_cast<Wide>(sum) + static_cast<Wide>(value));
                } else {
                    sum += value;
                }
                writer.scatter_from(place, &sum);
            }
        });
    }

    const Leaf& target_;
    index_t size_;
    GatherPlan plan_;
    GatherRunner runner_;
    std::unique_ptr<index_t[]> rows_;
};

/// Elements that lie in row-major order, and can be copied from there.
const std::byte* plain_memory(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    if (leaf == nullptr || !leaf->memory() || !leaf->dtype().is_builtin() ||
        leaf->dtype() == boolean || leaf->memory().stride_bytes != leaf->dtype().size_bytes() ||
        !source.dims.is_contiguous())
        return nullptr;
    return static_cast<const std::byte*>(leaf->memory().data) +
           source.dims.base() * leaf->memory().stride_bytes;
}

const Leaf& target_of(const char* what, const Operand& operand) {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr) throw ReadOnlyError(fmt::format("{}: the destination is computed", what));
    if (leaf->writer() == nullptr)
        throw ReadOnlyError(fmt::format("{}: the destination can only be read", what));
    return *leaf;
}

void check_addition(const char* what, DType dtype) {
    if (!dtype.is_builtin() || dtype == boolean)
        throw DtypeError(fmt::format("{}: elements of type {} are not added", what, dtype.name()));
}

/// Where several coordinates have one address, each of them is written, one after the other.
Operand with_every_coordinate(const char* what, const Operand& destination) {
    GatherAxes axes;
    for (index_t axis = 0; axis < destination.dims.rank(); ++axis)
        axes.push_back(GatherAxis::along(axis));
    const Shape shape = to_shape(destination.dims.max_shape());
    return gather_operand(what, destination, std::move(axes), {}, shape);
}

void write_plainly(const char* what, Scatter how, const Operand& source,
                   const Operand& destination) {
    target_of(what, destination);
    if (!destination.dims.is_unique())
        return scatter(what, how, source, with_every_coordinate(what, destination));
    assign(how == Scatter::assign
               ? source
               : binary_operand(Op::add, destination, source, source.dtype(), source.dtype()),
           destination);
}

} // namespace

void scatter(const char* what, Scatter how, const Operand& source, const Operand& destination) {
    if (how == Scatter::add) check_addition(what, destination.dtype());
    const Gather* const gather = gather_of(destination);
    if (gather == nullptr) return write_plainly(what, how, source, destination);
    const Leaf& target = target_of(what, gather->source());
    const index_t count = destination.dims.size();
    ScatterRun run(*gather, destination.dims, target);
    const std::byte* values = plain_memory(source);
    std::optional<ElementBlock> computed;
    const index_t size = target.size();
    const Operand whole{gather->source().node, Dimensions::row_major(ShapeSpan(&size, 1))};
    if (values == nullptr || may_overlap(source, whole)) {
        computed.emplace(source.dtype(), count);
        Evaluation(source).read(0, count, computed->data());
        values = static_cast<const std::byte*>(computed->data());
    }
    if (count > 0) run.run(how, values);
}

} // namespace purview
